#include "api/message_codec.h"

#include <gtest/gtest.h>

#include "api/contract/account.h"
#include "api/contract/agents.h"
#include "api/contract/auth.h"
#include "api/contract/bridge.h"
#include "api/contract/funds.h"
#include "api/contract/margin.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/http/http_message.h"
#include "contract/response_reader.h"

namespace svc::api {
namespace SVC_FILE {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;

template <class Op>
Result<typename Op::Request, ApiError> decode(std::string_view query, std::string_view body = "",
                                              const Parameters& path = {}) {
  return decode_request<Op>({.path_parameters = path, .query = query, .headers = nullptr, .body = body});
}

template <class Op>
std::string code_of(std::string_view query, std::string_view body = "", const Parameters& path = {}) {
  const auto request = decode<Op>(query, body, path);
  return request ? "accepted" : std::string(spelling(request.error().code));
}

TEST(DecodeQuery, PageSizeIsClampedToItsMaximumAndHasADefault) {
  const struct {
    const char* query;
    std::uint32_t limit;
  } rows[] = {{"", 100},
              {"limit=1", 1},
              {"limit=499", 499},
              {"limit=500", 500},
              {"limit=501", 500},
              {"limit=99999999999999999999999", 500},
              {"limit=7&limit=8", 7},
              {"x=1&limit=3&y", 3},
              {"%6Cimit=4", 4}};
  for (const auto& row : rows) {
    const auto request = decode<ops::ListOrderHistory>(row.query);
    ASSERT_TRUE(request) << row.query;
    EXPECT_EQ(request->limit, row.limit) << row.query;
  }
  for (const char* query :
       {"limit=0", "limit=-1", "limit=", "limit", "limit=1.0", "limit=+5", "limit=ten", "limit=007", "limit=%zz"}) {
    EXPECT_EQ(code_of<ops::ListOrderHistory>(query), "invalid_parameter") << query;
  }
}

TEST(DecodeQuery, FormRulesApply) {
  const auto request = decode<ops::ListOrderHistory>("cursor=a+b%2Bc%3D%e2%82%ac");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->cursor, "a b+c=€");
  EXPECT_EQ(decode<ops::ListOrderHistory>("cursor=")->cursor, "");
}

TEST(DecodeQuery, ACursorThatCannotBeReadStandsForTheFirstPage) {
  for (const char* query : {"cursor=%ff", "cursor=%", "cursor=%zz", "cursor=b%2"})
    EXPECT_EQ(decode<ops::ListOrderHistory>(query)->cursor, "") << query;
}

TEST(DecodeQuery, MalformedMarketAndWindowHaveTheirOwnCodes) {
  EXPECT_EQ(code_of<ops::CancelAllOrders>("market_id="), "INVALID_MARKET_ID");
  EXPECT_EQ(code_of<ops::CancelAllOrders>("market_id=btc"), "INVALID_MARKET_ID");
  EXPECT_EQ(code_of<ops::CancelAllOrders>("market_id=BTC-USDX-PERP"), "accepted");
  EXPECT_EQ(code_of<ops::CancelAllOrders>(""), "accepted");
  EXPECT_EQ(code_of<ops::GetMarketStatus>("", "", {{"market_id", "nope"}}), "INVALID_MARKET_ID");
  EXPECT_EQ(code_of<ops::GetPortfolioHistory>("window=year"), "invalid_window");
  EXPECT_EQ(code_of<ops::GetPortfolioHistory>("window=week"), "accepted");
}

TEST(DecodePath, ParametersAreTyped) {
  EXPECT_EQ(code_of<ops::RevokeAgent>("", "", {{"address", "0x12"}}), "invalid_parameter");
  const auto request = decode<ops::RevokeAgent>("", "", {{"address", "0xABCDEFabcdef0123456789012345678901234567"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(to_string(request->address), "0xabcdefabcdef0123456789012345678901234567");
}

TEST(DecodeBody, MayBeAbsentWhereEveryFieldMay) {
  for (const char* body : {"", " \n", "{}"}) {
    EXPECT_EQ(code_of<ops::CreateKey>("", body), "accepted") << body;
    EXPECT_EQ(code_of<ops::ClaimFaucet>("", body), "accepted") << body;
    EXPECT_EQ(code_of<ops::ClaimCredit>("", body), "accepted") << body;
    EXPECT_EQ(code_of<ops::AmendOrder>("", body, {{"order_id", "x"}}), "accepted") << body;
    EXPECT_EQ(code_of<ops::Login>("", body), "invalid_json") << body;
  }
  EXPECT_EQ(code_of<ops::PlaceOrders>("", ""), "invalid_json");
  EXPECT_EQ(code_of<ops::ClaimFaucet>("", R"({"amount":"1"})"), "invalid_json");
}

TEST(DecodeBody, IsIgnoredWhereTheMethodHasNone) {
  EXPECT_EQ(code_of<ops::ListOrders>("", "garbage"), "accepted");
  EXPECT_EQ(code_of<ops::CancelAllOrders>("", "garbage"), "accepted");
}

TEST(DecodeBody, CodesOfBadValuesAreThoseOfTheField) {
  const std::string agent = R"({"wallet":"W","agent":"A","nonce":1,"signature":"0x"})";
  const auto with = [&](std::string wallet, std::string agent_text) {
    std::string json = agent;
    json.replace(json.find("\"W\""), 3, wallet);
    json.replace(json.find("\"A\""), 3, agent_text);
    return json;
  };
  const std::string good = "\"0x1111111111111111111111111111111111111111\"";
  EXPECT_EQ(code_of<ops::RegisterAgent>("", with("\"0x1\"", good)), "bad_wallet");
  EXPECT_EQ(code_of<ops::RegisterAgent>("", with(good, "\"0x1\"")), "bad_agent");
  EXPECT_EQ(code_of<ops::RegisterAgent>("", with(good, "7")), "invalid_json");
  EXPECT_EQ(code_of<ops::RegisterAgent>("", with(good, good)), "accepted");
  EXPECT_EQ(code_of<ops::SubmitDeposit>("", R"({"amount":"much"})"), "InvalidAmount");
  EXPECT_EQ(code_of<ops::SubmitDeposit>("", R"({"amount":5})"), "invalid_json");
}

TEST(DecodeBody, MarginModeAnswers422ToJsonThatIsNotTheRecord) {
  const auto status = [](std::string_view body) {
    const auto request = decode<ops::SetMarginMode>("", body);
    return request ? 200 : status_of(request.error(), ops::SetMarginMode::op);
  };
  EXPECT_EQ(status(R"({"market_id":"A","margin_mode":"isolated"})"), 200);
  EXPECT_EQ(status(R"({"market_id":"A","margin_mode":"both"})"), 422);
  EXPECT_EQ(status(R"({"market_id":"A","margin_mode":"cross","x":1})"), 422);
  EXPECT_EQ(status(R"({"market_id":"A"})"), 422);
  EXPECT_EQ(status(R"({"market_id":"A","margin_mode":)"), 400);
  EXPECT_EQ(status(R"({"market_id":"A","margin_mode":"cross","x":1)"), 400) << "not JSON beats unknown field";
  EXPECT_EQ(status(""), 400);
}

TEST(DecodeHeader, AFieldMayTravelInAHeader) {
  const Headers headers{{"idempotency-key", "k1"}};
  const auto request = decode_request<ops::CreateBridgeWithdrawal>(
      {.path_parameters = {}, .query = {}, .headers = &headers, .body = R"({"amount":"5"})"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->idempotency_key, "k1");
  EXPECT_EQ(code_of<ops::CreateBridgeWithdrawal>("", R"({"amount":"5"})"), "invalid_parameter");
}

TEST(EncodeRequest, PutsEachFieldInItsPlace) {
  const HttpRequest amend = encode_request<ops::AmendOrder>(
      {.order_id = "a/b", .market_id = MarketId{"BTC-USDX-PERP"}, .price = DecimalText("1.50"), .size = {}});
  EXPECT_EQ(amend.method, "PATCH");
  EXPECT_EQ(amend.target, "/orders/a%2Fb?market_id=BTC-USDX-PERP");
  EXPECT_EQ(amend.body, R"({"price":"1.50"})");
  EXPECT_EQ(amend.headers.find("content-type"), "application/json");

  const HttpRequest history = encode_request<ops::ListOrderHistory>({.limit = 100, .cursor = "a b+"});
  EXPECT_EQ(history.target, "/orders/history?cursor=a+b%2B") << "defaults are not sent";
  EXPECT_TRUE(history.body.empty());
  EXPECT_FALSE(history.headers.contains("content-type"));

  const HttpRequest bridge =
      encode_request<ops::CreateBridgeWithdrawal>({.idempotency_key = "k", .amount = DecimalText("7")});
  EXPECT_EQ(bridge.headers.find("Idempotency-Key"), "k");
  EXPECT_EQ(bridge.body, R"({"amount":"7"})");

  const HttpRequest faucet = encode_request<ops::ClaimFaucet>({});
  EXPECT_EQ(faucet.target, "/faucet");
  EXPECT_TRUE(faucet.body.empty());
}

TEST(EncodeRequest, TheServerReadsWhatTheClientMeant) {
  const CandlesRequest sent{.market_id = {"BTC-USDX-PERP"},
                            .timeframe = Timeframe::minute_5,
                            .limit = 7,
                            .start_time = 1'700'000'000'000,
                            .end_time = {}};
  const HttpRequest message = encode_request<ops::ListCandles>(sent);
  EXPECT_EQ(message.path(), "/markets/BTC-USDX-PERP/candles");
  const auto read = decode<ops::ListCandles>(message.query(), message.body, {{"market_id", "BTC-USDX-PERP"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->timeframe, sent.timeframe);
  EXPECT_EQ(read->limit, sent.limit);
  EXPECT_EQ(read->start_time, sent.start_time);
  EXPECT_FALSE(read->end_time);
}

TEST(Response, TheNextCursorTravelsInItsHeader) {
  const Page<Fill> page{.rows = {Fill{.id = "f"}}, .next_cursor = "c1"};
  HttpResponse response;
  encode_response(response, page);
  EXPECT_EQ(response.headers.find("x-next-cursor"), "c1");
  EXPECT_EQ(response.body.front(), '[');

  const auto read = decode_response<Page<Fill>>(response);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows.at(0).id, "f");
  EXPECT_EQ(read->next_cursor, "c1");

  HttpResponse last;
  encode_response(last, Page<Fill>{});
  EXPECT_FALSE(last.headers.contains("x-next-cursor"));
  EXPECT_EQ(last.body, "[]");
}

TEST(Response, HeadersOfTheRecordAreChecked) {
  HttpResponse response;
  encode_response(response, FundingPage{.rows = {}, .oldest_ms = 5, .truncated = true});
  EXPECT_EQ(response.headers.find("x-svc-funding-oldest-ms"), "5");
  EXPECT_EQ(response.headers.find("x-svc-funding-truncated"), "true");
  EXPECT_EQ(decode_response<FundingPage>(response)->oldest_ms, 5);
  response.headers.set("x-svc-funding-truncated", "maybe");
  EXPECT_FALSE(decode_response<FundingPage>(response));
}

TEST(FormEncoding, EscapesRoundTrip) {
  std::string text;
  for (int c = 1; c < 0x7f; ++c) text += static_cast<char>(c);
  text += "é€😀";
  for (const Plus plus : {Plus::is_itself, Plus::is_blank}) {
    EXPECT_EQ(percent_decode(percent_encode(text, plus), plus), text);
  }
  EXPECT_EQ(percent_encode("a b+/=", Plus::is_blank), "a+b%2B%2F%3D");
  EXPECT_EQ(percent_encode("a b", Plus::is_itself), "a%20b");
  for (const char* broken : {"%", "%1", "%zz", "%c3", "%80"})
    EXPECT_FALSE(percent_decode(broken, Plus::is_blank)) << broken;
}

}  // namespace SVC_FILE
}  // namespace svc::api
