// The last check before anything that can cost money is sent: on real funds every guard is on, and the way out passes
// all of them.
#include "cli/client/guards.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// A service that calls itself mainnet, with a funded account.
class GuardRules : public testing::Test {
 protected:
  GuardRules() : machine(options()) {
    EXPECT_EQ(machine.run("network add mainnet --rest http://mainnet.localhost:9090/v1").exit, 0);
    machine.add_wallet("mainnet", "alice");
    EXPECT_EQ(machine.run("-n mainnet login --wallet alice" + machine.with_password).exit, 0);
    EXPECT_EQ(machine.run("-n mainnet --confirm mainnet keys create").exit, 0);
    account = machine.run("-n mainnet --json whoami").document().text_at("data.owner");
    fund(account);
    machine.sent.clear();
  }

  static sim::SandboxOptions options() {
    sim::SandboxOptions options;
    options.network = api::NetworkId::mainnet;
    return options;
  }

  void fund(const std::string& address) {
    const std::string body = R"({"account":")" + address + R"(","amount":"100000"})";
    api::HttpRequest request{.method = "POST",
                             .target = "/_svc/fund",
                             .headers = {{"Host", "localhost:9090"}, {"Content-Type", "application/json"}},
                             .body = body};
    EXPECT_EQ(machine.sandbox.handle(std::move(request)).status, 200);
  }

  // The rule that refused, or the server's code; empty for success.
  std::string refused_by(const std::string& line) {
    const RunResult ran = machine.run("-n mainnet --json --confirm mainnet " + line);
    EXPECT_TRUE(ran.exit == 0 || ran.exit == 14) << line << "\n" << ran.out;
    const Json document = ran.document();
    return document.text_at("error.code");
  }

  // With these further guards.
  void configure(const std::string& guards) {
    machine.write(".config/svc/config.toml",
                  "version = 1\n[networks.mainnet]\nrest = \"http://mainnet.localhost:9090/v1\"\n[guards]\n" + guards);
  }

  // From now on the service takes orders of this wallet for any account. It answers as it answers one of the own.
  void accept_orders_for_others() {
    const RunResult ran = machine.run("-n mainnet --json --confirm mainnet buy 0.01 BTC-USDX-PERP @ 58000");
    ASSERT_EQ(ran.exit, 0) << ran.out;
    const Json own = *ran.document().at("data.order");
    machine.intercept = [this, own](const api::HttpRequest& request) -> Intercepted {
      const auto acting = request.headers.find("x-acting-account");
      if (request.method != "POST" || request.target != "/v1/orders" || !acting || *acting == account) return {};
      const auto asked = parse_json(request.body);
      Json order = own;
      order.set("account_id", *acting).set("client_id", asked->text_at("client_id"));
      order.set("price", asked->text_at("price"));
      return answered(201, Json::object({{"order", order}, {"fills", Json::array()}}).dump(),
                      {{"Content-Type", "application/json"}});
    };
    machine.sent.clear();
  }

  // The flags of an order that this wallet signs for another account.
  std::string acting_for(const std::string& other) { return "-a " + other + machine.with_password + " "; }

  std::size_t patches_sent() const {
    return static_cast<std::size_t>(std::ranges::count(machine.sent, "PATCH", &api::HttpRequest::method));
  }

  std::size_t orders_sent() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        machine.sent, [](const auto& request) { return request.method == "POST" && request.target == "/v1/orders"; }));
  }

  ClientMachine machine;
  std::string account;
};

TEST_F(GuardRules, AnOrderWorthMoreThanAllowedIsRefused) {
  EXPECT_EQ(refused_by("buy 0.167 BTC-USDX-PERP @ 60000"), "order_notional_max");
  EXPECT_EQ(refused_by("buy 0.2 BTC-USDX-PERP"), "order_notional_max") << "at market: by the mark price";
  EXPECT_EQ(refused_by("buy 0.15 BTC-USDX-PERP --type stop-market --trigger-price 90000"), "order_notional_max")
      << "it cannot trade before";
  EXPECT_EQ(refused_by("sell 0.167 BTC-USDX-PERP --type stop-market --trigger-price 30000"), "order_notional_max")
      << "by the mark price, which is higher";
  EXPECT_EQ(orders_sent(), 0u);
  EXPECT_EQ(refused_by("buy 0.166 BTC-USDX-PERP @ 60000"), "");
  const std::string id = machine.run("-n mainnet --json orders list").rows().at(0).text_at("id");
  EXPECT_EQ(refused_by("orders amend " + id + " --size 0.2"), "order_notional_max");
  EXPECT_EQ(refused_by("orders amend " + id + " --size 0.1"), "");
}

TEST_F(GuardRules, APriceFarFromMarkIsRefusedOnTheCostlySide) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 66000"), "price_band");
  EXPECT_EQ(refused_by("sell 0.01 BTC-USDX-PERP @ 54000"), "price_band");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 30000"), "") << "a far bid costs nothing";
}

TEST_F(GuardRules, AMarketOrderIsJudgedByTheBookThatItTakes) {
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (!request.target.ends_with("/orderbook")) return std::nullopt;
    return answered(200,
                    R"({"symbol":"BTC-USDX-PERP","bids":[[54000,5]],"asks":[[60001,0.01],[63100,1]],)"
                    R"("timestamp":1,"datetime":"2026-09-21T12:00:00Z","nonce":1})",
                    {{"Content-Type", "application/json"}});
  };
  EXPECT_EQ(refused_by("buy 0.02 BTC-USDX-PERP --type market"), "price_band");
  EXPECT_EQ(refused_by("sell 0.01 BTC-USDX-PERP --type market"), "price_band");
  EXPECT_EQ(refused_by("buy 0.02 BTC-USDX-PERP --type market --max-slippage-bps 5000"), "price_band");
  const std::string one = R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Market","quantity":"0.01"})";
  machine.input = one + "\n" + one + "\n";
  EXPECT_EQ(refused_by("orders batch -f -"), "price_band") << "the second takes the level behind the first";
  for (const std::string passes :
       {"buy 0.01 BTC-USDX-PERP --type market", "buy 0.02 BTC-USDX-PERP --type market --max-slippage-bps 20"}) {
    machine.sent.clear();
    EXPECT_NE(machine.run("-n mainnet --json --confirm mainnet " + passes).exit, 14) << passes;
    EXPECT_EQ(orders_sent(), 1u) << "the service has no such book, and says so";
  }
}

TEST_F(GuardRules, TheSameRequestTwiceWithinTheWindowNeedsAFlag) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "duplicate_intent");
  EXPECT_EQ(refused_by("buy 0.010 BTC-USDX-PERP @ 059000.0"), "duplicate_intent") << "the same in other digits";
  const auto raw = [&](std::string_view members) {
    return refused_by("api POST /orders -d '{" + std::string(members) +
                      R"("side":"Buy","price":"59000","quantity":"0.01"}')");
  };
  const std::string_view rest = R"("time_in_force":"GTC","order_type":"Limit","market_id":"BTC-USDX-PERP",)";
  EXPECT_EQ(raw(rest), "duplicate_intent") << "the same with its members in another order";
  EXPECT_EQ(raw(std::string(R"("stp":null,"reduce_only":false,)").append(rest)), "duplicate_intent")
      << "with usual values";
  EXPECT_EQ(orders_sent(), 1u);
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59001"), "") << "another order";
  EXPECT_EQ(refused_by("--allow-duplicate buy 0.01 BTC-USDX-PERP @ 59000"), "");
  machine.clock.advance(31 * second_ms);
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "");
}

// The wallet signs for several accounts: one order each is what a desk wants.
TEST_F(GuardRules, AnOrderForAnotherAccountIsNoDuplicateOfOnesOwn) {
  configure("daily_loss_max = \"off\"\n");
  ASSERT_NO_FATAL_FAILURE(accept_orders_for_others());
  const std::string order = "buy 0.01 BTC-USDX-PERP @ 59000";
  const std::string bob = acting_for("0x1111111111111111111111111111111111111111");
  const std::string carol = acting_for("0x2222222222222222222222222222222222222222");
  EXPECT_EQ(refused_by(order), "");
  EXPECT_EQ(refused_by(bob + order), "");
  EXPECT_EQ(refused_by(carol + order), "");
  EXPECT_EQ(orders_sent(), 3u);
  for (const std::string& whose : {std::string(), bob, carol})
    EXPECT_EQ(refused_by(whose + order), "duplicate_intent") << whose;
  EXPECT_EQ(orders_sent(), 3u);
}

TEST_F(GuardRules, AnOrderForAnAccountWhoseLossCannotBeReadNamesWhatHelps) {
  const std::string other = "0x1111111111111111111111111111111111111111";
  const RunResult ran =
      machine.run("-n mainnet --json --confirm mainnet " + acting_for(other) + "buy 0.01 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(ran.exit, 4) << ran.out;
  const Json error = *ran.document().find("error");
  EXPECT_EQ(error.string_at("code"), "no_session_for_account");
  EXPECT_TRUE(has(error.text_at("message"), "guard daily_loss_max has to read the account's profit")) << ran.out;
  EXPECT_EQ(error.texts_at("actions"),
            (std::vector<std::string>{"svc -n mainnet login --wallet NAME",
                                      "svc -n mainnet config set guards.mainnet.daily_loss_max off"}));
  EXPECT_EQ(orders_sent(), 0u);
}

TEST_F(GuardRules, OrdersAreCountedForTheAccountThatTheyAreFor) {
  configure("daily_loss_max = \"off\"\ndaily_orders_max = 2\n");
  ASSERT_NO_FATAL_FAILURE(accept_orders_for_others());  // by an order of the own account
  const std::string bob = acting_for("0x1111111111111111111111111111111111111111");
  EXPECT_EQ(refused_by(bob + "buy 0.01 BTC-USDX-PERP @ 59001"), "");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59001"), "");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59002"), "daily_orders_max");
  EXPECT_EQ(refused_by(bob + "buy 0.01 BTC-USDX-PERP @ 59002"), "") << "the other account has one left";
  EXPECT_EQ(refused_by(bob + "buy 0.01 BTC-USDX-PERP @ 59003"), "daily_orders_max");
  EXPECT_EQ(orders_sent(), 3u);
}

TEST_F(GuardRules, ARepeatUnderItsOwnIdIsNoSecondPayment) {
  EXPECT_EQ(refused_by("bridge withdraw 5 --idempotency-key a"), "");
  EXPECT_EQ(refused_by("bridge withdraw 5 --idempotency-key a"), "") << "the service knows it";
  EXPECT_EQ(refused_by("bridge withdraw 5 --idempotency-key b"), "duplicate_intent");
  EXPECT_EQ(refused_by("bridge withdraw 5"), "duplicate_intent");
}

TEST_F(GuardRules, ADuplicateIsRecognisedInABatchAndAlone) {
  const auto line = [](std::string_view price) {
    return R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.01","price":")" +
           std::string(price) + "\"}\n";
  };
  const auto batch = [&](const std::string& lines) {
    const std::string file = machine.write("lines", lines).string();
    const RunResult ran = machine.run("-n mainnet --json --confirm mainnet orders batch --new-ids --file " + file);
    return ran.code();
  };
  EXPECT_EQ(batch(line("59000") + line("59000") + line("59002")), "") << "two like ones were meant";
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "duplicate_intent");
  EXPECT_EQ(batch(line("59004") + line("59002")), "duplicate_intent") << "another batch with one of them";
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59004"), "");
  EXPECT_EQ(batch(line("59006") + line("59006.3")), "partly_accepted");
  EXPECT_EQ(batch(line("59006.3")), "InvalidTickSize") << "not a duplicate: it was refused";
}

TEST_F(GuardRules, ARequestTheServiceRefusedMayBeRepeated) {
  const std::string off_tick = "-n mainnet --confirm mainnet buy 0.01 BTC-USDX-PERP @ 59000.3";
  EXPECT_EQ(machine.run(off_tick).exit, 7);
  EXPECT_EQ(machine.run(off_tick).exit, 7) << "not a duplicate: nothing came of the first";
}

TEST_F(GuardRules, OrdersAreCountedPerDay) {
  machine.write(".config/svc/config.toml",
                "version = 1\n[networks.mainnet]\nrest = \"http://mainnet.localhost:9090/v1\"\n"
                "[guards]\ndaily_orders_max = 2\n");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59001"), "");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59002"), "");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59003"), "daily_orders_max");
  EXPECT_EQ(machine.run("-n mainnet orders cancel-all").exit, 0) << "the way out";
  machine.clock.advance(12 * hour_ms);
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59003"), "");
}

TEST_F(GuardRules, TheRefusedOrdersOfABatchAreNotCounted) {
  Paths paths;
  paths.state = machine.state();
  const guards::Ledger ledger(paths, "mainnet");
  const guards::Intent batch{.account = "a", .hashes = std::string(48, '1'), .orders = 3, .at_ms = 2 * day_ms};
  const auto counted = [&] {
    std::int64_t orders = -1;
    const guards::Intent next{.account = "a", .hashes = std::string(16, '2'), .orders = 0, .at_ms = 2 * day_ms};
    EXPECT_TRUE(ledger
                    .enter(next, 0,
                           [&](const guards::Standing& standing) -> Result<void, Failure> {
                             orders = standing.orders_today;
                             return {};
                           })
                    .has_value());
    return orders;
  };
  ASSERT_TRUE(ledger.enter(batch, 0, [](const guards::Standing&) { return Result<void, Failure>(); }).has_value());
  EXPECT_EQ(counted(), 3);
  EXPECT_TRUE(ledger.take_back(batch, std::string(16, '1')).has_value());
  EXPECT_EQ(counted(), 1);
}

TEST_F(GuardRules, AnOrderOfYesterdayThatIsRefusedTodayIsNoLongerCounted) {
  Paths paths;
  paths.state = machine.state();
  const guards::Ledger ledger(paths, "mainnet");
  const TimestampMs midnight_ms = 2 * day_ms;
  const guards::Intent before{
      .account = "a", .hashes = std::string(16, '1'), .orders = 5, .at_ms = midnight_ms - minute_ms};
  const guards::Intent after{.account = "a", .hashes = std::string(16, '2'), .orders = 1, .at_ms = midnight_ms};
  const auto enter = [&](const guards::Intent& intent) {
    std::int64_t counted = -1;
    const auto admits = [&](const guards::Standing& standing) -> Result<void, Failure> {
      counted = standing.orders_today;
      return {};
    };
    EXPECT_TRUE(ledger.enter(intent, 0, admits).has_value());
    return counted;
  };
  EXPECT_EQ(enter(before), 0);
  EXPECT_EQ(enter(after), 0);
  EXPECT_TRUE(ledger.take_back(before, {}).has_value());
  EXPECT_EQ(enter({.account = "a", .hashes = std::string(16, '3'), .orders = 3, .at_ms = midnight_ms + minute_ms}), 1);
  EXPECT_TRUE(ledger.take_back(after, {}).has_value()) << "a minute later, and with no window";
  EXPECT_EQ(enter({.account = "a", .hashes = std::string(16, '4'), .orders = 1, .at_ms = midnight_ms + minute_ms}), 3);
}

// A clock that was set back leaves entries of the future.
TEST_F(GuardRules, TheWindowOfDuplicatesHoldsInBothDirections) {
  Paths paths;
  paths.state = machine.state();
  const guards::Ledger ledger(paths, "mainnet");
  const auto is_repeat_at = [&](TimestampMs at_ms) {
    bool is_repeat = false;
    const auto admits = [&](const guards::Standing& standing) -> Result<void, Failure> {
      is_repeat = standing.same_intent_at_ms.has_value();
      return {};
    };
    const guards::Intent intent{.account = "a", .hashes = std::string(16, '1'), .orders = 1, .at_ms = at_ms};
    EXPECT_TRUE(ledger.enter(intent, minute_ms, admits).has_value());
    return is_repeat;
  };
  EXPECT_FALSE(is_repeat_at(2 * day_ms));
  EXPECT_TRUE(is_repeat_at(2 * day_ms - second_ms));
  EXPECT_FALSE(is_repeat_at(2 * day_ms - hour_ms));
}

TEST_F(GuardRules, ACountThatIsNoneStopsTheOrder) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59001"), "");
  const std::string path = ".local/state/svc/guards/mainnet.json";
  const std::string good = machine.read(path);
  for (const char* bad : {"\"orders\":-5", "\"orders\":1.5", "\"orders\":\"1\""}) {
    std::string text = good;
    const auto at = text.find("\"orders\":1");
    ASSERT_NE(at, std::string::npos) << text;
    machine.write(path, text.replace(at, 10, bad));
    machine.sent.clear();
    EXPECT_NE(machine.run("-n mainnet --confirm mainnet buy 0.01 BTC-USDX-PERP @ 59002").exit, 0) << bad;
    EXPECT_EQ(orders_sent(), 0u) << bad;
  }
}

TEST_F(GuardRules, AnAmendmentCountsAsTheOrderThatItMakes) {
  machine.write(".config/svc/config.toml",
                "version = 1\n[networks.mainnet]\nrest = \"http://mainnet.localhost:9090/v1\"\n"
                "[guards]\ndaily_orders_max = 2\n");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59001"), "");
  const auto amend = [&](const std::string& price) {
    const Json open = machine.run("-n mainnet --json orders list").document();
    return refused_by("orders amend " + open.at("data")->items().front().text_at("id") + " --price " + price);
  };
  EXPECT_EQ(amend("59002"), "");
  EXPECT_EQ(amend("59003"), "daily_orders_max");
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59004"), "daily_orders_max");
}

// A service decodes the path.
TEST_F(GuardRules, AnAmendmentIsJudgedHoweverItsOrderIsSpelled) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "");
  const Json open = machine.run("-n mainnet --json orders list").document();
  const std::string id = open.at("data")->items().front().text_at("id");
  const auto amend = [&](const std::string& spelled, const std::string& body) {
    return refused_by("api PATCH /orders/" + spelled + " -d '" + body + "'");
  };
  const std::string escaped = "%3" + id.substr(0, 1) + id.substr(1);
  ASSERT_EQ(id.front(), '0') << id;
  EXPECT_EQ(amend(id, R"({"size":"0.2"})"), "order_notional_max");
  EXPECT_EQ(amend(escaped, R"({"size":"0.2"})"), "order_notional_max");
  EXPECT_EQ(amend(escaped, R"({"price":"66000"})"), "price_band");
  EXPECT_EQ(amend("%zz", R"({"size":"0.2"})"), "order_unreadable");
  EXPECT_EQ(patches_sent(), 0u);
  EXPECT_EQ(amend(escaped, R"({"size":"0.011"})"), "");
}

TEST_F(GuardRules, AnAmendmentOfAnOrderThatIsNotListedYetIsJudgedByTheOrderItself) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "");
  const Json open = machine.run("-n mainnet --json orders list").document();
  const std::string id = open.at("data")->items().front().text_at("id");
  machine.intercept = when(to("GET", "/v1/orders"), answered(200, "[]", {{"Content-Type", "application/json"}}));
  const std::string amend = "orders amend " + id + " --market BTC-USDX-PERP --size ";
  EXPECT_EQ(refused_by(amend + "0.2"), "order_notional_max");
  for (const std::string market : {"BTC-USDX-PERP", "BTC%2DUSDX-PERP"})
    EXPECT_EQ(refused_by("api PATCH /orders/" + id + "?market_id=" + market + R"( -d '{"price":"66000"}')"),
              "price_band")
        << market;
  EXPECT_EQ(patches_sent(), 0u);
  EXPECT_EQ(refused_by(amend + "0.011"), "");
  EXPECT_EQ(patches_sent(), 1u);
}

// Exit 5 would say that it is gone, and 14 that it may never be amended: it may rest, and be listed in a moment.
TEST_F(GuardRules, AnAmendmentOfAnOrderThatNothingShowsMayBeTriedAgain) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "");
  const Json open = machine.run("-n mainnet --json orders list").document();
  const std::string id = open.at("data")->items().front().text_at("id");
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "GET" || !request.path().starts_with("/v1/orders")) return std::nullopt;
    const bool is_list = request.path() == "/v1/orders" || request.path() == "/v1/orders/history";
    return is_list ? answered(200, "[]", {{"Content-Type", "application/json"}})
                   : answered(404, R"({"error":"not found","code":"OrderNotFound"})",
                              {{"Content-Type", "application/json"}});
  };
  for (const std::string& line :
       {"orders amend " + id + " --size 0.011", "orders amend " + id + " --market BTC-USDX-PERP --size 0.011",
        "orders amend " + id + " --price mid-5bps", "api PATCH /orders/" + id + R"( -d '{"size":"0.011"}')"}) {
    const RunResult ran = machine.run("-n mainnet --json --confirm mainnet " + line);
    EXPECT_EQ(ran.exit, 10) << line << ran.out;
    EXPECT_EQ(ran.code(), "order_not_shown") << line;
    EXPECT_TRUE(ran.document().truth_at("error.retryable")) << line;
  }
  EXPECT_EQ(patches_sent(), 0u);
  machine.intercept = nullptr;
  EXPECT_EQ(refused_by("orders amend " + id + " --size 0.011"), "");
}

// A service may accept what svc cannot read, and of two members take the last one.
TEST_F(GuardRules, ABodyThatNoGuardCanReadIsNotSent) {
  const std::string id = "00010000-0000-4000-8000-000000000001";
  const std::string order = R"("market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"59000",)";
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += concat("\"x", i, "\":0,");
  struct Row {
    std::string request;
    std::string body;
  };
  const std::vector<Row> rows{
      {"POST /orders", "{" + order + R"("quantity":"0.01","quantity":"100"})"},
      {"POST /orders", "{" + order + R"("quantity":"0.01","Quantity":"100"})"},
      {"POST /orders", many + order + R"("quantity":"0.01","quantity":"100"})"},
      {"POST /orders", "{" + order + R"("quantity":"100",})"},
      {"POST /orders", "{" + order + R"("quantity":"100"} {})"},
      {"POST /orders", "{" + order + "\"quantity\":\"100\",\"x\":\"\xff\"}"},
      {"POST /orders/batch", "[{" + order + R"("quantity":"0.01","quantity":"100"}])"},
      {"PATCH /orders/" + id, R"({"size":"0.01","size":"100"})"},
      {"POST /withdrawals", R"({"amount":"5","amount":"5000"})"},
      {"POST /transfers", R"({"recipient":"me","recipient":"you"})"},
      {"POST /api/v1/bridge/withdrawals", R"({"amount":"5",})"},
      {"POST /unlisted", "{"},
  };
  for (const Row& row : rows) {
    const std::string line = "api " + row.request + " -d @" + machine.write("body", row.body).string();
    EXPECT_EQ(refused_by(line), "body_unreadable") << row.request << " " << row.body;
    EXPECT_EQ(refused_by("--dry-run " + line), "body_unreadable") << row.request << " " << row.body;
  }
  EXPECT_TRUE(machine.sent.empty()) << "nor was anything asked";
  machine.in_is_terminal = true;
  machine.answers = {"mainnet"};
  machine.asked.clear();
  const std::string twice = R"(api POST /orders -d '{"quantity":"1","quantity":"2"}')";
  EXPECT_EQ(machine.run("-n mainnet " + twice).exit, 14);
  EXPECT_EQ(machine.asked, "") << "no confirmation of what is not shown";
}

TEST_F(GuardRules, AnOrderThatCouldBeReadInTwoWaysIsNotSent) {
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "");
  const Json open = machine.run("-n mainnet --json orders list").document();
  const std::string id = open.at("data")->items().front().text_at("id");
  machine.sent.clear();
  const auto place = [&](const std::string& members) {
    return refused_by("api POST /orders -d '{" + members + R"(,"order_type":"Limit"}')");
  };
  const std::string market = R"("market_id":"BTC-USDX-PERP")", buys = R"("side":"Buy")", size = R"("quantity":"0.01")";
  EXPECT_EQ(place(market + "," + buys + "," + size + R"(,"price":90000)"), "order_unreadable");
  EXPECT_EQ(place(market + "," + buys + R"(,"price":"59000","quantity":100)"), "order_unreadable");
  EXPECT_EQ(place(market + R"(,"side":"long",)" + size + R"(,"price":"59000")"), "order_unreadable");
  EXPECT_EQ(place(market + R"(,"side":"BUY",)" + size + R"(,"price":"90000")"), "price_band");
  EXPECT_EQ(place(buys + "," + size + R"(,"price":"59000")"), "order_unreadable");
  EXPECT_EQ(refused_by("api PATCH /orders/" + id + R"( -d '{"size":100}')"), "order_unreadable");
  EXPECT_EQ(refused_by("api PATCH /orders/" + id + R"( -d '{"price":90000}')"), "order_unreadable");
  EXPECT_EQ(refused_by("api PATCH /orders/" + id + R"( -d '["size"]')"), "order_unreadable");
  EXPECT_EQ(refused_by(R"(api POST /transfers -d '{"recipient":"0X00"}')"), "body_unreadable");
  EXPECT_TRUE(std::ranges::none_of(machine.sent, is_write));
}

TEST_F(GuardRules, AWriteUnderAPathInAnotherSpellingIsNotSent) {
  const std::string order =
      R"( -d '{"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"66000","quantity":"1"}')";
  for (const std::string path :
       {"/orders/", "/%6frders", "/Orders", "/orders//batch", "/x/../orders", "/v1/./orders"}) {
    const RunResult ran = machine.run("-n mainnet --confirm mainnet api POST " + path + order);
    EXPECT_EQ(ran.exit, 2) << path << "\n" << ran.err;
    EXPECT_TRUE(has(ran.err, "is not spelled as the API spells it, /orders"));
  }
  EXPECT_TRUE(std::ranges::none_of(machine.sent, is_write));
}

TEST_F(GuardRules, AFieldThatNamesAnotherMethodIsNotSent) {
  machine.sent.clear();
  for (const std::string field : {"X-HTTP-Method", "x-http-method-override", "X-Method-Override"}) {
    for (const std::string call : {"GET /orders", "DELETE /orders", "POST /orders"}) {
      const RunResult ran = machine.run("-n mainnet --confirm mainnet api " + call + " -H '" + field + ": POST'");
      EXPECT_EQ(ran.exit, 2) << field << " " << call << "\n" << ran.err;
      EXPECT_TRUE(has(ran.err, "--header does not take X-"));
    }
  }
  EXPECT_TRUE(
      std::ranges::none_of(machine.sent, [](const auto& sent) { return sent.headers.contains("X-HTTP-Method"); }));
  EXPECT_TRUE(std::ranges::none_of(machine.sent, is_write));
}

TEST_F(GuardRules, ADailyLossStopsOrdersButNotTheWayOut) {
  machine.intercept = when(
      to("", "/v1/account/state"),
      answered(200,
               R"({"summary":{"total_realized_pnl_24h":"-900","total_unrealized_pnl":"-100.000001"},"positions":[]})"));
  EXPECT_EQ(refused_by("buy 0.01 BTC-USDX-PERP @ 59000"), "daily_loss_max");
  EXPECT_EQ(machine.run("-n mainnet sell 0.01 BTC-USDX-PERP --reduce-only").exit, 7) << "sent: there is no position";
}

TEST_F(GuardRules, MoneyGoesOnlyToListedAddressesAfterTheirCooldown) {
  const std::string bob = "0x00000000000000000000000000000000000000b0";
  const std::string dev = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
  EXPECT_EQ(refused_by("transfers send 5 --to " + dev + machine.with_password), "dev_target");
  EXPECT_EQ(refused_by("transfers send 5 --to " + bob + machine.with_password), "address_not_listed");
  EXPECT_EQ(refused_by("--dry-run transfers send 5 --to " + bob + machine.with_password), "address_not_listed")
      << "no plan for it";
  EXPECT_EQ(machine.run("-n mainnet addresses add me " + dev).exit, 14);
  EXPECT_EQ(machine.run("-n mainnet addresses add bob " + bob + " --cooldown 1h").exit, 14) << "a day at least";
  ASSERT_EQ(machine.run("-n mainnet addresses add bob " + bob).exit, 0);
  EXPECT_EQ(machine.run("-n mainnet addresses add bob2 " + bob).exit, 6);
  EXPECT_EQ(refused_by("transfers send 5 --to " + bob + machine.with_password), "address_cooling_down");
  machine.clock.advance(day_ms - second_ms);
  EXPECT_EQ(refused_by("transfers send 5 --to " + bob + machine.with_password), "address_cooling_down");
  machine.clock.advance(second_ms);
  EXPECT_EQ(machine.run("-n mainnet --confirm mainnet transfers send 5 --to " + bob + machine.with_password).exit, 6)
      << "sent: the venue knows no enrolment";
  EXPECT_EQ(machine.run("-n mainnet addresses list").out.find("bob\t" + bob),
            std::string("label\taddress\tnetwork\tusable_from\n").size());
  EXPECT_EQ(machine.run("-n mainnet addresses remove bob").exit, 0);
  EXPECT_EQ(machine.run("-n mainnet addresses remove bob").exit, 5);
}

TEST_F(GuardRules, AnInvalidGuardSettingDoesNotSwitchItOff) {
  machine.write(".config/svc/config.toml",
                "version = 1\n[networks.mainnet]\nrest = \"http://mainnet.localhost:9090/v1\"\n"
                "[guards.mainnet]\norder_notional_max = \"lots\"\n");
  EXPECT_EQ(machine.run("-n mainnet --confirm mainnet buy 0.01 BTC-USDX-PERP @ 59000").exit, 2);
  EXPECT_EQ(orders_sent(), 0u);
}

TEST(PlayFunds, HaveOnlyTheConfiguredGuards) {
  TraderMachine machine;
  const std::string order = "-n local --json buy 0.05 BTC-USDX-PERP @ 59000";
  EXPECT_EQ(machine.run(order).exit, 0);
  EXPECT_EQ(machine.run(order).exit, 0) << "none by itself";
  ASSERT_EQ(machine.run("network add other --rest http://localhost:9090").exit, 0) << "makes the folder";
  machine.write(".config/svc/config.toml", "version = 1\n[guards.local]\norder_notional_max = \"2000\"\n");
  EXPECT_EQ(machine.run(order).code(), "order_notional_max");
}

TEST(Worth, OfAnOrderIsExactAndRoundedUp) {
  const auto of = [](std::string_view quantity, std::string_view mark) {
    return guards::worth_micro_usdx({.market = "M", .quantity = *parse_decimal(quantity), .price = {}},
                                    *parse_decimal(mark));
  };
  EXPECT_EQ(of("0.1", "60000"), 6'000'000'000);
  EXPECT_EQ(of("0.0000001", "0.1"), 1);
  EXPECT_EQ(of("9223372036854", "1"), 9'223'372'036'854'000'000);
  EXPECT_EQ(of("9223372036855", "1"), std::nullopt);
  EXPECT_EQ(of("999999999999999999", "999999999999999999"), std::nullopt);
  EXPECT_EQ(of("999999999999999999999999999999", "999999999999999999999999999999"), std::nullopt);
}

TEST(Worth, OfABuyIsAtItsLimitAndOfASellAtLeastAtMark) {
  const auto of = [](bool buys, std::string_view price) {
    return guards::worth_micro_usdx(
        {.market = "M", .buys = buys, .quantity = *parse_decimal("2"), .price = *parse_decimal(price)},
        *parse_decimal("100"));
  };
  EXPECT_EQ(of(true, "90"), 180'000'000);
  EXPECT_EQ(of(true, "110"), 220'000'000);
  EXPECT_EQ(of(false, "110"), 220'000'000);
  EXPECT_EQ(of(false, "1"), 200'000'000);
  EXPECT_EQ(of(false, "999999999999999999999999999999"), std::nullopt) << "not at mark";
}

TEST(PriceBand, IncludesItsEdge) {
  const auto beyond = [](bool buys, std::string_view price, std::int64_t band_bps = 500) {
    guards::IntendedOrder order{.market = "M", .buys = buys, .quantity = {}, .price = *parse_decimal(price)};
    return guards::beyond_band(order, *parse_decimal("60000"), band_bps);
  };
  EXPECT_FALSE(beyond(true, "63000"));
  EXPECT_TRUE(beyond(true, "63000.000001"));
  EXPECT_FALSE(beyond(false, "57000"));
  EXPECT_TRUE(beyond(false, "56999.999999"));
  // A band of more than the mark price itself bounds buys alone.
  EXPECT_FALSE(beyond(true, "180000", 20'000));
  EXPECT_TRUE(beyond(true, "180000.1", 20'000));
  EXPECT_FALSE(beyond(false, "0.1", 20'000));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
