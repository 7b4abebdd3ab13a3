// Staged events: trades, fills, liquidations, deleveragings; and the reset.
#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr const char* btc = "/_svc/markets/BTC-USDX-PERP";
constexpr const char* eth = "ETH-USDX-PERP";

class Staging : public ::testing::Test {
 protected:
  static std::string size_of(const Trader& trader) {
    const Json positions = trader.get("/positions").body;
    return positions.empty()
               ? "0"
               : positions.at(0)["side"].get<std::string>() + " " + positions.at(0)["size"].get<std::string>();
  }
  // Goes long 10 against a solvent counterparty.
  void open_position() {
    (void)first.limit("Buy", "10", "60000");
    (void)second.limit("Sell", "10", "60000");
  }
  // The same, with a second position in ETH, for which somebody bids.
  void open_two_positions() {
    open_position();
    (void)first.limit("Buy", "50", "3000", eth);
    (void)second.limit("Sell", "50", "3000", eth);
    (void)second.limit("Buy", "50", "2990", eth);
  }
  // Changes with every command.
  Json state() { return exchange.get("/_svc/status").body["state_hash"]; }
  ~Staging() override { EXPECT_EQ(exchange.violations(), Json::array()); }

  TestExchange exchange;
  Trader first{exchange, 0};
  Trader second{exchange, 1};
};

TEST_F(Staging, ATradeIsPrintedAtItsPriceAndNobodyElseIsTouched) {
  const Reply reply = exchange.post(std::string(btc) + "/trade", {{"quantity", "0.25"}, {"price", "60100"}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["event"], "trade");
  EXPECT_EQ(reply.body["affected"].size(), 2u);
  const Json trades = exchange.get("/markets/BTC-USDX-PERP/trades").body;
  EXPECT_EQ(trades.at(0)["price"].dump(), "60100");
  EXPECT_EQ(trades.at(0)["amount"].dump(), "0.25");
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/orderbook").body["asks"], Json::array());
  (void)first.limit("Buy", "1", "60200");
  const Reply crossing = exchange.post(std::string(btc) + "/trade", {{"quantity", "0.25"}, {"price", "60100"}});
  EXPECT_EQ(crossing.code(), "WouldTakeLiquidity") << "the book stands beyond that price";
  const Reply far = exchange.post(std::string(btc) + "/trade", {{"quantity", "0.25"}, {"price", "120000"}});
  EXPECT_EQ(far.code(), "PriceBandExceeded");
  const Json answers = exchange.get("/_svc/openapi.json").body["components"]["responses"];
  const std::string description = answers["stage_trade_400"].dump();
  for (const Reply& refused : {crossing, far}) EXPECT_NE(description.find(refused.code()), std::string::npos);
  EXPECT_EQ(exchange.post(std::string(btc) + "/trade", {{"quantity", "0.0001"}}).code(), "InvalidLotSize");
}

TEST_F(Staging, AnInvalidQuantityIsRefused) {
  for (const char* quantity : {"1000000000000", "99999999999999999999999999", "100000000"}) {
    const Reply reply = exchange.post(std::string(btc) + "/trade", {{"quantity", quantity}, {"price", "60000"}});
    EXPECT_EQ(reply.status, 400) << quantity;
    EXPECT_EQ(reply.code(), "InvalidQuantity") << quantity;
    EXPECT_NE(reply.body["message"].get<std::string>().find("more than an order of BTC-USDX-PERP can have"),
              std::string::npos)
        << reply.body;
  }
}

// Only the book with the maker's order on it tells that the taker's goes too far.
TEST(StagingAtTheCap, ARefusedTradeLeavesNoMoneyInTheHouse) {
  SandboxOptions options = test_options();
  options.markets = engine::standard_markets();
  options.markets[0].open_interest_cap = Usdx{30'000 * usdx_one};
  TestExchange exchange(options);
  const auto accounts_with_money = [&] {
    Json buckets = exchange.get("/stats/balance-distribution").body["buckets"];
    buckets.erase(0);
    return buckets;
  };
  const Json before = accounts_with_money();
  const Reply reply = exchange.post(std::string(btc) + "/trade", {{"quantity", "1"}});
  EXPECT_EQ(reply.code(), "OpenInterestCapExceeded") << reply.body;
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/orderbook").body["asks"], Json::array());
  EXPECT_EQ(accounts_with_money(), before);
}

TEST_F(Staging, AnOrderIsFilledAfterThoseBeforeIt) {
  (void)second.limit("Buy", "0.5", "59990");
  const std::string id = first.limit("Buy", "1", "59980")["id"];
  ASSERT_EQ(exchange.post("/_svc/orders/" + id + "/fill", {{"quantity", "0.4"}}).status, 200);
  EXPECT_EQ(size_of(first), "Long 0.4");
  EXPECT_EQ(size_of(second), "Long 0.5");
  EXPECT_EQ(exchange.post("/_svc/orders/" + id + "/fill", {{"quantity", "0.7"}}).status, 422);
  ASSERT_EQ(exchange.post("/_svc/orders/" + id + "/fill", Json::object()).status, 200);
  EXPECT_EQ(size_of(first), "Long 1");
  EXPECT_EQ(exchange.post("/_svc/orders/" + id + "/fill", Json::object()).status, 404);
}

// At 53000 the first bears a part of its bid or nothing, and its bid is dropped.
TEST_F(Staging, AnOrderIsFilledByNoMoreThanIsWantedIfAMakerAheadIsDropped) {
  for (const char* price : {"59990", "60000"}) {
    exchange.control("/prices", {{"BTC-USDX-PERP", "60000"}});
    const Trader broke(exchange, price == std::string("60000") ? 2 : 3);
    const Trader rich(exchange, price == std::string("60000") ? 4 : 5);
    exchange.control("/fund", {{"account", rich.account()}, {"amount", "1000000"}});
    (void)broke.limit("Buy", "15", "60000");
    const std::string id = rich.limit("Buy", "20", price)["id"];
    exchange.control("/prices", {{"BTC-USDX-PERP", "53000"}});
    const Reply reply = exchange.post("/_svc/orders/" + id + "/fill", {{"quantity", "0.2"}});
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(size_of(rich), "Long 0.2") << price;
    EXPECT_EQ(broke.get("/orders").body, Json::array()) << price;
    EXPECT_EQ(rich.del("/orders").status, 200);
  }
}

TEST_F(Staging, ARefusalChangesNothing) {
  (void)second.limit("Sell", "0.01", "60000");
  (void)first.limit("Buy", "0.01", "60000");
  (void)second.limit("Buy", "0.5", "59000");
  const Json before = state();
  const Reply refused = exchange.post("/_svc/accounts/" + first.account() + "/deleverage", Json::object());
  EXPECT_EQ(refused.status, 422) << "no price does that";
  for (const char* price : {"58000", "120000"})
    EXPECT_EQ(exchange.post(std::string(btc) + "/trade", {{"quantity", "1"}, {"price", price}}).status, 400) << price;
  EXPECT_EQ(state(), before);
}

// Rule 9.7
TEST_F(Staging, APriceOfAHaltedMarketIsIgnoredAndTheAnswerSaysSo) {
  exchange.control("/prices", {{"BTC-USDX-PERP", "60000"}});
  exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "a test"}});
  const Json prices{{"BTC-USDX-PERP", "61000"}, {"ETH-USDX-PERP", "3100"}};
  const Json expected{{"BTC-USDX-PERP", "60000"}, {"ETH-USDX-PERP", "3100"}};
  EXPECT_EQ(exchange.control("/prices", prices).body["prices"], expected);
}

TEST_F(Staging, InAHaltedMarketTheOtherLeversAreRefused) {
  open_position();
  const std::string id = second.limit("Buy", "20", "59000")["id"];
  exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "a test"}});
  const Json before = state();
  const std::string account = "/_svc/accounts/" + first.account();
  const std::pair<std::string, Json> levers[] = {
      {"/_svc/prices/BTC-USDX-PERP/walk", {{"to", "65000"}, {"over_ms", 5'000}}},
      {std::string(btc) + "/trade", {{"quantity", "1"}}},
      {"/_svc/orders/" + id + "/fill", Json::object()},
      {account + "/liquidate", Json::object()},
      {account + "/deleverage", Json::object()},
  };
  for (const auto& [path, body] : levers) {
    const Reply reply = exchange.post(path, body);
    EXPECT_EQ(reply.status, 400) << path;
    EXPECT_EQ(reply.code(), "MarketHalted") << path;
  }
  EXPECT_EQ(state(), before);
}

TEST_F(Staging, APositionIsLiquidatedByTheMarkAndTheBook) {
  open_position();
  (void)second.limit("Buy", "20", "59000");
  const Reply reply = exchange.post("/_svc/accounts/" + first.account() + "/liquidate", Json::object());
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["event"], "trade") << reply.body;
  EXPECT_EQ(reply.body["deleveraged"], Json::array()) << reply.body;
  EXPECT_NE(size_of(first), "Long 10");
  EXPECT_EQ(exchange.post("/_svc/accounts/" + second.account() + "/liquidate", {{"market_id", "ETH-USDX-PERP"}}).status,
            404);
}

TEST_F(Staging, APositionIsDeleveragedWhateverRestsInTheBook) {
  open_position();
  (void)second.limit("Buy", "20", "59000");
  const Reply reply = exchange.post("/_svc/accounts/" + first.account() + "/deleverage", Json::object());
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["event"], "adl") << reply.body;
  EXPECT_EQ(reply.body["deleveraged"], Json::array({first.account()})) << reply.body;
  EXPECT_EQ(size_of(first), "0");
  EXPECT_EQ(size_of(second), "0");
}

// The account's margin is one bucket: distress in one market ends positions in the other, where somebody bids.
TEST_F(Staging, ChangesInOtherMarketsAreTold) {
  open_two_positions();
  const std::string account = "/_svc/accounts/" + first.account();
  const Json market{{"market_id", "BTC-USDX-PERP"}};
  const Reply reply = exchange.post(account + "/liquidate", market);
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["event"], "trade") << reply.body;
  EXPECT_EQ(reply.body["affected"].size(), 2U) << reply.body;
  for (const Json& row : reply.body["affected"]) EXPECT_EQ(row["market_id"], eth) << reply.body;
}

TEST_F(Staging, AnAccountWithPositionsInTwoMarketsIsDeleveraged) {
  open_two_positions();
  const Reply reply =
      exchange.post("/_svc/accounts/" + first.account() + "/deleverage", {{"market_id", "BTC-USDX-PERP"}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body["event"], "adl") << reply.body;
}

TEST_F(Staging, AResetRestoresTheInitialStateAtThePresentTime) {
  TestExchange fresh;
  const Json beginning = fresh.get("/_svc/status").body["state_hash"];
  open_position();
  exchange.control("/prices", {{"BTC-USDX-PERP", "61000"}});
  exchange.control("/time", {{"advance_ms", 5'000}});
  const Json before = exchange.get("/_svc/time").body;
  EXPECT_NE(state(), beginning);
  ASSERT_EQ(exchange.post("/_svc/reset", {{"keep_prices", true}}).status, 200);
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/mark-price").body["mark_price"], "61000");
  ASSERT_EQ(exchange.post("/_svc/reset", Json::object()).status, 200);
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/mark-price").body["mark_price"], "60000");
  EXPECT_EQ(exchange.get("/_svc/time").body["now_ms"], before["now_ms"]);
  EXPECT_EQ(first.get("/positions").status, 401) << "its key is of before";
  EXPECT_EQ(exchange.get("/_svc/status").body["accounts"], fresh.get("/_svc/status").body["accounts"]);
  const Trader again(exchange, 0);
  EXPECT_EQ(again.get("/account").body["balance"], "100000");
}

TEST_F(Staging, TheClockReportsTheNextEvents) {
  const Json time = exchange.get("/_svc/time").body;
  const std::int64_t now_ms = time["now_ms"];
  EXPECT_EQ(time["next_funding_ms"], now_ms - now_ms % hour_ms + hour_ms);
  EXPECT_EQ(time["next_expiry_ms"], now_ms + day_ms) << "a session lives for a day";
}

}  // namespace SVC_FILE
}  // namespace svc::sim
