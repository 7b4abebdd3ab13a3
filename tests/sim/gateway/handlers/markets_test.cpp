#include <gtest/gtest.h>

#include <cmath>

#include "base/limits.h"
#include "sim/sandbox_exchange.h"
#include "sim/sandbox_options.h"

namespace svc::sim {
namespace SVC_FILE {

struct Markets : testing::Test {
  TestExchange exchange;
};

TEST_F(Markets, ListsTheThreeOfTheSandbox) {
  const Json markets = exchange.get("/markets").body;
  ASSERT_EQ(markets.size(), 3u);
  EXPECT_EQ(markets[0], Json::parse(R"({"market_id":"BTC-USDX-PERP","base_asset":"BTC","quote_asset":"USDX",
    "tick_size":"0.5","lot_size":"0.001","min_order_size":"0.001","max_order_size":"100",
    "initial_margin_rate":"0.025","maintenance_margin_rate":"0.0125","max_leverage":40,"funding_rate_cap":"0.001"})"));
  EXPECT_EQ(markets[1]["market_id"], "ETH-USDX-PERP");
  EXPECT_EQ(markets[2]["market_id"], "SOL-USDX-PERP");
}

TEST_F(Markets, ADelistedOneIsNotListedButKeepsItsHistory) {
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "1", "3000", "ETH-USDX-PERP");
  (void)bob.limit("Buy", "1", "3000", "ETH-USDX-PERP");
  exchange.control("/markets/ETH-USDX-PERP/halt", {{"reason", "over"}});
  EXPECT_EQ(exchange.get("/markets").body.size(), 3u) << "a halt is none";
  ASSERT_EQ(exchange.control("/markets/ETH-USDX-PERP/settle", {{"price", "3000"}}).status, 200);
  const auto lists_it = [](const Json& rows) { return rows.dump().find("ETH-USDX-PERP") != std::string::npos; };
  for (const char* list : {"/markets", "/markets/summary", "/tickers", "/stats/open-interest"}) {
    const Json rows = exchange.get(list).body;
    EXPECT_EQ(rows.size(), 2u) << list;
    EXPECT_FALSE(lists_it(rows)) << list;
  }
  EXPECT_FALSE(lists_it(bob.get("/account/state").body));
  EXPECT_FALSE(lists_it(bob.get("/account/fees").body));
  EXPECT_EQ(exchange.get("/markets/ETH-USDX-PERP/status").status, 404) << "it names no listed market";
  EXPECT_EQ(exchange.get("/markets/ETH-USDX-PERP/trades").body.size(), 1u);
  EXPECT_EQ(bob.get("/fills?market_id=ETH-USDX-PERP").body.size(), 1u);
  EXPECT_TRUE(lists_it(exchange.get("/stats/volume").body)) << "what was traded was traded";
}

TEST_F(Markets, EachStartsWithItsPrice) {
  for (const auto& [market, price] :
       {std::pair{"BTC-USDX-PERP", "60000"}, {"ETH-USDX-PERP", "3000"}, {"SOL-USDX-PERP", "150"}})
    EXPECT_EQ(exchange.get(std::string("/markets/") + market + "/mark-price").body,
              (Json{{"market_id", market}, {"mark_price", price}}));
}

TEST_F(Markets, NeverGoStaleWithoutAFlow) {
  const Trader trader(exchange, 0);
  exchange.control("/time", {{"advance_ms", hour_ms}});
  EXPECT_EQ(trader.limit("Buy", "0.1", "59000")["status"], "Open");
}

TEST_F(Markets, AMalformedNameIs400AndAnUnknownOne404) {
  for (const char* what : {"ticker", "orderbook", "trades", "mark-price", "status", "risk-params"}) {
    EXPECT_EQ(exchange.get(std::string("/markets/btc/") + what).code(), "INVALID_MARKET_ID") << what;
    const Reply unknown = exchange.get(std::string("/markets/DOGE-USDX-PERP/") + what);
    EXPECT_EQ(unknown.status, 404) << what;
    EXPECT_EQ(unknown.code(), "UnknownMarket") << what;
  }
}

TEST(MarketStatus, OfAnActiveMarketHasNullsForMissingValues) {
  TestExchange exchange;
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/status").body,
            Json::parse(R"({"market_id":"BTC-USDX-PERP","status":"active","halt_reason":null,"halted_at":null,
                            "adl_event_count":0})"));
}

TEST(RiskParams, AreThoseOfTheFirstTier) {
  TestExchange exchange;
  EXPECT_EQ(exchange.get("/markets/SOL-USDX-PERP/risk-params").body,
            Json::parse(R"({"market_id":"SOL-USDX-PERP","max_leverage":20,"initial_margin_rate":"0.05",
                            "maintenance_margin_rate":"0.025"})"));
}

TEST(RiskParams, ARateThatIsNoDecimalAllowsTheHighestLeverageStill) {
  for (const int leverage : {3, 7, 60}) {
    auto file =
        parse_markets_file(R"([{"id":"P-USDX-PERP","price":"100","tick_size":"0.1","lot_size":"0.01","max_leverage":)" +
                           std::to_string(leverage) + "}]");
    ASSERT_TRUE(file) << file.error();
    SandboxOptions options = test_options();
    options.markets = file->markets;
    options.start_prices = file->prices;
    TestExchange exchange(options);
    const Json params = exchange.get("/markets/P-USDX-PERP/risk-params").body;
    const auto number = [&](const char* name) { return std::stod(params[name].get<std::string>()); };
    EXPECT_EQ(std::floor(1 / number("initial_margin_rate")), leverage) << params;
    EXPECT_LE(2 * number("maintenance_margin_rate"), number("initial_margin_rate")) << params;
  }
}

class TradedMarket : public ::testing::Test {
 protected:
  TradedMarket() : alice_(exchange_, 0), bob_(exchange_, 1) {
    (void)alice_.limit("Sell", "0.1", "60000");
    (void)bob_.limit("Buy", "0.1", "60000");
    exchange_.control("/time", {{"advance_ms", 2 * minute_ms}});
    (void)alice_.limit("Sell", "0.2", "60300");
    (void)bob_.limit("Buy", "0.15", "60300");
    (void)bob_.limit("Buy", "0.3", "59990.5");
    (void)alice_.limit("Buy", "0.1", "59990.5");
  }

  TestExchange exchange_;
  Trader alice_;
  Trader bob_;
};

TEST_F(TradedMarket, TickerSumsTheDay) {
  EXPECT_EQ(exchange_.get("/markets/BTC-USDX-PERP/ticker").body,
            Json::parse(R"({"symbol":"BTC-USDX-PERP","timestamp":1700000120000,"datetime":"2023-11-14T22:15:20.000Z",
              "high":60300,"low":60000,"bid":59990.5,"bidVolume":0.4,"ask":60300,"askVolume":0.05,
              "open":60000,"close":60300,"last":60300,"change":300,"percentage":0.5,
              "baseVolume":0.25,"quoteVolume":15045,"markPrice":60000,"indexPrice":60000,"info":{}})"));
  exchange_.control("/time", {{"advance_ms", day_ms}});
  const Json later = exchange_.get("/markets/BTC-USDX-PERP/ticker").body;
  EXPECT_EQ(later["last"], 60300);
  EXPECT_EQ(later["open"], nullptr);
  EXPECT_EQ(later["baseVolume"], 0);
}

TEST_F(TradedMarket, TickersIsAnObjectByMarket) {
  const Json tickers = exchange_.get("/api/v1/tickers").body;
  ASSERT_TRUE(tickers.is_object());
  EXPECT_EQ(tickers.size(), 3u);
  EXPECT_EQ(tickers["BTC-USDX-PERP"], exchange_.get("/markets/BTC-USDX-PERP/ticker").body);
  EXPECT_EQ(tickers["ETH-USDX-PERP"]["last"], nullptr);
  EXPECT_EQ(tickers["ETH-USDX-PERP"]["markPrice"], 3000);
}

TEST_F(TradedMarket, OrderBookListsLevelsBestFirst) {
  (void)alice_.limit("Sell", "0.1", "60400");
  const Json book = exchange_.get("/markets/BTC-USDX-PERP/orderbook").body;
  EXPECT_EQ(book["bids"].dump(), "[[59990.5,0.4]]");
  EXPECT_EQ(book["asks"].dump(), "[[60300,0.05],[60400,0.1]]");
  const auto nonce = book["nonce"].get<std::uint64_t>();
  (void)alice_.del("/orders?market_id=BTC-USDX-PERP");
  const Json after = exchange_.get("/markets/BTC-USDX-PERP/orderbook").body;
  EXPECT_EQ(after["asks"], Json::array());
  EXPECT_GT(after["nonce"].get<std::uint64_t>(), nonce);
}

TEST_F(TradedMarket, TradesPageNewestFirst) {
  const Reply first = exchange_.get("/markets/BTC-USDX-PERP/trades?limit=1");
  ASSERT_EQ(first.body.size(), 1u);
  EXPECT_EQ(first.body[0]["price"], 60300);
  EXPECT_EQ(first.body[0]["side"], "buy");
  EXPECT_EQ(first.body[0]["is_liquidation"], false);
  const Reply second = exchange_.get("/markets/BTC-USDX-PERP/trades?limit=1&cursor=" +
                                     std::string(*first.headers.find("X-Next-Cursor")));
  EXPECT_EQ(second.body[0]["price"], 60000);
  EXPECT_EQ(second.body[0]["timestamp"], test_start_ms);
  EXPECT_FALSE(second.headers.find("X-Next-Cursor").has_value());
}

TEST_F(TradedMarket, SummariesAndVenueTotalsAddUp) {
  const Json summary = exchange_.get("/markets/summary").body[0];
  EXPECT_EQ(summary["last_trade_price"], 60300);
  EXPECT_EQ(summary["volume_24h"], 15045);
  EXPECT_EQ(summary["trade_count"], 2);
  EXPECT_EQ(summary["engine_mark_price"], "60000");

  const Json volume = exchange_.get("/stats/volume").body;
  EXPECT_EQ(volume["total_volume"], "15045");
  EXPECT_EQ(volume["coverage_start_ms"], test_start_ms);
  EXPECT_EQ(volume["markets"][1], (Json{{"market_id", "ETH-USDX-PERP"}, {"volume", "0"}}));

  const Json interest = exchange_.get("/stats/open-interest").body[0];
  EXPECT_EQ(interest["long_oi_base"], "0.25");
  EXPECT_EQ(interest["short_oi_quote"], "15000");
  EXPECT_EQ(interest["gross_oi_two_sided_quote"], "30000");
}

// Despite its name, the deployed service never resets it: the ticker has the day's volume.
TEST_F(TradedMarket, TheVolumeOfASummaryIsCumulative) {
  exchange_.control("/time", {{"advance_ms", 25 * hour_ms}});
  EXPECT_EQ(exchange_.get("/markets/summary").body[0]["volume_24h"], 15045);
  EXPECT_EQ(exchange_.get("/markets/BTC-USDX-PERP/ticker").body["quoteVolume"], 0);
}

TEST(OrderBook, ShowsTheBestLevelsUpToItsBound) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const auto place = [&](std::size_t first, std::size_t count) {
    Json orders = Json::array();
    for (std::size_t i = first; i < first + count; ++i)
      orders.push_back(limit_order("Buy", "0.001", std::to_string(59'000 - i)));
    ASSERT_EQ(trader.post("/orders/batch", orders).status, 201);
  };
  const auto levels = [&] { return exchange.get("/markets/BTC-USDX-PERP/orderbook").body["bids"].size(); };
  place(0, limits::book_levels_max);
  EXPECT_EQ(levels(), limits::book_levels_max);
  place(limits::book_levels_max, 1);
  EXPECT_EQ(levels(), limits::book_levels_max);
}

TEST(Status, IsTheWorstOfItsParts) {
  TestExchange exchange;
  const Json status = exchange.get("/status").body;
  EXPECT_EQ(status["status"], "ok");
  EXPECT_EQ(status["services"]["engine"], "ok");
  EXPECT_EQ(status["timestamp_ms"], test_start_ms);
}

TEST(Metadata, NamesTheNetworkItsTargetsAndItsSigningDomain) {
  SandboxOptions options = test_options();
  options.network = api::NetworkId::testnet;
  options.domain_name = "Some Venue";
  options.deployment = "prd-testnet";
  TestExchange exchange(std::move(options));
  const Json document = exchange.send("GET", "/metadata", "", {{"Host", "localhost:9191"}}).body;
  EXPECT_EQ(document["network"], "testnet");
  EXPECT_EQ(document["deployment"], "prd-testnet");
  EXPECT_EQ(document["current_api_version"], "0.9.0");
  EXPECT_EQ(document["min_api_version"], "0.8.0");
  EXPECT_EQ(document["signing_domain"]["name"], "Some Venue");
  EXPECT_EQ(document["signing_domain"]["chain_id"], 20056);
  EXPECT_EQ(document["networks"].size(), 2u);  // itself, and the default address of local
  EXPECT_EQ(document["networks"]["testnet"]["rest_base"], "http://localhost:9191/v1");
  EXPECT_EQ(document["networks"]["testnet"]["faucet"], true);
  EXPECT_EQ(document["ws_url"], "ws://localhost:9191/v1");
  EXPECT_EQ(exchange.get("/v1/metadata").status, 200);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
