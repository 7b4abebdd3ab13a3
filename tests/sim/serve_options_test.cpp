// Options of `svc serve` that change what the sandbox is or how it answers.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "sim/control/control_surface.h"
#include "sim/sandbox_exchange.h"
#include "sim/sandbox_options.h"
#include "sim/temporary_folder.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr const char* btc = "BTC-USDX-PERP";

TEST(ServeOptions, LenientAuthenticationAcceptsAnyTimestampButNoForgery) {
  for (const AuthStyle style : {AuthStyle::strict, AuthStyle::lenient}) {
    SandboxOptions options = test_options();
    options.auth = style;
    TestExchange exchange(options);
    const Trader alice(exchange, 0);
    const api::Headers late{{"X-API-Key", alice.key_id()},
                            {"X-Timestamp", std::to_string(test_start_ms - hour_ms)},
                            {"X-Signature", std::string(64, '0')}};
    // The log shows what the client is not told.
    EXPECT_EQ(exchange.send("GET", "/v1/account", "", late).status, 401);
    const std::string rule = exchange.get("/_svc/requests?limit=1").body["requests"][0]["rule"];
    EXPECT_EQ(rule, style == AuthStyle::strict ? "timestamp_outside_window" : "signature_mismatch");
    EXPECT_EQ(alice.get("/account").status, 200);
  }
}

TEST(ServeOptions, StrictMarketIdsAreRequiredForEveryOrder) {
  SandboxOptions options = test_options();
  options.strict_market_ids = true;
  TestExchange exchange(options);
  const Trader alice(exchange, 0);
  const std::string id = alice.limit("Buy", "0.1", "50000")["id"];
  EXPECT_EQ(alice.get("/orders/" + id).status, 400);
  EXPECT_EQ(alice.del("/orders/" + id).code(), "INVALID_MARKET_ID");
  EXPECT_EQ(alice.del("/orders/" + id + "?market_id=" + btc).status, 200);
}

TEST(ServeOptions, SecretsOfAReachableSandboxAreUnpredictable) {
  const auto key_of = [](bool reachable, bool seed_given) {
    SandboxOptions options = test_options();
    options.allow_remote = reachable;
    options.seed_given = seed_given;
    TestExchange exchange(options);
    return Trader(exchange, 0).key_id();
  };
  EXPECT_EQ(key_of(false, false), key_of(false, false)) << "they follow from the seed";
  EXPECT_NE(key_of(true, false), key_of(true, false));
  EXPECT_EQ(key_of(true, true), key_of(false, false)) << "who gives a seed wants equal runs";
}

TEST(ServeOptions, ADumpThatCannotBeWrittenRefusesTheStart) {
  const TemporaryFolder folder;
  const ManualClock machine(test_start_ms);
  SandboxOptions options = test_options();
  options.state_folder = folder.path / "state";
  options.dump_file = folder.path;
  const auto refused = Sandbox::open(options, machine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "--dump: cannot write " + folder.path.string() + ": it is a folder");
  EXPECT_FALSE(std::filesystem::exists(options.state_folder));
  options.dump_file = folder.path / "dump";
  std::ofstream(options.dump_file) << "of an earlier run";
  EXPECT_TRUE(Sandbox::open(options, machine));
  EXPECT_EQ(std::filesystem::file_size(options.dump_file), 17u) << "it is replaced at the end alone";
  const std::filesystem::directory_iterator entries(folder.path);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2) << "the state and the dump";
}

TEST(ServeOptions, WithoutOperatorExitsAHaltIsPermanent) {
  SandboxOptions options = test_options();
  options.operator_exits = false;
  TestExchange exchange(options);
  ASSERT_EQ(exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "drill"}}).status, 200);
  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/resume", Json::object()).status, 403);
  EXPECT_EQ(exchange.control("/markets/BTC-USDX-PERP/settle", {{"price", "60000"}}).status, 403);
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/status").body["status"], "halted");
}

TEST(ServeOptions, CustomMarketsAreListedPricedAndTraded) {
  auto file = parse_markets_file(R"([{"id":"DOGE-USDX-PERP","price":"0.2","tick_size":"0.00001","lot_size":"1",
                                       "max_leverage":10,"min_notional":5},
                                      {"id":"BTC-USDX-PERP","price":"70000"}])");
  ASSERT_TRUE(file) << file.error();
  SandboxOptions options = test_options();
  options.markets = file->markets;
  options.start_prices = file->prices;
  options.flow = FlowKind::bots;
  TestExchange exchange(options);
  EXPECT_EQ(exchange.get("/markets").body.size(), 2u);
  EXPECT_EQ(exchange.get("/markets/DOGE-USDX-PERP/mark-price").body["mark_price"], "0.2");
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/mark-price").body["mark_price"], "70000");
  const Trader alice(exchange, 0);
  alice.limit("Buy", "1000", "0.19", "DOGE-USDX-PERP");
  exchange.control("/time", {{"advance_ms", 20 * second_ms}});
  EXPECT_GE(exchange.get("/markets/DOGE-USDX-PERP/orderbook").body["asks"].size(), 10u);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(ServeOptions, NumbersOfAMarketAreTakenAsTextOrNot) {
  const auto tick = [](const std::string& written) {
    const auto file =
        parse_markets_file(R"([{"id":"DOGE-USDX-PERP","price":0.25,"lot_size":1,"tick_size":)" + written + "}]");
    EXPECT_TRUE(file) << file.error();
    return format_decimal(file->markets.front().tick_size);
  };
  EXPECT_EQ(tick("0.00001"), "0.00001");
  EXPECT_EQ(tick(R"("0.00001")"), "0.00001");
}

TEST(ServeOptions, AStandardMarketKeepsItsOtherTerms) {
  const auto only = [](const std::string& members) {
    const auto file = parse_markets_file(R"([{"id":"BTC-USDX-PERP","price":"60000",)" + members + "}]");
    EXPECT_TRUE(file) << file.error();
    return file->markets.front();
  };
  const auto leverages = [](const engine::MarketSpec& spec) {
    std::vector<std::int64_t> all;
    for (const engine::MarginTier& tier : spec.tiers) all.push_back(tier.imr.den / tier.imr.num);
    return all;
  };
  EXPECT_EQ(leverages(only(R"("max_leverage":30)")), (std::vector<std::int64_t>{30, 20}));
  EXPECT_EQ(leverages(only(R"("max_leverage":10)")), std::vector<std::int64_t>{10});
  const engine::MarketSpec coarse = only(R"("lot_size":"1")");
  EXPECT_EQ(engine::format_lots(coarse, coarse.max_order_size), "100");
  const engine::MarketSpec odd = only(R"("lot_size":"0.003")");
  EXPECT_EQ(engine::format_lots(odd, odd.max_order_size), "99.999");
  const engine::MarketSpec steep = only(R"("tick_size":"5")");
  EXPECT_EQ(engine::format_price(steep, steep.price_max), "10000000");
}

TEST(ServeOptions, AMarketsFileIsReadStrictly) {
  const auto problem = [](const std::string& text) {
    const auto file = parse_markets_file(text);
    return file ? std::string("accepted") : file.error();
  };
  EXPECT_EQ(problem("{}"), "a markets file is a JSON array of 1 to 32 markets");
  EXPECT_EQ(problem(R"([{"id":"A-B","price":"1","price":"2"}])"),
            "a markets file is a JSON array of 1 to 32 markets; member `price` occurs twice");
  EXPECT_EQ(problem("[{]"), "a markets file is a JSON array of 1 to 32 markets; not JSON at line 1, column 3");
  EXPECT_EQ(problem(R"([{"price":"1"}])"), "market 1 needs an id such as DOGE-USDX-PERP");
  EXPECT_EQ(problem(R"([{"id":"A-B","price":"1"}])"), "A-B: tick_size and lot_size are needed");
  EXPECT_EQ(problem(R"([{"id":"A-B","price":"1000000000","tick_size":"1","lot_size":"1"}])"),
            "A-B: price must be at most 100000000");
  EXPECT_EQ(problem(R"([{"id":"BTC-USDX-PERP","price":"60000","taker_fee_ppm":333}])"),
            "BTC-USDX-PERP: maker_fee_ppm and taker_fee_ppm must be multiples of 100");
  EXPECT_EQ(problem(R"([{"id":"BTC-USDX-PERP"}])"), "BTC-USDX-PERP: price is needed: where it starts");
  EXPECT_EQ(problem(R"([{"id":"BTC-USDX-PERP","price":"60000.3"}])"),
            "BTC-USDX-PERP: price must be a multiple of tick_size");
  EXPECT_EQ(problem(R"([{"id":"BTC-USDX-PERP","price":"60000","leverage":3}])"),
            "BTC-USDX-PERP: there is no leverage in a market");
  EXPECT_NE(problem(R"([{"id":"A-B","price":"1","tick_size":"0.0000001","lot_size":"1"}])")
                .find("must be a multiple of 0.000001"),
            std::string::npos);
}

TEST(ServeOptions, ADumpedStateCanBeLoadedAtTheStart) {
  const TemporaryFolder folder;
  SandboxOptions options = test_options();
  Json hash;
  {
    TestExchange first;
    const Trader alice(first, 0);
    alice.limit("Buy", "0.1", "50000");
    std::ofstream(folder.path / "state.json") << first.state();
    hash = first.get("/_svc/status").body["state_hash"];
  }
  options.load_file = folder.path / "state.json";
  TestExchange second(options);
  EXPECT_EQ(second.get("/_svc/status").body["state_hash"], hash);
  EXPECT_EQ(second.get("/markets/BTC-USDX-PERP/orderbook").body["bids"].size(), 1u);
  options.load_file = folder.path / "nothing.json";
  const auto refused = Sandbox::open(options, second.machine);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("nothing.json cannot be read"), std::string::npos) << refused.error();
}

TEST(ServeOptions, AResetGoesBackToALoadedStateThatIsLaterThanTheClock) {
  const TemporaryFolder folder;
  SandboxOptions options = test_options();
  std::string earlier;
  Json hash;
  {
    TestExchange first;
    earlier = first.state();
    ASSERT_EQ(first.control("/time", {{"advance_ms", 3'600'000}}).status, 200);
    std::ofstream(folder.path / "state.json") << first.state();
    hash = first.get("/_svc/status").body["state_hash"];
  }
  options.load_file = folder.path / "state.json";
  TestExchange exchange(options);
  const Reply back = exchange.send("PUT", "/_svc/state", earlier);
  ASSERT_EQ(back.body["now_ms"], test_start_ms) << back.body;
  const Reply reset = exchange.post("/_svc/reset", Json::object());
  ASSERT_EQ(reset.status, 200) << reset.body;
  EXPECT_EQ(reset.body["now_ms"], test_start_ms + 3'600'000);
  EXPECT_EQ(exchange.get("/_svc/status").body["state_hash"], hash);
}

TEST(ServeOptions, TheFailureLogShowsOnlyRefusals) {
  RequestLog log;
  for (const auto& [path, status] : {std::pair{"/markets", 200}, {"/account", 401}}) {
    log.add({.method = "GET", .path = path, .status = status});
  }
  RequestFollower follower(log, LogStyle::failed);
  const std::string lines = follower.new_lines();
  EXPECT_EQ(lines.find("/markets"), std::string::npos) << lines;
  EXPECT_NE(lines.find("401 GET /account"), std::string::npos) << lines;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
