#include "signing/action_request.h"

#include "api/operation_list.h"

#include <gtest/gtest.h>

namespace svc::signing {
namespace SVC_FILE {

const ActionContext context{*parse_address("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"), "svc-local",
                            1'700'000'000'000, 7};

Result<ActionStruct, std::string> read(const RequestParts& request) {
  return api::action_at(request, context);
}

template <class Action>
Action expect(const RequestParts& request) {
  const auto action = read(request);
  if (!action) {
    ADD_FAILURE() << action.error();
    return {};
  }
  const auto* alternative = std::get_if<Action>(&*action);
  if (!alternative) {
    ADD_FAILURE() << "another struct: " << type_string(*action);
    return {};
  }
  EXPECT_TRUE(std::visit([&](const ActionContext& one) { return one == context; }, *action));
  return *alternative;
}

std::string error_of(const RequestParts& request) {
  const auto action = read(request);
  return action ? "" : action.error();
}

// An order with `members` beside the required ones.
std::string order_with(std::string_view members) {
  return R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.10","time_in_force":"GTC")" +
         std::string(members) + "}";
}

TEST(ActionOfRequest, SignsTheTextOfTheBodyUnchanged) {
  const std::string body = order_with(R"(,"price":"50000.00")");
  const auto action = expect<PlaceOrder>({"POST", "/orders", "", body});
  EXPECT_EQ(action.order.market_id, "BTC-USDX-PERP");
  EXPECT_EQ(action.order.side, "Buy");
  EXPECT_EQ(action.order.order_type, "Limit");
  EXPECT_EQ(action.order.price, "50000.00");
  EXPECT_EQ(action.order.quantity, "0.10");
  EXPECT_EQ(action.order.time_in_force, "GTC");
  EXPECT_FALSE(action.order.reduce_only);
}

TEST(ActionOfRequest, DecodesJsonEscapesBeforeSigning) {
  const std::string body = order_with(R"(,"client_id":"cl\u00e9\n")");
  EXPECT_EQ(expect<PlaceOrder>({"POST", "/orders", "", body}).order.client_id, "cl\xC3\xA9\n");
}

TEST(ActionOfRequest, SignsAbsentAndNullOptionalTextAsEmpty) {
  const std::string body = order_with(R"(,"price":null,"stp":null,"trailing_offset_bps":null,"reduce_only":null)");
  EXPECT_EQ(expect<PlaceOrder>({"POST", "/orders", "", body}),
            expect<PlaceOrder>({"POST", "/orders", "", order_with("")}));
}

TEST(ActionOfRequest, RefusesExplicitlyEmptyText) {
  for (const std::string_view name : {"price", "stop_price", "trigger_price", "stp", "client_id"}) {
    const std::string body = order_with(",\"" + std::string(name) + "\":\"\"");
    EXPECT_EQ(error_of({"POST", "/orders", "", body}), std::string(name) + " must not be empty; leave it out instead");
  }
}

TEST(ActionOfRequest, SignsBasisPointsAsDecimalDigitsOf32Bits) {
  for (const std::string_view digits : {"0", "25", "4294967295"}) {
    const std::string body = order_with(",\"max_slippage_bps\":" + std::string(digits));
    EXPECT_EQ(expect<PlaceOrder>({"POST", "/orders", "", body}).order.max_slippage_bps, digits);
  }
  for (const std::string_view value : {"4294967296", "-1", "1.0", "1e2", "\"5\"", "true", "99999999999999999999"}) {
    const std::string body = order_with(",\"max_slippage_bps\":" + std::string(value));
    EXPECT_EQ(error_of({"POST", "/orders", "", body}), "max_slippage_bps must be a whole number from 0 to 4294967295")
        << value;
  }
}

TEST(ActionOfRequest, NamesTheMemberThatIsMissingOrOfTheWrongType) {
  struct Row {
    std::string_view body, error;
  };
  const Row rows[] = {
      {R"({"side":"Buy"})", "market_id is required"},
      {R"({"market_id":1})", "market_id must be a string"},
      {R"({"market_id":"X","side":"Buy","order_type":"Limit","quantity":0.1})", "quantity must be a string"},
      {R"([])", "expected a JSON object"},
      {R"("x")", "expected a JSON object"},
  };
  for (const Row& row : rows) EXPECT_EQ(error_of({"POST", "/orders", "", row.body}), row.error) << row.body;
  EXPECT_EQ(error_of({"POST", "/orders", "", order_with(R"(,"reduce_only":"yes")")}),
            "reduce_only must be true or false");
}

TEST(ActionOfRequest, RefusesAmbiguousText) {
  EXPECT_EQ(error_of({"POST", "/orders", "", order_with(R"(,"quantity":"100")")}), "member `quantity` occurs twice");
  EXPECT_EQ(error_of({"POST", "/orders", "", order_with("") + "{}"}).substr(0, 8), "not JSON");
  EXPECT_EQ(error_of({"POST", "/orders", "", ""}).substr(0, 8), "not JSON");
  EXPECT_EQ(error_of({"POST", "/orders", "", std::string(65, '[')}), "nested deeper than 64 levels");
  EXPECT_EQ(error_of({"POST", "/orders", "", order_with(",\"stp\":\"\xff\"")}).substr(0, 8), "not JSON");
}

TEST(ActionOfRequest, KeepsTheOrderOfABatch) {
  const std::string body = "[" + order_with(R"(,"client_id":"a")") + "," + order_with(R"(,"client_id":"b")") + "]";
  const auto action = expect<PlaceOrders>({"POST", "/orders/batch", "", body});
  ASSERT_EQ(action.orders.size(), 2u);
  EXPECT_EQ(action.orders[0].client_id, "a");
  EXPECT_EQ(action.orders[1].client_id, "b");
  EXPECT_EQ(expect<PlaceOrders>({"POST", "/orders/batch", "", "[]"}).orders.size(), 0u);
  EXPECT_EQ(error_of({"POST", "/orders/batch", "", "[" + order_with("") + ",{}]"}), "order 1: market_id is required");
  EXPECT_EQ(error_of({"POST", "/orders/batch", "", "{}"}), "expected a JSON array of orders");
}

TEST(ActionOfRequest, TakesTheFirstMarketOfTheQuery) {
  struct Row {
    std::string_view query, market;
  };
  const Row rows[] = {
      {"", ""},
      {"market_id=BTC-USDX-PERP", "BTC-USDX-PERP"},
      {"limit=1&market_id=A&market_id=B", "A"},
      {"market_id=A%20B+C%2b", "A B C+"},
      {"market%5Fid=A", "A"},
      {"market_ids=A&xmarket_id=B", ""},
      {"&&market_id=A=B", "A=B"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(expect<CancelAllOrders>({"DELETE", "/orders", row.query, ""}).market_id, row.market) << row.query;
    EXPECT_EQ(expect<CancelOrder>({"DELETE", "/orders/7", row.query, ""}).market_id, row.market) << row.query;
    EXPECT_EQ(expect<AmendOrder>({"PATCH", "/orders/7", row.query, "{}"}).market_id, row.market) << row.query;
  }
}

TEST(ActionOfRequest, RefusesAnEmptyOrUndecodableMarketOfTheQuery) {
  for (const std::string_view query :
       {"market_id=", "market_id", "market_id=&market_id=A", "market_id=%zz", "market_id=%2", "market_id=%"})
    EXPECT_FALSE(read({"DELETE", "/orders", query, ""})) << query;
}

TEST(ActionOfRequest, TakesTheOrderIdFromThePath) {
  EXPECT_EQ(expect<CancelOrder>({"DELETE", "/orders/ab-12", "", ""}).order_id, "ab-12");
  EXPECT_EQ(expect<CancelOrder>({"DELETE", "/orders/a%2Db+c", "", ""}).order_id, "a-b+c");
  EXPECT_FALSE(read({"DELETE", "/orders/", "", ""}));
  EXPECT_FALSE(read({"DELETE", "/orders/%", "", ""}));
  const auto amend = expect<AmendOrder>({"PATCH", "/orders/ab-12", "", R"({"size":"2"})"});
  EXPECT_EQ(amend.order_id, "ab-12");
  EXPECT_EQ(amend.price, "");
  EXPECT_EQ(amend.size, "2");
}

// As the record of such a body is.
TEST(ActionOfRequest, ABlankBodyIsReadAsNone) {
  for (const std::string_view blank : {"", "  ", "\n"})
    EXPECT_EQ(expect<AmendOrder>({"PATCH", "/orders/ab-12", "", blank}).size, "") << '"' << blank << '"';
}

TEST(ActionOfRequest, ReadsMarginAndLeverage) {
  EXPECT_EQ(
      expect<AdjustMargin>({"POST", "/account/margin", "", R"({"market_id":"M","amount":"1.0","direction":"add"})"}),
      (AdjustMargin{context, "M", "1.0", "add"}));
  EXPECT_EQ(expect<SetMarginMode>({"POST", "/account/margin-mode", "", R"({"market_id":"M","margin_mode":"cross"})"}),
            (SetMarginMode{context, "M", "cross"}));
  EXPECT_EQ(expect<SetLeverage>({"POST", "/leverage", "", R"({"market_id":"M","leverage":20})"}),
            (SetLeverage{context, "M", 20}));
  EXPECT_EQ(error_of({"POST", "/leverage", "", R"({"market_id":"M"})"}), "leverage is required");
  EXPECT_EQ(error_of({"POST", "/leverage", "", R"({"market_id":"M","leverage":4294967296})"}),
            "leverage must be a whole number from 0 to 4294967295");
}

TEST(ActionOfRequest, SignsAlikeUnderEveryBase) {
  const std::string body = order_with("");
  for (const std::string_view path : {"/api/v1/orders", "/v1/orders", "/v1/api/v1/orders", "/indexer/orders"})
    EXPECT_EQ(expect<PlaceOrder>({"POST", path, "", body}), expect<PlaceOrder>({"POST", "/orders", "", body}));
}

TEST(ActionOfRequest, IsNoneForOtherOperations) {
  const RequestParts requests[] = {
      {"POST", "/orders/preview", "", "{}"},
      {"GET", "/orders", "", ""},
      {"GET", "/orders/1", "", ""},
      {"GET", "/account/margin-mode", "", ""},
      {"POST", "/keys", "", ""},
      {"POST", "/account/margin/x", "", ""},
      {"POST", "", "", ""},
      {"POST", "/myorders/", "", ""},
      {"post", "/orders", "", ""},
  };
  for (const RequestParts& request : requests) {
    EXPECT_NE(error_of(request).find("is not a trading action"), std::string::npos)
        << request.method << " " << request.path;
  }
  EXPECT_TRUE(read({"DELETE", "/api/v1/orders/1", "", ""}));
}

// Empty texts are signed as they are: the operation refuses them by itself.
TEST(OwnerStructOfRequest, HasWhatTheRequestSays) {
  const std::string account = to_string(context.account);
  const auto intent_of = [](const std::string& recipient) {
    return owner_struct_of<TransferIntent>({"POST", "/v1/transfers", "",
                                            R"({"account":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","domain":"",)"
                                            R"("recipient":")" +
                                                recipient + R"(","amount":"5.50","client_transfer_id":""})"});
  };
  EXPECT_EQ(*intent_of(account), (TransferIntent{context.account, "", context.account, "5.50", "", 0, 0}));
  EXPECT_EQ(intent_of("0x1").error(), "recipient must be an address");
  const std::string reader = "account=" + account + "&domain=svc-local";
  EXPECT_EQ(*owner_struct_of<ListTransfers>({"GET", "/v1/transfers", reader, ""}),
            (ListTransfers{context.account, "svc-local", "", "", 0}));
  EXPECT_EQ(*owner_struct_of<ListTransfers>({"GET", "/v1/transfers", reader + "&cursor=a%2Bb+c&limit=", ""}),
            (ListTransfers{context.account, "svc-local", "", "a+b c", 0}));
  EXPECT_EQ(*owner_struct_of<ReadTransfer>({"GET", "/v1/transfers/a%20b", reader, ""}),
            (ReadTransfer{context.account, "svc-local", "a b", 0}));
}

}  // namespace SVC_FILE
}  // namespace svc::signing
