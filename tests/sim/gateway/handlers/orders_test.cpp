#include <gtest/gtest.h>

#include "base/limits.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

Json changed(Json order, const Json& members) {
  order.update(members);
  return order;
}

TEST(EngineRefusal, EveryReasonHasACode) {
  for (int number = 1; number <= static_cast<int>(engine::Reject::too_many_open_orders); ++number) {
    const auto reject = static_cast<engine::Reject>(number);
    EXPECT_NE(error_code_of(reject), api::ErrorCode::internal_error) << to_string(reject);
  }
}

TEST(PlaceOrder, ARefusalNamesWhatWasExpectedAndChangesNothing) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json good = limit_order("Buy", "0.1", "60000");
  const struct {
    Json members;
    int status;
    const char* code;
    const char* message;
  } rows[] = {
      {{{"price", "60000.3"}}, 400, "InvalidTickSize", "price 60000.3 is not a multiple of the tick 0.5"},
      {{{"quantity", "0.1005"}}, 400, "InvalidLotSize", "quantity 0.1005 is not a multiple of the lot 0.001"},
      {{{"quantity", "100.001"}}, 400, "InvalidQuantity", "quantity 100.001 is not between 0.001 and 100"},
      {{{"quantity", "0"}}, 400, "InvalidQuantity", "quantity 0 is not between 0.001 and 100"},
      {{{"quantity", "0.001"}, {"price", "5000"}}, 400, "MinNotional", "the order's value is below 10 USDX"},
      {{{"price", nullptr}}, 400, "InvalidPrice", nullptr},
      {{{"price", "70000"}}, 400, "PriceBandExceeded", nullptr},
      {{{"quantity", "90"}}, 400, "InsufficientMargin", nullptr},
      {{{"reduce_only", true}}, 400, "ReduceOnlyWouldIncrease", nullptr},
      {{{"market_id", "DOGE-USDX-PERP"}}, 404, "UnknownMarket", "no market DOGE-USDX-PERP"},
      {{{"market_id", "btc"}}, 400, "INVALID_MARKET_ID", nullptr},
      {{{"client_id", std::string(limits::client_id_chars_max + 1, 'x')}}, 400, "InvalidClientId", nullptr},
      {{{"order_type", "Market"}, {"time_in_force", "IOC"}}, 400, "InsufficientLiquidity", nullptr},
      {{{"order_type", "Market"}, {"time_in_force", "PostOnly"}}, 400, "InvalidTimeInForce", nullptr},
      {{{"order_type", "StopMarket"}}, 400, "InvalidTriggerPrice", nullptr},
      {{{"order_type", "StopMarket"}, {"trigger_price", "61000"}, {"max_slippage_bps", 1'000'001}},
       400,
       "InvalidPrice",
       "max_slippage_bps is at most 1000000"},
      {{{"order_type", "TrailingStop"}, {"trailing_offset_bps", 1'000'001}},
       400,
       "InvalidTriggerPrice",
       "trailing_offset_bps is at most 1000000"},
      {{{"order_type", "StopMarket"}, {"trigger_price", "60000.1"}},
       400,
       "InvalidTickSize",
       "trigger price 60000.1 is not a multiple of the tick 0.5"},
      {{{"order_type", "StopMarket"}, {"price", "60000.3"}, {"trigger_price", "60000.1"}},
       400,
       "InvalidTickSize",
       "trigger price 60000.1 is not a multiple of the tick 0.5"},
      {{{"colour", "red"}}, 400, "invalid_json", nullptr},
      {{{"quantity", 0.1}}, 400, "invalid_json", nullptr},
  };
  for (const auto& row : rows) {
    const Reply reply = trader.post("/orders", changed(good, row.members));
    EXPECT_EQ(reply.status, row.status) << row.members << reply.body;
    EXPECT_EQ(reply.code(), row.code) << row.members << reply.body;
    EXPECT_EQ(reply.body["error"], reply.body["code"]);
    if (row.message != nullptr) {
      EXPECT_EQ(reply.body["message"], row.message);
    }
  }
  EXPECT_EQ(trader.get("/orders").body, Json::array());
  EXPECT_EQ(trader.get("/orders/history").body, Json::array());
  EXPECT_EQ(trader.get("/account").body["available_margin"], "100000");
}

TEST(PlaceOrder, BeyondTheOpenOrderLimitOnlyTakersAreAccepted) {
  SandboxOptions options = test_options();
  options.open_orders = 2;
  TestExchange exchange(options);
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)bob.limit("Sell", "0.1", "60100");
  const std::string id = alice.limit("Buy", "0.1", "59000")["id"];
  const Json stop = changed(limit_order("Sell", "0.1", "60000"),
                            {{"order_type", "StopMarket"}, {"trigger_price", "58000"}, {"price", nullptr}});
  ASSERT_EQ(alice.post("/orders", stop).status, 201);
  const Json third = limit_order("Buy", "0.1", "59001");
  const Reply refused = alice.post("/orders", third);
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(refused.code(), "TooManyOpenOrders");
  EXPECT_EQ(alice.post("/orders", stop).code(), "TooManyOpenOrders");
  const Reply preview = alice.post("/orders/preview", third);
  EXPECT_EQ(preview.status, 200) << preview.body;
  EXPECT_NE(preview.body.dump().find("TooManyOpenOrders"), std::string::npos) << preview.body;
  // Orders that take, amends and cancels need no room.
  EXPECT_EQ(alice.post("/orders", limit_order("Buy", "0.1", "60100")).status, 201);
  EXPECT_EQ(alice.patch("/orders/" + id, {{"price", "59002"}}).status, 200);
  EXPECT_EQ(bob.post("/orders", third).status, 201);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(PlaceOrder, PostOnlyThatWouldTradeIsRefused) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.1", "60000");
  const Reply reply = bob.post("/orders", changed(limit_order("Buy", "0.1", "60000"), {{"time_in_force", "PostOnly"}}));
  EXPECT_EQ(reply.code(), "WouldTakeLiquidity");
}

TEST(PlaceOrder, TheSameClientIdAgainReturnsTheSameOrderWhileItIsOpen) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json order = changed(limit_order("Buy", "0.1", "59000"), {{"client_id", "mine"}});
  const Reply first = trader.post("/orders", order);
  const Reply again = trader.post("/orders", order);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body["order"], first.body["order"]);
  EXPECT_EQ(trader.get("/orders").body.size(), 1u);

  const Reply other = trader.post("/orders", changed(order, {{"price", "58000"}}));
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.code(), "ClientIdTaken");
  (void)trader.del("/orders");
  EXPECT_EQ(trader.post("/orders", order).status, 409);
}

// A client that lost the first answer adds up the fills of the second.
TEST(PlaceOrder, TheSameClientIdAgainReturnsTheFillsAsWell) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.1", "60000");
  (void)alice.limit("Sell", "0.3", "60001");
  const Json order = changed(limit_order("Buy", "1", "60001"), {{"client_id", "mine"}});
  const Reply first = bob.post("/orders", order);
  ASSERT_EQ(first.body["fills"].size(), 2u) << first.body;
  EXPECT_EQ(bob.post("/orders", order).body, first.body);
  // What others take of it later is in it, too.
  (void)alice.limit("Sell", "0.2", "60001");
  const Reply third = bob.post("/orders", order);
  EXPECT_EQ(third.body["order"]["filled_qty"], "0.6");
  ASSERT_EQ(third.body["fills"].size(), 3u) << third.body;
  EXPECT_EQ(third.body["fills"][2]["size"], "0.2");
  EXPECT_EQ(bob.post("/orders/batch", Json::array({order})).body[0]["fills"], third.body["fills"]);
  // Copies in one batch would multiply them.
  const Json copies = bob.post("/orders/batch", Json::array({order, order})).body;
  EXPECT_EQ(copies[0]["fills"], third.body["fills"]);
  EXPECT_EQ(copies[1]["order"], copies[0]["order"]);
  EXPECT_EQ(copies[1]["fills"], Json::array());
  // An amend replaces the order, and its fills stay with the original.
  ASSERT_EQ(bob.patch("/orders/" + third.body["order"]["id"].get<std::string>(), {{"size", "2"}}).status, 200);
  const Reply amended = bob.post("/orders", changed(order, {{"quantity", "2"}}));
  EXPECT_EQ(amended.body["order"]["filled_qty"], "0.6") << amended.body;
  EXPECT_EQ(amended.body["fills"], third.body["fills"]);
}

TEST(PlaceOrder, ADecimalKeepsItsValueWhateverItsSpelling) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json order = trader.limit("Buy", "0.100", "59000.50");
  EXPECT_EQ(order["quantity"], "0.1");
  EXPECT_EQ(order["price"], "59000.5");
}

TEST(PlaceOrder, TheTwinIsTheSameOperation) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  EXPECT_EQ(trader.post("/api/v1/orders", limit_order("Buy", "0.1", "59000")).status, 201);
  EXPECT_EQ(trader.get("/api/v1/orders").body, trader.get("/orders").body);
  EXPECT_EQ(trader.get("/orders").body.size(), 1u);
}

TEST(Batch, IsSequentialAndReportsEachItem) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)bob.limit("Sell", "0.3", "60000");
  const Reply reply = alice.post(
      "/orders/batch", {limit_order("Buy", "0.1", "60000"), limit_order("Buy", "0.1", "60000.2"),
                        limit_order("Buy", "0.1", "1", "NO-SUCH-MARKET"), limit_order("Buy", "0.4", "60000")});
  ASSERT_EQ(reply.status, 201) << reply.body;
  ASSERT_EQ(reply.body.size(), 4u);
  EXPECT_EQ(reply.body[0]["outcome"], "ok");
  EXPECT_EQ(reply.body[0]["order"]["status"], "Filled");
  ASSERT_EQ(reply.body[0]["fills"].size(), 1u);
  EXPECT_EQ(reply.body[0]["fills"][0]["size"], "0.1");
  EXPECT_EQ(reply.body[1], (Json{{"outcome", "err"},
                                 {"error", "InvalidTickSize"},
                                 {"message", "price 60000.2 is not a multiple of the tick 0.5"}}));
  EXPECT_EQ(reply.body[2],
            (Json{{"outcome", "err"}, {"error", "UnknownMarket"}, {"message", "no market NO-SUCH-MARKET"}}));
  EXPECT_EQ(reply.body[3]["order"]["status"], "PartiallyFilled");
  EXPECT_EQ(reply.body[3]["order"]["filled_qty"], "0.2");
}

TEST(Batch, AMalformedMarketRefusesItsItemOnly) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Reply reply =
      trader.post("/orders/batch", {limit_order("Buy", "0.1", "59000"), limit_order("Buy", "0.1", "59000", "btc"),
                                    limit_order("Buy", "0.1", "59000", ""), limit_order("Buy", "0.2", "59000")});
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.body[0]["outcome"], "ok");
  for (const std::size_t bad : {1u, 2u}) {
    EXPECT_EQ(reply.body[bad]["outcome"], "err");
    EXPECT_EQ(reply.body[bad]["error"], "INVALID_MARKET_ID");
    EXPECT_TRUE(reply.body[bad]["message"].is_string());
  }
  EXPECT_EQ(reply.body[3]["outcome"], "ok");
  EXPECT_EQ(trader.get("/orders").body.size(), 2u);
}

TEST(Batch, ABodyThatIsNoListOfOrdersIsRefusedWhole) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json good = limit_order("Buy", "0.1", "59000");
  for (const Json& members : {Json{{"market_id", 7}}, Json{{"colour", "red"}}, Json{{"quantity", 0.1}}}) {
    const Reply reply = trader.post("/orders/batch", {good, changed(good, members)});
    EXPECT_EQ(reply.status, 400) << members;
    EXPECT_EQ(reply.code(), "invalid_json") << members;
  }
  EXPECT_EQ(trader.get("/orders").body, Json::array());
}

TEST(Batch, OneBadItemAloneIsStillA201) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Reply reply = trader.post("/orders/batch", Json::array({limit_order("Buy", "0.1", "60000.2")}));
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body[0]["error"], "InvalidTickSize");
}

TEST(Batch, TakesUpToAThousandOrdersAndAtLeastOne) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  EXPECT_EQ(trader.post("/orders/batch", Json::array()).code(), "EmptyBatch");
  Json orders = Json::array();
  for (std::size_t i = 0; i < limits::batch_orders_max; ++i) orders.push_back(limit_order("Buy", "0.001", "59000"));
  EXPECT_EQ(trader.post("/orders/batch", orders).status, 201);
  orders.push_back(orders[0]);
  EXPECT_EQ(trader.post("/orders/batch", orders).code(), "BatchTooLarge");
}

TEST(GetOrder, NeedsTheMarketAndFindsOpenAndEndedOrdersAlike) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json order = trader.limit("Buy", "0.1", "59000");
  const std::string path = "/orders/" + order["id"].get<std::string>();
  EXPECT_EQ(trader.get(path).status, 400);
  EXPECT_EQ(trader.get(path + "?market_id=BTC-USDX-PERP").body, order);
  EXPECT_EQ(trader.get(path + "?market_id=ETH-USDX-PERP").status, 404);
  EXPECT_EQ(trader.get(path + "?market_id=eth").code(), "INVALID_MARKET_ID");
  (void)trader.del(path);
  EXPECT_EQ(trader.get(path + "?market_id=BTC-USDX-PERP").body["status"], "Cancelled");
}

TEST(Ownership, SomebodyElsesOrderDoesNotExist) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader mallory(exchange, 1);
  const std::string path = "/orders/" + alice.limit("Buy", "0.1", "59000")["id"].get<std::string>();
  for (const Reply& reply :
       {mallory.get(path + "?market_id=BTC-USDX-PERP"), mallory.del(path), mallory.patch(path, {{"price", "59500"}})}) {
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.code(), "OrderNotFound");
  }
  EXPECT_EQ(alice.get("/orders").body.size(), 1u);
  EXPECT_EQ(mallory.del("/orders").body, Json::array());
}

TEST(CancelOrder, AnswersTheCancelledOrderOnce) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const std::string id = trader.limit("Buy", "0.1", "59000")["id"];
  EXPECT_EQ(trader.del("/orders/" + id + "?market_id=ETH-USDX-PERP").status, 404);
  const Reply reply = trader.del("/orders/" + id);  // old clients send no market
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body["id"], id);
  EXPECT_EQ(reply.body["status"], "Cancelled");
  EXPECT_EQ(reply.body["cancellation_reason"], "User");
  EXPECT_EQ(trader.del("/orders/" + id).code(), "OrderNotFound");
  EXPECT_EQ(trader.del("/orders/not-a-uuid").code(), "OrderNotFound");
}

TEST(CancelAll, ReachesOneMarketOrAll) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json btc = trader.limit("Buy", "0.1", "59000");
  const Json eth = trader.limit("Buy", "1", "2900", "ETH-USDX-PERP");
  EXPECT_EQ(trader.del("/orders?market_id=NO-MARKET").code(), "UnknownMarket");
  const Json cancelled = trader.del("/orders?market_id=ETH-USDX-PERP").body;
  ASSERT_EQ(cancelled.size(), 1u);
  EXPECT_EQ(cancelled[0]["id"], eth["id"]);
  EXPECT_EQ(trader.get("/orders").body, Json::array({btc}));
  EXPECT_EQ(trader.del("/orders").body.size(), 1u);
  EXPECT_EQ(trader.del("/orders").body, Json::array());
}

TEST(AmendOrder, ReplacesTheOrderUnderANewId) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const std::string id = trader.limit("Buy", "0.1", "59000")["id"];
  const Reply amended =
      trader.patch("/orders/" + id + "?market_id=BTC-USDX-PERP", {{"price", "59500"}, {"size", "0.2"}});
  ASSERT_EQ(amended.status, 200) << amended.body;
  EXPECT_NE(amended.body["id"], id);
  EXPECT_EQ(amended.body["price"], "59500");
  EXPECT_EQ(amended.body["quantity"], "0.2");
  EXPECT_EQ(trader.get("/orders").body, Json::array({amended.body}));
  const Json ended = trader.get("/orders/history").body;
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]["id"], id);
  EXPECT_EQ(ended[0]["cancellation_reason"], "AmendReplace");

  const std::string path = "/orders/" + amended.body["id"].get<std::string>();
  EXPECT_EQ(trader.patch(path, Json::object()).code(), "InvalidAmend");
  EXPECT_EQ(trader.patch(path, {{"price", "59500.1"}}).body["message"],
            "price 59500.1 is not a multiple of the tick 0.5");
  EXPECT_EQ(trader.patch(path, {{"size", "0.2001"}}).body["message"], "size 0.2001 is not a multiple of the lot 0.001");
  EXPECT_EQ(trader.patch("/orders/" + id, {{"price", "59400"}}).status, 400);
}

TEST(OrderHistory, PagesNewestFirstByCursor) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  for (const char* price : {"59001", "59002", "59003", "59004", "59005"}) {
    (void)trader.limit("Buy", "0.1", price);
    exchange.control("/time", {{"advance_ms", 1'000}});
    (void)trader.del("/orders");
  }
  std::vector<std::string> prices;
  std::string query = "?limit=2";
  for (int page = 0; page < 3; ++page) {
    const Reply reply = trader.get("/orders/history" + query);
    for (const Json& row : reply.body) prices.push_back(row["price"]);
    const auto next = reply.headers.find("X-Next-Cursor");
    EXPECT_EQ(next.has_value(), page < 2);
    if (next) query = "?limit=2&cursor=" + std::string(*next);
  }
  EXPECT_EQ(prices, (std::vector<std::string>{"59005", "59004", "59003", "59002", "59001"}));

  const Json row = trader.get("/orders/history?cursor=nonsense&limit=1").body[0];
  EXPECT_EQ(row["price"], "59005");
  EXPECT_EQ(row["side"], "buy");
  EXPECT_EQ(row["order_type"], "limit");
  EXPECT_EQ(row["status"], "Cancelled");
  EXPECT_EQ(row["cancellation_reason"], "User");
  EXPECT_EQ(row["completed_at_ms"].get<TimestampMs>() - row["created_at_ms"].get<TimestampMs>(), 1'000);
  EXPECT_EQ(trader.get("/orders/history?limit=100000").body.size(), 5u);
}

TEST(OrderHistory, ASelfTradeIsWrittenAsText) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  (void)trader.limit("Sell", "0.1", "60000");
  const Reply taker = trader.post("/orders", changed(limit_order("Buy", "0.1", "60000"), {{"stp", "CancelNewest"}}));
  EXPECT_EQ(taker.body["order"]["cancellation_reason"], (Json{{"Stp", "CancelNewest"}}));
  EXPECT_EQ(trader.get("/orders/history").body[0]["cancellation_reason"], "Stp(CancelNewest)");
}

TEST(Fills, PageNewestFirstByCursor) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.3", "60000");
  for (int i = 0; i < 3; ++i) (void)bob.limit("Buy", "0.1", "60000");
  const Reply first = bob.get("/fills?limit=2");
  ASSERT_EQ(first.body.size(), 2u);
  const Reply second = bob.get("/fills?limit=2&cursor=" + std::string(*first.headers.find("X-Next-Cursor")));
  ASSERT_EQ(second.body.size(), 1u);
  EXPECT_FALSE(second.headers.find("X-Next-Cursor").has_value());
  Json all = first.body;
  all.push_back(second.body[0]);
  EXPECT_EQ(bob.get("/fills").body, all);
  EXPECT_EQ(bob.get("/fills").body, all);  // reading changes nothing
}

TEST(Preview, ShowsTheOutcomeAndReservesNothing) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "1", "60000");
  const Reply good = bob.post("/orders/preview", limit_order("Buy", "0.5", "60000"));
  ASSERT_EQ(good.status, 200) << good.body;
  EXPECT_EQ(good.body["accepted"], true);
  EXPECT_EQ(good.body["reject_reason"], nullptr);
  EXPECT_EQ(good.body["required_initial_margin"], "750");
  EXPECT_EQ(good.body["expected_fill_vwap"], "60000");
  EXPECT_EQ(good.body["projected_fees"], "15");
  EXPECT_EQ(good.body["projected_post_trade_equity"], "99985");
  EXPECT_EQ(good.body["projected_post_trade_leverage"], "0.300045");

  const Reply bad = bob.post("/orders/preview", limit_order("Buy", "90", "60000"));
  EXPECT_EQ(bad.status, 200);
  EXPECT_EQ(bad.body["accepted"], false);
  EXPECT_EQ(bad.body["reject_reason"], "InsufficientMargin");
  EXPECT_EQ(bad.body["required_initial_margin"], "137670") << "how much it takes, with the fee";
  EXPECT_EQ(bob.get("/orders").body, Json::array());
  EXPECT_EQ(bob.get("/account").body["available_margin"], "100000");

  // An order that rests already is accepted once more and changes nothing.
  const Json large = changed(limit_order("Buy", "60", "59000"), {{"client_id", "mine"}});
  ASSERT_EQ(bob.post("/orders", large).status, 201);
  const Reply again = bob.post("/orders/preview", large);
  EXPECT_EQ(again.body["accepted"], true) << again.body;
  EXPECT_EQ(again.body["required_initial_margin"], "0");
}

TEST(ConditionalOrder, ShowsWhenItFired) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  Json stop = limit_order("Buy", "0.1", "61000");
  stop.update({{"order_type", "StopLimit"}, {"trigger_price", "60500"}});
  const std::string id = trader.post("/orders", stop).body["order"]["id"];
  const auto order = [&](const std::string& of) {
    return Json(trader.get("/orders/" + of + "?market_id=BTC-USDX-PERP").body);
  };
  EXPECT_TRUE(order(id)["triggered_at"].is_null());
  EXPECT_TRUE(Json(trader.limit("Buy", "0.1", "59000"))["triggered_at"].is_null());
  exchange.control("/time", {{"advance_ms", 1'500}});
  exchange.control("/prices", {{"BTC-USDX-PERP", "60500"}});
  EXPECT_EQ(order(id)["triggered_at"], test_start_ms + 1'500);
  exchange.control("/time", {{"advance_ms", 1'000}});
  const Json moved = trader.patch("/orders/" + id, {{"price", "60900"}}).body;
  EXPECT_EQ(moved["triggered_at"], test_start_ms + 1'500);
  (void)trader.del("/orders/" + moved["id"].get<std::string>());
  const Json ended = trader.get("/orders/history").body;
  EXPECT_EQ(ended[0]["triggered_at_ms"], test_start_ms + 1'500);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
