// Simulated market activity: reproducible, visible to everybody, and it stops on request.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "sim/actors/flow_market.h"
#include "sim/temporary_folder.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr const char* btc = "BTC-USDX-PERP";

TEST(Flow, BotsQuoteATightBookAroundTheIndexAndTrade) {
  FlowMarket market;
  market.pass(2 * minute_ms);
  for (const char* id : {btc, "ETH-USDX-PERP", "SOL-USDX-PERP"}) {
    const Json book = market.book(id);
    ASSERT_GE(book["bids"].size(), 12u) << id;
    ASSERT_GE(book["asks"].size(), 12u) << id;
    const double bid = book["bids"][0][0];
    const double ask = book["asks"][0][0];
    EXPECT_LT(bid, ask) << id;
    EXPECT_LT((ask - bid) / bid, 0.0015) << id;
    EXPECT_LT(std::abs(market.mark(id) - (bid + ask) / 2) / bid, 0.0015) << id;
    EXPECT_GE(market.trades(id), 30u) << id;
  }
  EXPECT_EQ(market.exchange.violations(), Json::array());
}

TEST(Flow, TheSameSeedGivesTheSameBytesHoweverTimePasses) {
  FlowMarket jumps;
  FlowMarket walks;
  SandboxOptions other_seed = lively_options();
  other_seed.seed = 2;
  FlowMarket another(other_seed);
  jumps.pass(90 * second_ms);
  another.pass(90 * second_ms);
  for (int i = 0; i < 90; ++i) {
    walks.pass(371);
    walks.pass(629);
  }
  EXPECT_EQ(jumps.hash(), walks.hash());
  EXPECT_NE(jumps.hash(), another.hash());
  EXPECT_EQ(jumps.get("/markets/BTC-USDX-PERP/trades?limit=1000"),
            walks.get("/markets/BTC-USDX-PERP/trades?limit=1000"));
}

TEST(Flow, ATraderTradesWithBotsOnASeparateBudget) {
  SandboxOptions options = lively_options();
  options.limits = {.multiplier = 1};
  FlowMarket market(options);
  const Trader alice(market.exchange, 0);
  market.pass(10 * second_ms);
  const Reply bought = alice.post(
      "/orders",
      {{"market_id", btc}, {"side", "Buy"}, {"order_type", "Market"}, {"time_in_force", "IOC"}, {"quantity", "0.05"}});
  ASSERT_EQ(bought.status, 201) << bought.body;
  EXPECT_EQ(bought.body["order"]["status"], "Filled");
  // Pro has 20 order tokens a second, and the bots' orders of ten seconds took none of them.
  EXPECT_EQ(bought.headers.find("X-RateLimit-Remaining"), "19");
}

TEST(Flow, ARestartContinuesUnchangedAndFundsNobodyAgain) {
  const TemporaryFolder folder;
  SandboxOptions options = lively_options();
  options.state_folder = folder.path / "state";
  std::optional<FlowMarket> kept(std::in_place, options);
  FlowMarket whole;
  kept->pass(45 * second_ms);
  kept.reset();
  kept.emplace(options);
  kept->pass(45 * second_ms);
  whole.pass(90 * second_ms);
  EXPECT_EQ(kept->hash(), whole.hash());
  EXPECT_EQ(kept->get("/_svc/flow"), whole.get("/_svc/flow"));
}

TEST(Flow, AfterARevertTheSameHappensAgain) {
  FlowMarket market;
  market.pass(30 * second_ms);
  market.exchange.control("/snapshots", {{"name", "here"}});
  market.pass(30 * second_ms);
  const std::string first = market.hash();
  ASSERT_EQ(market.exchange.control("/snapshots/here/revert", Json::object()).status, 200);
  market.pass(30 * second_ms);
  EXPECT_EQ(market.hash(), first);
}

// Prices are stale after ten seconds.
TEST(Flow, PricesAreFreshAtOnceAfterARevertAndARestart) {
  const TemporaryFolder folder;
  SandboxOptions options = lively_options();
  options.clock = {};
  options.state_folder = folder.path / "state";
  std::optional<FlowMarket> market(std::in_place, options);
  const auto pass = [&](std::int64_t ms) {
    market->exchange.machine.advance(ms);
    market->exchange.sandbox.pass_time();
  };
  pass(5'300);
  market->exchange.control("/snapshots", {{"name", "here"}});
  pass(20'000);
  ASSERT_EQ(market->exchange.control("/snapshots/here/revert", Json::object()).status, 200);
  EXPECT_EQ(Trader(market->exchange, 0).post("/orders", limit_order("Buy", "0.01", "50000")).status, 201);

  market.reset();
  market.emplace(options, test_start_ms + 60'400);
  EXPECT_EQ(Trader(market->exchange, 0).post("/orders", limit_order("Buy", "0.01", "50000")).status, 201);
}

TEST(Flow, AfterARevertIntoAHaltTheSameHappensAgain) {
  FlowMarket market;
  const std::string path = "/markets/BTC-USDX-PERP/";
  market.pass(20 * second_ms);
  ASSERT_EQ(market.exchange.control(path + "halt", {{"reason", "test"}}).status, 200);
  market.pass(12'300);
  market.exchange.control("/snapshots", {{"name", "here"}});
  std::vector<std::string> hashes;
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(market.exchange.control(path + "resume", Json::object()).status, 200);
    market.pass(5 * second_ms);
    hashes.push_back(market.hash());
    ASSERT_EQ(market.exchange.control("/snapshots/here/revert", Json::object()).status, 200);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Flow, AStateAfterTheWildestPricesCanBeLoaded) {
  FlowMarket market;
  for (int i = 0; i < 60; ++i) {
    const char* const price = i % 2 == 0 ? "300000" : "1000";
    ASSERT_EQ(market.exchange.control("/prices", {{"BTC-USDX-PERP", price}}).status, 200);
    market.pass(2 * second_ms);
  }
  const Reply loaded = market.exchange.send("PUT", "/_svc/state", market.exchange.state());
  EXPECT_EQ(loaded.status, 200) << loaded.body;
}

TEST(Flow, BotsTradeInAnyCenturyAndAtAnyPrice) {
  SandboxOptions options = lively_options();
  options.start_at_ms = 7'258'118'400'000;  // 2200
  auto file =
      parse_markets_file(R"([{"id":"BIG-USDX-PERP","price":"20000000000","tick_size":"1000","lot_size":"0.000001"}])");
  ASSERT_TRUE(file.has_value()) << file.error();
  options.markets = std::move(file->markets);
  options.start_prices = std::move(file->prices);
  FlowMarket market(options);
  market.pass(20 * second_ms);
  EXPECT_GE(market.trades("BIG-USDX-PERP"), 1u);
  const Reply loaded = market.exchange.send("PUT", "/_svc/state", market.exchange.state());
  EXPECT_EQ(loaded.status, 200) << loaded.body;
}

// D-1100
TEST(Flow, AfterTheWildestPricesTheBookHasTwoSidesAroundTheLastOne) {
  FlowMarket market;
  market.pass(30 * second_ms);
  for (const char* price :
       {"600000", "6000000", "600000", "3000000", "9000000", "1800000", "5400000", "540000", "60000"}) {
    ASSERT_EQ(market.exchange.control("/prices", {{btc, price}}).status, 200);
    market.pass(30 * second_ms);
  }
  market.pass(5 * minute_ms);
  for (int i = 0; i < 5; ++i) {
    market.pass(minute_ms);
    const Json book = market.book();
    ASSERT_FALSE(book["bids"].empty()) << i << ": " << book;
    ASSERT_FALSE(book["asks"].empty()) << i << ": " << book;
    EXPECT_NEAR(book["bids"][0][0].get<double>(), 60'000, 6'000) << i;
    EXPECT_NEAR(book["asks"][0][0].get<double>(), 60'000, 6'000) << i;
  }
  EXPECT_EQ(market.exchange.violations(), Json::array());
}

// Takers trade at least a lot, so they soon hold more than makers take over gladly. (D-1100)
TEST(Flow, TheBookOfAMarketWithPreciousLotsKeepsTwoSides) {
  SandboxOptions options = lively_options();
  auto file = parse_markets_file(R"([{"id":"BIG-USDX-PERP","price":"100000","tick_size":"1","lot_size":"1"}])");
  ASSERT_TRUE(file.has_value()) << file.error();
  options.markets = std::move(file->markets);
  options.start_prices = std::move(file->prices);
  FlowMarket market(options);
  for (int minute = 0; minute < 60; ++minute) {
    market.pass(minute_ms);
    const auto has_two_sides = [&] {
      const Json book = market.book("BIG-USDX-PERP");
      return !book["bids"].empty() && !book["asks"].empty();
    };
    if (has_two_sides()) continue;
    market.pass(10 * second_ms);  // the backstop wakes up every five seconds
    ASSERT_TRUE(has_two_sides()) << minute << ": " << market.book("BIG-USDX-PERP");
  }
}

// D-1100
TEST(Flow, MakersThatLostAllTheirMoneyGetItAgainAndQuote) {
  FlowMarket market;
  const Trader alice(market.exchange, 0);
  market.exchange.control("/fund", {{"account", alice.account()}, {"amount", "100000000"}});
  market.pass(30 * second_ms);
  for (int i = 0; i < 3; ++i) {
    const Reply bought = alice.post(
        "/orders",
        {{"market_id", btc}, {"side", "Buy"}, {"order_type", "Market"}, {"time_in_force", "IOC"}, {"quantity", "20"}});
    ASSERT_EQ(bought.status, 201) << bought.body;
    market.pass(10 * second_ms);
  }
  const auto equity_of_backstop = [&] {
    const Json flow = market.get("/_svc/flow");
    for (const Json& bot : flow["accounts"])
      if (bot["name"] == "BTC-USDX-PERP backstop") return std::stod(bot["equity"].get<std::string>());
    return -1.0;
  };
  ASSERT_EQ(market.exchange.control("/prices", {{btc, "9000000"}}).status, 200);
  ASSERT_EQ(equity_of_backstop(), 0);
  market.pass(minute_ms);
  EXPECT_GT(equity_of_backstop(), 5'000'000);
  const Json book = market.book();
  ASSERT_FALSE(book["bids"].empty()) << book;
  ASSERT_FALSE(book["asks"].empty()) << book;
  EXPECT_NEAR(book["bids"][0][0].get<double>(), 9'000'000, 900'000);
  EXPECT_NEAR(book["asks"][0][0].get<double>(), 9'000'000, 900'000);
  EXPECT_EQ(market.exchange.violations(), Json::array());
}

TEST(Flow, StoppedBotsLeaveAnEmptyBookAndAConstantPrice) {
  FlowMarket market;
  market.pass(20 * second_ms);
  EXPECT_EQ(market.get("/_svc/flow")["bots"], true);
  ASSERT_EQ(market.flow({{"bots", false}}).body["bots"], false);
  const Json book = market.book();
  EXPECT_EQ(book["bids"], Json::array());
  EXPECT_EQ(book["asks"], Json::array());
  const Json index = market.index();
  market.pass(hour_ms);
  EXPECT_EQ(market.index(), index);
  EXPECT_EQ(market.book()["bids"], Json::array());
  // The price does not change, and it is not stale.
  const Trader alice(market.exchange, 0);
  alice.limit("Buy", "0.1", "50000");
  market.flow({{"bots", true}});
  market.pass(10 * second_ms);
  EXPECT_GE(market.book()["asks"].size(), 10u);
  EXPECT_NE(market.index(), index);
}

TEST(Flow, APriceSetByHandStaysUntilTheBotsAreSwitchedOnAgain) {
  FlowMarket market;
  market.pass(10 * second_ms);
  market.exchange.control("/prices", {{btc, "61000"}});
  market.pass(10 * second_ms);
  EXPECT_EQ(market.price()["mark_price"], "61000");
  const double ask = market.book()["asks"][0][0];
  EXPECT_NEAR(ask, 61'000, 100);
  market.flow({{"bots", false}});
  market.flow({{"bots", true}});
  market.pass(5 * second_ms);
  EXPECT_NE(market.index().get<double>(), 61'000);
}

TEST(Flow, AWalkIsLinearAndStopsWhenThePriceIsSet) {
  FlowMarket still(test_options());
  const auto walk = [&](const Json& body) { return still.exchange.control("/prices/BTC-USDX-PERP/walk", body); };
  ASSERT_EQ(walk({{"shock", "-10"}, {"over_ms", 60'000}}).body["to"], "54000");
  still.pass(30 * second_ms);
  EXPECT_EQ(still.price()["mark_price"], "57000");
  still.pass(hour_ms);
  EXPECT_EQ(still.price()["mark_price"], "54000");
  ASSERT_EQ(walk({{"to", "60000"}, {"over_ms", 60'000}}).status, 200);
  still.pass(10 * second_ms);
  still.exchange.control("/prices", {{btc, "50000"}});
  still.pass(minute_ms);
  EXPECT_EQ(still.price()["mark_price"], "50000");
  EXPECT_EQ(walk({{"to", "60000.3"}, {"over_ms", 60'000}}).code(), "InvalidTickSize");
  EXPECT_EQ(walk({{"shock", "-100"}, {"over_ms", 60'000}}).status, 400);
  EXPECT_EQ(walk({{"to", "60000"}, {"over_ms", 999}}).status, 400);
  EXPECT_EQ(walk({{"to", "60000"}, {"shock", "1"}, {"over_ms", 1'000}}).status, 400);
}

// D-1105
TEST(Flow, APriceWalkReachesItsGoalWhenItEndsBetweenTwoSeconds) {
  FlowMarket still(test_options());
  still.pass(500);
  ASSERT_EQ(still.exchange.control("/prices/BTC-USDX-PERP/walk", {{"to", "65000"}, {"over_ms", 5'000}}).status, 200);
  still.pass(4'999);
  EXPECT_NE(still.price()["mark_price"], "65000");
  still.pass(1);
  EXPECT_EQ(still.price()["mark_price"], "65000");
}

SandboxOptions recorded_in(const TemporaryFolder& folder, SandboxOptions options) {
  options.record_file = folder.path / "run.tape";
  return options;
}

SandboxOptions played_from(const std::filesystem::path& tape) {
  SandboxOptions options = test_options();
  options.flow = FlowKind::tape;
  options.tape_file = tape;
  return options;
}

// The orders of one run are repeated in another one by other accounts.
TEST(Flow, ATapeOfOneRunPlaysInAnother) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, lively_options());
  Json trades;
  Json book;
  {
    FlowMarket market(record);
    const Trader alice(market.exchange, 0);
    market.pass(20 * second_ms);
    alice.limit("Buy", "0.5", "59000");
    market.pass(40 * second_ms);
    trades = market.get("/markets/BTC-USDX-PERP/trades?limit=1000");
    book = market.book();
  }
  FlowMarket market(played_from(record.record_file));
  const Trader alice(market.exchange, 0);
  market.pass(minute_ms);
  const Json progress = market.get("/_svc/flow")["tape"];
  EXPECT_EQ(progress["played"], progress["lines"]);
  EXPECT_EQ(market.get("/markets/BTC-USDX-PERP/trades?limit=1000"), trades);
  EXPECT_EQ(market.book()["bids"], book["bids"]);
  // The account's order of the other run belongs to somebody else here.
  EXPECT_EQ(alice.get("/orders").body, Json::array());
  market.pass(hour_ms);
  alice.limit("Buy", "0.1", "50000");
  EXPECT_EQ(market.exchange.violations(), Json::array());
}

TEST(Flow, AfterTheLastLineOfATapeNothingIsPricedBeforeTheNextFullSecond) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, lively_options());
  const auto sequence = [](FlowMarket& market) { return market.get("/_svc/time")["sequence"].get<std::int64_t>(); };
  constexpr std::int64_t before_ms = 20 * second_ms + 356;
  std::int64_t commands = 0;
  {
    FlowMarket market(record);
    const Trader alice(market.exchange, 0);
    market.pass(before_ms);
    commands = -sequence(market);
    market.pass(1);
    alice.limit("Buy", "0.5", "59000");
    commands += sequence(market);
  }
  FlowMarket market(played_from(record.record_file));
  market.pass(before_ms);
  const std::int64_t before = sequence(market);
  market.pass(1);
  const Json progress = market.get("/_svc/flow")["tape"];
  EXPECT_EQ(progress["played"], progress["lines"]);
  EXPECT_EQ(sequence(market) - before, commands) << "her order alone";
  market.pass(second_ms);
  EXPECT_GT(sequence(market) - before, commands) << "prices still do not go stale";
}

// On a clock that runs: what lies between is not played at once.
TEST(Flow, ATapeGoesOnFromWhereTheStateIs) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, lively_options());
  {
    FlowMarket market(record);
    market.pass(minute_ms);
  }
  FlowMarket market(played_from(record.record_file));
  const auto played = [&] { return market.get("/_svc/flow")["tape"]["played"].get<int>(); };
  const auto trades = [&] { return market.get("/markets/BTC-USDX-PERP/trades?limit=1000").size(); };
  market.exchange.control("/snapshots", {{"name", "start"}});
  market.pass(20 * second_ms);
  const int after_20s = played();
  const auto trades_20s = trades();
  market.pass(40 * second_ms);
  EXPECT_GT(played(), after_20s);
  for (const char* back : {"/snapshots/start/revert", "/reset"}) {
    market.exchange.control(back, Json::object());
    EXPECT_LT(played(), after_20s) << back;
    market.pass(20 * second_ms);
    EXPECT_EQ(played(), after_20s) << back;
    EXPECT_EQ(trades(), trades_20s) << back;
  }
}

// D-1057
TEST(Flow, AStateOfBotsLoadsUnderATapeOfTheirsAndAStateWithoutAFlowDoesNot) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, lively_options());
  std::string of_bots;
  {
    FlowMarket market(record);
    market.pass(20 * second_ms);
    of_bots = market.exchange.state();
  }
  FlowMarket without(test_options());
  FlowMarket market(played_from(record.record_file));
  EXPECT_EQ(market.exchange.send("PUT", "/_svc/state", without.exchange.state()).status, 422);
  EXPECT_EQ(market.exchange.send("PUT", "/_svc/state", of_bots).status, 200);
}

TEST(Flow, NoDrillWaitsForPricesToGoStaleThatNeverDo) {
  FlowMarket market(test_options());
  market.exchange.control("/flow", {{"bots", true}});
  const Reply refused = market.exchange.control("/flow", {{"drill", "stale-oracle"}});
  EXPECT_NE(refused.body.dump().find("no market goes stale here"), std::string::npos) << refused.body;
}

TEST(Flow, ATapeOfARunWithoutPricesIsPlayedWithoutThemGoingStale) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, test_options());
  const auto buys = [](FlowMarket& market) {
    const Trader alice(market.exchange, 0);
    alice.limit("Buy", "0.5", "59000");
    market.pass(minute_ms);
    alice.limit("Buy", "0.5", "58000");
    return market.book();
  };
  Json book;
  {
    FlowMarket market(record);
    book = buys(market);
  }
  FlowMarket market(played_from(record.record_file));
  market.pass(2 * minute_ms);
  EXPECT_EQ(market.book()["bids"], book["bids"]);
}

// Under other names it might be accepted.
TEST(Flow, ATapePlaysNothingThatWasRefusedOrRepeated) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, test_options());
  Json book;
  {
    FlowMarket market(record);
    const Trader alice(market.exchange, 0);
    const auto buy = [&](const char* quantity, const char* price, const char* id) {
      Json order = limit_order("Buy", quantity, price);
      order["client_id"] = id;
      return order;
    };
    const std::string first = alice.post("/orders", buy("0.1", "59000", "x")).body["order"]["id"];
    EXPECT_EQ(alice.post("/orders", buy("0.3", "59000", "x")).status, 409);
    EXPECT_EQ(alice.patch("/orders/" + first, {{"size", "0.2"}}).status, 200);
    EXPECT_EQ(alice.post("/orders", buy("0.2", "59000", "x")).status, 201) << "the order that is there";
    EXPECT_EQ(alice.del("/orders/" + first).status, 404);
    EXPECT_NE(alice.patch("/orders/" + first, {{"size", "0.7"}}).status, 200);
    (void)alice.post("/orders/batch", Json::array({buy("0.4", "58000", "y"), buy("0.5", "58000", "x")}));
    book = market.book();
    ASSERT_EQ(book["bids"].size(), 2u);
  }
  FlowMarket market(played_from(record.record_file));
  market.pass(minute_ms);
  EXPECT_EQ(market.book()["bids"], book["bids"]);
}

// A killed process loses no command that was answered; half a line at the end is no command.
TEST(Flow, ATapeHasEachCommandAtOnce) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, test_options());
  FlowMarket market(record);
  const Trader alice(market.exchange, 0);
  const auto bytes = [&] { return std::filesystem::file_size(record.record_file); };
  const auto before = bytes();
  alice.limit("Buy", "0.5", "59000");
  const auto after = bytes();
  EXPECT_GT(after, before);
  const auto cut = folder.path / "cut.tape";
  std::filesystem::copy_file(record.record_file, cut);
  std::filesystem::resize_file(cut, after - 1);
  const auto lines_of = [&](const std::filesystem::path& file) {
    FlowMarket played(played_from(file));
    return played.get("/_svc/flow")["tape"]["lines"].get<int>();
  };
  EXPECT_EQ(lines_of(cut), lines_of(record.record_file) - 1);
}

// A list of trades or a book without its timestamps.
Json without_times(Json document) {
  if (document.is_object()) {
    for (const char* name : {"timestamp", "datetime", "created_at", "executed_at", "time", "nonce", "sequence"})
      document.erase(name);
  }
  for (auto& member : document)
    if (member.is_structured()) member = without_times(member);
  return document;
}

// Bots set expiry times; on playback they are shifted.
TEST(Flow, ATapeIsTheSameWhenItIsPlayedAtAnotherTime) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, lively_options());
  Json trades;
  Json books = Json::array();
  const auto look = [](FlowMarket& market) {
    Json seen = Json::array();
    for (int step = 0; step < 12; ++step) {
      market.pass(20 * second_ms);
      seen.push_back(without_times(market.book()));
      seen.push_back(without_times(market.book("SOL-USDX-PERP")));
    }
    return seen;
  };
  {
    FlowMarket market(record);
    books = look(market);
    trades = without_times(market.get("/markets/BTC-USDX-PERP/trades?limit=1000"));
    ASSERT_GT(trades.size(), 20u);
  }
  for (const std::int64_t later_ms : {1 * second_ms, 60 * day_ms}) {
    SandboxOptions play = played_from(record.record_file);
    play.start_at_ms = test_start_ms + later_ms;
    FlowMarket market(play);
    const Json seen = look(market);
    for (std::size_t i = 0; i < books.size(); ++i) ASSERT_EQ(seen[i], books[i]) << later_ms << " ms later, book " << i;
    EXPECT_EQ(without_times(market.get("/markets/BTC-USDX-PERP/trades?limit=1000")), trades) << later_ms;
    EXPECT_EQ(market.exchange.violations(), Json::array());
  }
}

TEST(Flow, AnExistingTapeIsNotOverwritten) {
  const TemporaryFolder folder;
  const SandboxOptions record = recorded_in(folder, lively_options());
  std::ofstream(record.record_file) << "somebody's";
  const ManualClock machine{test_start_ms};
  const auto refused = Sandbox::open(record, machine);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            "--record " + record.record_file.string() + " exists already: name another file, or remove it");
  std::ifstream file(record.record_file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "somebody's");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
