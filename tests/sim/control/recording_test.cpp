// A recorded session is a scenario that passes unchanged and shows what the exchange did.
#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"
#include "sim/scenario/scenario_file.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr const char* btc = "BTC-USDX-PERP";
constexpr const char* eth = "ETH-USDX-PERP";

// The text of the session; it must pass and match the exchange.
std::string told(TestExchange& exchange) {
  const Reply reply = exchange.post("/_svc/recording/stop", Json::object());
  EXPECT_EQ(reply.status, 200) << reply.body;
  if (reply.status != 200) return {};
  EXPECT_EQ(reply.body["differences"], Json::array()) << reply.body["scenario"].get<std::string>();
  const std::string text = reply.body["scenario"];
  const auto report = scenario::run_scenarios(text);
  EXPECT_TRUE(report.has_value()) << text;
  if (!report) return text;
  EXPECT_EQ(report->count(scenario::Verdict::passed), 1u) << text;
  for (const auto& result : report->results)
    for (const std::string& difference : result.differences) ADD_FAILURE() << difference << "\n" << text;
  return text;
}

bool says(const std::string& text, std::string_view line) {
  return text.find(line) != std::string::npos;
}

class Recording : public ::testing::Test {
 protected:
  void start() {
    const Reply reply = exchange.post("/_svc/recording/start", Json::object());
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.body["recording"], true);
  }
  static Json order(const char* side, const char* type, const char* quantity, Json more = Json::object()) {
    Json body{{"market_id", btc}, {"side", side}, {"order_type", type}, {"quantity", quantity}};
    body["time_in_force"] = std::string_view(type).ends_with("Limit") ? "GTC" : "IOC";
    body.update(more);
    return body;
  }

  TestExchange exchange;
  Trader first{exchange, 0};
  Trader second{exchange, 1};
  Trader third{exchange, 2};
};

TEST_F(Recording, ContainsOrdersOfEveryKindAndTheirRefusals) {
  first.post("/leverage", {{"market_id", btc}, {"leverage", 20}});
  start();
  first.limit("Buy", "0.5", "59990");
  const std::string id = first.limit("Buy", "1", "59980")["id"];
  second.post("/orders", order("Sell", "Market", "0.7", {{"max_slippage_bps", 100}}));
  first.patch("/orders/" + id, {{"price", "59970"}, {"size", "0.9"}});
  second.post("/orders", order("Sell", "StopLimit", "0.1", {{"price", "58000"}, {"trigger_price", "58500"}}));
  second.post("/orders", order("Sell", "TrailingStop", "0.1", {{"trailing_offset_bps", 50}, {"reduce_only", true}}));
  third.post("/orders", order("Buy", "Limit", "0.1", {{"price", "60000.3"}}));
  third.post("/orders", order("Buy", "Limit", "90", {{"price", "60000"}}));
  third.post("/orders/batch", {{"orders", Json::array({order("Buy", "Limit", "0.2", {{"price", "59000"}}),
                                                       order("Buy", "Limit", "0.2", {{"price", "90000"}})})}});
  third.post("/orders", order("Buy", "Limit", "0.3", {{"price", "59100"}, {"client_id", "mine"}}));
  third.post("/orders", order("Buy", "Limit", "0.3", {{"price", "59100"}, {"client_id", "mine"}}));
  third.post("/orders", order("Buy", "Limit", "0.4", {{"price", "59100"}, {"client_id", "mine"}}));
  exchange.control("/prices", {{btc, "58400"}, {eth, "2900"}});
  third.del("/orders");
  const std::string text = told(exchange);
  EXPECT_TRUE(says(text, " leverage ") || says(text, "\nleverage ")) << text;
  EXPECT_TRUE(says(text, "-> ClientIdTaken")) << text;
  EXPECT_TRUE(says(text, "'s order was refused: InvalidTickSize")) << text;
  EXPECT_TRUE(says(text, "-> InsufficientMargin")) << text;
  EXPECT_TRUE(says(text, "cancel-all ")) << text;
  EXPECT_FALSE(says(text, "\nwait ")) << text;
}

TEST_F(Recording, ContainsAMarketThatOnlyACancelNames) {
  start();
  EXPECT_EQ(first.del("/orders?market_id=" + std::string(btc)).status, 200);
  first.post("/orders", order("Buy", "Limit", "1", {{"market_id", eth}, {"price", "2900"}}));
  const std::string text = told(exchange);
  EXPECT_TRUE(says(text, "cancel-all ") && says(text, "market BTC-USDX-PERP")) << text;
}

TEST_F(Recording, ContainsLiquidationFundingAndOperatorActions) {
  start();
  second.limit("Sell", "30", "60000");
  first.limit("Buy", "16", "60000");
  third.limit("Buy", "40", "57000");
  exchange.control("/time", {{"advance_ms", 3'700'000}});
  exchange.control("/prices", {{btc, "57000"}});
  exchange.control("/time", {{"advance_ms", 31'000}});
  exchange.control("/fund", {{"account", first.account()}, {"amount", "5"}});
  exchange.control("/insurance", {{"amount", "7"}});
  exchange.control(std::string("/markets/") + eth + "/halt", {{"reason", "a look at it"}});
  exchange.control(std::string("/markets/") + eth + "/settle", {{"price", "3000"}});
  const std::string text = told(exchange);
  EXPECT_TRUE(says(text, "\nwait ")) << text;
  EXPECT_TRUE(says(text, "\nfunding ")) << text;
  EXPECT_TRUE(says(text, "settle " + std::string(eth) + " at 3000")) << text;
}

TEST_F(Recording, ContainsADeleveragingThatLeavesConditionals) {
  start();
  second.limit("Sell", "20", "60000");
  first.limit("Buy", "20", "60000");
  third.limit("Buy", "0.5", "59000");
  third.limit("Sell", "0.5", "65000");
  third.post("/orders", order("Sell", "StopMarket", "0.5", {{"trigger_price", "20000"}}));
  exchange.control("/accounts/" + first.account() + "/deleverage", Json::object());
  EXPECT_EQ(third.get("/orders").body.size(), 2u) << "its bid has left the book";
  EXPECT_TRUE(says(told(exchange), "adl "));
}

TEST_F(Recording, ContainsClientIdsOfAnyText) {
  start();
  for (const char* id : {"a b", "-", "->", "x -> y", "x #1", "#x", "\"x\"", "\"", "a\tb", "a\\b", "\u00e4", "IOC"})
    for (int i = 0; i < 2; ++i)
      first.post("/orders", order("Buy", "Limit", "0.1", {{"price", "59000"}, {"client_id", id}}));
  // The second is another order.
  first.post("/orders", order("Buy", "Limit", "0.1", {{"price", "59100"}, {"client_id", "x #1"}}));
  const std::string text = told(exchange);
  EXPECT_TRUE(says(text, R"( id "x #1" -> ClientIdTaken)")) << text;
  EXPECT_TRUE(says(text, R"( id "a\tb" as )")) << text;
  EXPECT_TRUE(says(text, " id IOC as ")) << text;
}

TEST_F(Recording, RefusesPricesAboveTheMarketsHighestAsTheSandboxDid) {
  start();
  EXPECT_EQ(first.post("/orders", order("Buy", "Limit", "0.1", {{"price", "10000000.5"}})).status, 400);
  EXPECT_EQ(first.post("/orders", order("Buy", "StopMarket", "0.1", {{"trigger_price", "10000001"}})).status, 400);
  const std::string text = told(exchange);
  EXPECT_TRUE(says(text, " max_price 10000000\n")) << text;
  EXPECT_TRUE(says(text, "-> InvalidPrice")) << text;
  EXPECT_TRUE(says(text, "-> InvalidTriggerPrice")) << text;
}

TEST(RecordingOfLimits, ContainsTheOpenOrdersThatAnAccountMayHave) {
  SandboxOptions options = test_options();
  options.open_orders = 3;
  TestExchange exchange(options);
  const Trader trader(exchange, 0);
  exchange.control("/recording/start", Json::object());
  for (int i = 0; i < 5; ++i) trader.post("/orders", limit_order("Buy", "0.01", "59000"));
  const std::string text = told(exchange);
  EXPECT_TRUE(says(text, "\nopen-orders 3\n")) << text;
  EXPECT_TRUE(says(text, "-> TooManyOpenOrders")) << text;
}

TEST_F(Recording, NeedsEmptyBooksAndEndsWhenTheStateIsReplaced) {
  first.limit("Buy", "0.5", "59990");
  EXPECT_EQ(exchange.post("/_svc/recording/start", Json::object()).status, 422);
  first.del("/orders");
  exchange.control("/snapshots", {{"name", "here"}});
  start();
  EXPECT_EQ(exchange.post("/_svc/recording/start", Json::object()).status, 422);
  first.limit("Buy", "0.5", "59980");
  exchange.control("/snapshots/here/revert", Json::object());
  EXPECT_EQ(exchange.get("/_svc/recording").body["spoiled"], "the sandbox became another state in between");
  const Reply stopped = exchange.post("/_svc/recording/stop", Json::object());
  EXPECT_EQ(stopped.body["differences"], Json::array({"the sandbox became another state in between"}));
  EXPECT_TRUE(says(stopped.body["scenario"], "buys 0.5 @ 59980")) << "the steps until then are not lost";
  EXPECT_EQ(exchange.get("/_svc/recording").body["recording"], false);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
