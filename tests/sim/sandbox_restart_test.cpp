// A sandbox with a state folder: exactly what was acknowledged is there after a restart.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/archive.h"
#include "base/files.h"
#include "base/limits.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/hmac.h"
#include "sim/sandbox_exchange.h"
#include "sim/sequencer/full_disk.h"
#include "sim/sequencer/journal.h"
#include "sim/sequencer/sqlite_file.h"
#include "sim/temporary_folder.h"
#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

namespace fs = std::filesystem;

const api::Headers operator_headers{{"Authorization", "Bearer operator-secret"}};

struct RestartTest : testing::Test {
  RestartTest() {
    options.state_folder = folder.path / "state";
    options.faucet = true;
    exchange.emplace(options);
  }

  // Stops and starts again; the machine's clock advanced meanwhile.
  void restart(std::int64_t down_ms = 0) {
    const TimestampMs machine_ms = exchange->machine.now_ms() + down_ms;
    exchange.reset();
    exchange.emplace(options, machine_ms);
  }
  // Simulates a kill and a restart: uses copies of the files of the running sandbox.
  void crash() {
    const fs::path copy = folder.path / ("crashed-" + std::to_string(++crashes));
    fs::copy(options.state_folder, copy);
    const TimestampMs machine_ms = exchange->machine.now_ms();
    exchange.reset();
    options.state_folder = copy;
    exchange.emplace(options, machine_ms);
  }
  std::string why_not(const SandboxOptions& other) {
    const auto opened = Sandbox::open(other, exchange->machine);
    return opened ? "" : opened.error();
  }
  Json status() { return exchange->get("/_svc/status").body; }
  Reply register_agent(std::uint64_t nonce) {
    const auto wallet = *signing::PrivateKey::from_hex(exchange->sandbox.accounts().front().private_key);
    const auto agent = *signing::PrivateKey::from_hex(std::string(64, '7'));
    const auto domain = signing::registration_domain("Svc Exchange", signing::action_chain_id, "local");
    return exchange->post("/v1/agents/register",
                          agent_registration(wallet, agent, test_start_ms + 2 * day_ms, nonce, domain));
  }

  TemporaryFolder folder;
  SandboxOptions options = test_options();
  std::optional<TestExchange> exchange;
  int crashes = 0;
};

TEST_F(RestartTest, UptimeIsThatOfTheProcess) {
  const auto uptime_s = [&] { return exchange->get("/stats").body["uptime_seconds"].get<std::int64_t>(); };
  exchange->control("/time", {{"advance_ms", 3 * hour_ms}});
  EXPECT_EQ(uptime_s(), 3 * 3'600);
  restart(minute_ms);
  EXPECT_EQ(uptime_s(), 0);
  exchange->control("/time", {{"advance_ms", 5 * second_ms}});
  EXPECT_EQ(uptime_s(), 5);
}

TEST_F(RestartTest, AmountsBeyondEveryBoundAreRefusedAndLeaveTheLogReadable) {
  Trader alice(*exchange, 0);
  Owner stranger(*exchange, signing::PrivateKey::from_hex(std::string(64, '7')).value());
  const char* const too_much = "1000000000000.000001";
  const std::vector<Reply> refused = {
      exchange->post("/v1/withdrawals", stranger.withdrawal(too_much, 1'000'000'000'000'000'001)),
      alice.post("/deposits", {{"amount", too_much}, {"asset", "USDX"}}),
      alice.post("/account/credit", {{"amount", too_much}}),
      alice.post_with("/api/v1/bridge/withdrawals", {{"amount", "1000000000000000001"}}, {{"Idempotency-Key", "k"}}),
      exchange->control("/bridge/deposits", {{"account", alice.account()}, {"amount", too_much}}),
      exchange->control("/fund", {{"account", alice.account()}, {"amount", too_much}})};
  for (const Reply& reply : refused) {
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_NE(reply.body.dump().find("amount"), std::string::npos) << reply.body;
  }
  restart();
  EXPECT_EQ(Trader(*exchange, 0).get("/account").body["balance"], "100000");
}

TEST_F(RestartTest, EverythingIsAsItWas) {
  Trader alice(*exchange, 0);
  Trader bob(*exchange, 1);
  alice.limit("Buy", "1", "59000");
  alice.limit("Sell", "0.5", "60000");
  bob.limit("Buy", "0.2", "60000");
  ASSERT_EQ(bob.post("/faucet").status, 200);
  ASSERT_EQ(bob.post("/account/credit", {{"amount", "200"}}).status, 200);
  exchange->control("/time", {{"advance_ms", hour_ms}});
  exchange->control("/prices", {{"BTC-USDX-PERP", "60500"}});
  ASSERT_EQ(exchange
                ->send("PUT", "/v1/admin/tiers", Json{{"address", alice.account()}, {"tier", "marketmaker"}}.dump(),
                       operator_headers)
                .status,
            200);
  ASSERT_EQ(register_agent(1).status, 200);

  const char* const reads[] = {"/orders",    "/orders/history",         "/fills",
                               "/positions", "/positions/closed",       "/positions/pnl",
                               "/account",   "/account/state",          "/account/activity",
                               "/deposits",  "/account/equity-history", "/funding"};
  const auto picture = [&] {
    Json all = Json::array();
    for (const Trader* trader : {&alice, &bob})
      for (const char* path : reads) all.push_back({path, trader->get(path).body});
    for (const char* path :
         {"/markets", "/tickers", "/markets/BTC-USDX-PERP/orderbook", "/markets/BTC-USDX-PERP/trades",
          "/markets/BTC-USDX-PERP/funding", "/_svc/time", "/_svc/invariants"})
      all.push_back({path, exchange->get(path).body});
    all.push_back(exchange->send("GET", "/v1/admin/tiers", "", operator_headers).body);
    const Json now = status();
    all.push_back({now["sequence"], now["state_hash"], now["accounts"]});
    return all;
  };
  const Json before = picture();
  restart();
  EXPECT_EQ(Json::diff(before, picture()), Json::array());
  crash();
  EXPECT_EQ(Json::diff(before, picture()), Json::array());
  // It continues where it was: same sequence of ids, same allowance.
  const Json order = alice.limit("Buy", "1", "58000");
  EXPECT_TRUE(order.contains("id")) << order;
  EXPECT_EQ(bob.post("/account/credit", {{"amount", "301"}}).status, 429);
  EXPECT_EQ(bob.post("/faucet").status, 429);
  EXPECT_EQ(exchange->violations(), Json::array());
}

TEST_F(RestartTest, AccountsAreNotFundedAgainAndStayThoseOfTheFirstStart) {
  Trader alice(*exchange, 0);
  const Json balance = alice.get("/account").body;
  options.accounts = 3;
  options.balance = Usdx{5 * usdx_one};
  restart();
  EXPECT_EQ(alice.get("/account").body, balance);
  EXPECT_EQ(exchange->sandbox.accounts().size(), 10u);
}

TEST_F(RestartTest, CredentialsStayValidAndNoncesSpent) {
  Trader alice(*exchange, 0);
  ASSERT_EQ(register_agent(5).status, 200);
  crash();
  EXPECT_EQ(alice.get("/orders").status, 200);
  EXPECT_EQ(exchange->send("GET", "/v1/keys", "", {{"Authorization", "Bearer " + alice.session()}}).status, 200);
  EXPECT_EQ(register_agent(5).status, 401);
  EXPECT_EQ(register_agent(6).status, 409);  // the agent already exists: the nonce was valid
  Trader again(*exchange, 0);
  EXPECT_NE(again.session(), alice.session());
  EXPECT_NE(again.key_id(), alice.key_id());
}

TEST_F(RestartTest, AManualClockKeepsItsTime) {
  exchange->control("/time", {{"advance_ms", 12'345}});
  restart(hour_ms);
  EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms + 12'345);
  EXPECT_EQ(exchange->sandbox.clock().pace().mode, ClockMode::manual);
}

TEST_F(RestartTest, ARealClockKeepsItsOffsetFromTheMachinesAndNeverGoesBack) {
  exchange->control("/time", {{"mode", "real"}});
  exchange->control("/time", {{"advance_ms", 4 * hour_ms}});
  restart(hour_ms);
  EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms + 5 * hour_ms);
  restart(-10 * hour_ms);  // the machine's clock was set back
  exchange->sandbox.pass_time();
  EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms + 5 * hour_ms);
}

TEST_F(RestartTest, AScaledClockContinuesWhereItWasStopped) {
  exchange->control("/time", {{"mode", "scaled"}, {"rate", 10}});
  exchange->machine.advance(1'000);
  restart(hour_ms);
  EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms + 10'000);
  exchange->machine.advance(1'000);
  EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms + 20'000);
}

TEST_F(RestartTest, AGivenClockSetsTheNewPace) {
  exchange->control("/time", {{"advance_ms", hour_ms}});
  options.clock = {ClockMode::scaled, Ppm{2 * ppm_one}};
  restart();
  EXPECT_EQ(exchange->sandbox.clock().pace().mode, ClockMode::manual);
  options.clock_given = true;
  restart();
  EXPECT_EQ(exchange->sandbox.clock().pace().mode, ClockMode::scaled);
  EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms + hour_ms);
}

TEST_F(RestartTest, AResetFundsTheAccountsOfTheFirstStart) {
  options.accounts = 3;
  options.balance = Usdx{5 * usdx_one};
  restart();
  exchange->control("/reset", Json::object());
  EXPECT_EQ(exchange->sandbox.accounts().size(), 10u);
  EXPECT_EQ(Trader(*exchange, 9).get("/account").body["balance"], "100000");
}

TEST_F(RestartTest, WorkThatFellDueMeanwhileHappensAtItsOwnInstants) {
  exchange->control("/time", {{"mode", "real"}});
  restart(2 * hour_ms);
  exchange->sandbox.pass_time();
  const auto rates = exchange->get("/markets/BTC-USDX-PERP/funding").body;
  EXPECT_EQ(rates.size(), 2u) << rates;
}

TEST_F(RestartTest, AFolderInUseOrOfAnotherSandboxIsRefusedWithTheReason) {
  EXPECT_NE(why_not(options).find("uses " + options.state_folder.string() + " already"), std::string::npos);
  exchange.reset();
  const ManualClock machine(test_start_ms);
  struct Case {
    void (*change)(SandboxOptions&);
    const char* says;
  };
  const Case cases[] = {
      {[](SandboxOptions& o) { o.seed = 2; }, "is about seed 1, not 2"},
      {[](SandboxOptions& o) { o.deployment = "other"; }, "is about deployment svc-local, not other"},
      {[](SandboxOptions& o) { o.domain_name = "Other"; }, "is about domain name Svc Exchange, not Other"},
      {[](SandboxOptions& o) { o.markets = {engine::standard_markets().front()}; },
       "is about markets BTC-USDX-PERP, ETH-USDX-PERP, SOL-USDX-PERP ("},
      {[](SandboxOptions& o) { o.start_at_ms = test_start_ms; }, "--at is for a new --state"},
  };
  for (const Case& row : cases) {
    SandboxOptions other = options;
    row.change(other);
    const auto opened = Sandbox::open(other, machine);
    ASSERT_FALSE(opened) << row.says;
    EXPECT_NE(opened.error().find(row.says), std::string::npos) << opened.error();
  }
  EXPECT_TRUE(Sandbox::open(options, machine));
}

TEST_F(RestartTest, AChangedStateIsRefused) {
  exchange.reset();
  {
    auto file = SqliteFile::open(options.state_folder / "local.db");
    const auto position = file->ask("SELECT max(position) FROM marks");
    ASSERT_TRUE(position && *position);
    Chain seal(1);
    seal.add(std::stoull(**position));
    seal.add(7);
    ASSERT_TRUE(file->run("UPDATE marks SET state_hash = 7, seal = " +
                          std::to_string(static_cast<std::int64_t>(seal.value()))));
  }
  const ManualClock machine(test_start_ms);
  const auto opened = Sandbox::open(options, machine);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().find("the state is not what it was"), std::string::npos) << opened.error();
}

// Every file of the folder, without the number in its lock.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path().string()] = file_text(entry.path());
  return files;
}

TEST_F(RestartTest, ARefusedStartChangesNoByteOfAKilledSandbox) {
  using enum api::NetworkId;
  exchange.reset();
  options.networks = {local, testnet};
  options.state_folder = folder.path / "several";
  exchange.emplace(options);
  for (int i = 0; i < 5; ++i) {
    exchange->host = "testnet.localhost";
    exchange->control("/fund", {{"account", "0x00000000000000000000000000000000000000aa"}, {"amount", "5"}});
    exchange->host = "localhost";
    exchange->control("/fund", {{"account", "0x00000000000000000000000000000000000000aa"}, {"amount", "5"}});
  }
  const fs::path killed = folder.path / "killed";
  fs::copy(options.state_folder, killed);
  options.state_folder = killed;
  const fs::path log = killed / "testnet.db-wal";
  ASSERT_GT(fs::file_size(log), 10'000u);
  const auto whole = files_of(killed);
  const ManualClock machine(test_start_ms);
  const auto expect_refused = [&](const SandboxOptions& other, const char* why) {
    const auto before = files_of(killed);
    const auto opened = Sandbox::open(other, machine);
    ASSERT_FALSE(opened) << why;
    EXPECT_NE(opened.error().find(why), std::string::npos) << opened.error();
    EXPECT_EQ(files_of(killed), before) << why;
  };
  for (const std::size_t at : {40u, 5'000u, 9'000u}) {
    std::string damaged = whole.at(log.string());
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(log, std::ios::binary | std::ios::trunc) << damaged;
    expect_refused(options, "testnet.db");
  }
  std::ofstream(log, std::ios::binary | std::ios::trunc) << whole.at(log.string());
  // Other refusals come just as early.
  SandboxOptions other = options;
  other.seed = 2;
  expect_refused(other, "is about seed 1");
  other = options;
  other.start_at_ms = test_start_ms;
  expect_refused(other, "--at is for a new --state");
  other = options;
  other.load_file = folder.path / "no such file";
  expect_refused(other, "has an exchange already");
  std::ofstream(killed / "revert.json") << "{\"positions\":{}}\nnothing";
  expect_refused(options, "revert.json");
  fs::remove(killed / "revert.json");
  EXPECT_TRUE(Sandbox::open(options, machine));
}

// A row and a command that are impossible; the chain and the acknowledgement are recomputed.
TEST_F(RestartTest, AFolderThatCannotBeRestoredIsRefusedWithASentence) {
  exchange.reset();
  const fs::path whole = folder.path / "whole";
  fs::copy(options.state_folder, whole);
  const auto forged = [&](const Unit& unit, TimestampMs at_ms) {
    fs::remove_all(options.state_folder);
    fs::copy(whole, options.state_folder);
    auto file = SqliteFile::open(options.state_folder / "local.db");
    const auto last = std::stoull(**file->ask("SELECT max(position) FROM log"));
    const auto link =
        static_cast<std::uint64_t>(std::stoll(**file->ask("SELECT link FROM log ORDER BY position DESC")));
    const std::string bytes = to_archive(unit);
    const std::uint64_t next = next_link(link, last + 1, at_ms, bytes);
    auto insert = file->prepare("INSERT INTO log (position, at_ms, unit, link) VALUES (?, ?, ?, ?)");
    insert->bind(last + 1, at_ms, bytes, next);
    EXPECT_TRUE(insert->run());
  };
  engine::PlaceOrder unreadable;
  unreadable.params.client_id = *engine::ClientId::from("\xff");
  const Unit units[] = {
      {.body = ServiceCommand(CreateKey{.label = "\xff"})},
      {.body = ServiceCommand(CreateKey{.drawn = DrawnKey{.id = "svc_1", .secret = "no hex"}})},
      {.body = ServiceCommand(RegisterAgent{.expires_at_ms = -1})},
      {.body = ServiceCommand(WithdrawToWallet{.amount = Usdx{-1}})},
      {.body = ServiceCommand(WithdrawOverBridge{.amount = Usdx{1}, .idempotency_key = "a b"})},
      {.body = ServiceCommand(TransferMoney{.amount = Usdx{1}, .client_transfer_id = "\xff"})},
      {.body = ActorOrder{"x"}},
      {.body = ClockAnchor{.machine_ms = -1}},
      {.body = Image{"no image"}},
      {.body = CommandBody(unreadable)},
      {.body = CommandBody(engine::HaltMarket{.market = {0}, .reason = "\xff"})},
      {.memories = {{.key = "switches", .value = "x"}}},
  };
  const ManualClock machine(test_start_ms);
  for (const Unit& unit : units) {
    forged(unit, test_start_ms);
    const auto opened = Sandbox::open(options, machine);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().find("makes no sense"), std::string::npos) << opened.error();
  }
  forged({}, limits::clock_ms_max + 1);
  EXPECT_FALSE(Sandbox::open(options, machine));
  forged({}, test_start_ms);
  EXPECT_TRUE(Sandbox::open(options, machine));
}

TEST_F(RestartTest, AFolderKeepsItsOpenOrderLimit) {
  exchange.reset();
  options.state_folder = folder.path / "bounded";
  options.open_orders = 2;
  exchange.emplace(options);
  Trader alice(*exchange, 0);
  alice.limit("Buy", "0.01", "58000");
  alice.limit("Buy", "0.01", "58001");
  options.open_orders = 50;
  restart();
  const Reply refused = alice.post("/orders", limit_order("Buy", "0.01", "58002"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.code(), "TooManyOpenOrders");
}

// A replay decides every payment as it was decided, whatever the options of this start say.
TEST_F(RestartTest, AFolderKeepsItsChainAndWhatWasSwitchedOffAtFirst) {
  exchange.reset();
  options.state_folder = folder.path / "money";
  options.money.chain.block_ms = 1'000;
  options.money.switched_off = {Switchable::transfers};
  exchange.emplace(options);
  const auto withdrawn = [&] { return Trader(*exchange, 0).get("/api/v1/bridge/withdrawals").body; };
  ASSERT_EQ(Trader(*exchange, 0)
                    .post_with("/api/v1/bridge/withdrawals", {{"amount", "1500000"}}, {{"Idempotency-Key", "one"}})
                    .status /
                100,
            2);
  const Json before = withdrawn();
  ASSERT_EQ(before.size(), 1u);
  const Json switches = exchange->get("/_svc/switches").body;
  options.money = {};
  options.money.switched_off = {Switchable::bridge_withdrawals};
  for (const bool is_killed : {true, false}) {
    is_killed ? crash() : restart();
    EXPECT_EQ(withdrawn(), before) << is_killed;
    EXPECT_EQ(exchange->get("/_svc/switches").body, switches) << is_killed;
    EXPECT_EQ(exchange->violations(), Json::array());
  }
}

TEST_F(RestartTest, AFullDiskRefusesWritesAndKeepsReads) {
  Trader alice(*exchange, 0);
  alice.limit("Buy", "1", "59000");
  const Json before = alice.get("/orders").body;
  {
    const FullDisk full;
    const Reply refused = alice.post("/orders", limit_order("Buy", "1", "58000"));
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_EQ(refused.code(), "service_unavailable");
    EXPECT_EQ(exchange->send("POST", "/v1/keys", "", {{"Authorization", "Bearer " + alice.session()}}).status, 503);
    EXPECT_EQ(alice.del("/keys/" + alice.key_id()).status, 401);  // that key may not do this
    const std::string message = signing::login_message(exchange->domain_name());
    const auto signature = Owner(*exchange, 0).wallet().sign(signing::personal_message_digest(message));
    const Reply login = exchange->post("/v1/auth/login", {{"message", message}, {"signature", to_string(signature)}});
    EXPECT_EQ(login.status, 500);
    EXPECT_EQ(login.code(), "INTERNAL_ERROR");
    EXPECT_EQ(exchange->control("/time", {{"advance_ms", 1'000}}).status, 503);
    EXPECT_EQ(exchange->sandbox.clock().now_ms(), test_start_ms);
    EXPECT_EQ(alice.get("/orders").body, before);
    EXPECT_EQ(exchange->get("/tickers").status, 200);
    EXPECT_EQ(exchange->get("/v1/status").body["services"]["engine"], "down");
    EXPECT_NE(status().value("log_problem", ""), "");
  }
  EXPECT_EQ(exchange->send("GET", "/v1/keys", "", {{"Authorization", "Bearer " + alice.session()}}).body.size(), 1u);
  alice.limit("Buy", "1", "57000");
  EXPECT_EQ(exchange->get("/v1/status").body["services"]["engine"], "ok");
  EXPECT_FALSE(status().contains("log_problem"));
  EXPECT_EQ(exchange->violations(), Json::array());
  crash();
  EXPECT_EQ(alice.get("/orders").body.size(), 2u);
}

TEST_F(RestartTest, OnAFullDiskTheTimeThatIsToldRunsOnAlthoughTheBotsWait) {
  exchange.reset();
  options.state_folder = folder.path / "lively";
  options.flow = FlowKind::bots;
  options.clock = {ClockMode::real};
  exchange.emplace(options);
  exchange->machine.advance(10'000);
  exchange->sandbox.pass_time();
  const FullDisk full;
  exchange->machine.advance(10'000);
  exchange->sandbox.pass_time();
  EXPECT_NE(status().value("log_problem", ""), "");
  EXPECT_EQ(exchange->get("/_svc/time").body["now_ms"], test_start_ms + 20'000);
  EXPECT_EQ(status()["clock"]["now_ms"], test_start_ms + 20'000);
}

TEST_F(RestartTest, AFullDiskThatTakesNoNewClockIsNamedByTheStart) {
  exchange.reset();
  const ManualClock machine(test_start_ms);
  const auto refusal = [&]() -> std::string {
    const auto opened = Sandbox::open(options, machine);
    return opened ? "" : opened.error();
  };
  options.clock = *parse_clock_pace("x2");
  {
    const FullDisk full(1'024);
    EXPECT_EQ(refusal(), "");
    options.clock_given = true;
    const std::string why = refusal();
    EXPECT_TRUE(
        why.starts_with("--state: " + options.state_folder.string() + " does not take the clock of this start: "))
        << why;
    EXPECT_TRUE(why.ends_with("; make room, or start without --clock")) << why;
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(RestartTest, AFolderThatWasMovedTakesNoWritesUntilItIsBack) {
  Trader alice(*exchange, 0);
  alice.limit("Buy", "1", "59000");
  ASSERT_EQ(exchange->control("/snapshots", {{"name", "kept"}}).status, 200);
  const fs::path state = options.state_folder;
  const fs::path moved = folder.path / "moved";
  fs::rename(state, moved);
  const auto expect_refusals = [&] {
    EXPECT_EQ(alice.post("/orders", limit_order("Buy", "1", "58000")).status, 503);
    EXPECT_EQ(status().value("log_problem", ""),
              state.string() +
                  " is not the folder that was opened: it was moved, removed or replaced, or its lock was; "
                  "put it back, or start again");
    EXPECT_EQ(exchange->control("/snapshots", {{"name", "new"}}).status, 503);
    EXPECT_EQ(exchange->send("DELETE", "/_svc/snapshots/kept", "").status, 503);
  };
  expect_refusals();
  EXPECT_FALSE(fs::exists(state));
  // As if another sandbox had its folder there.
  fs::copy(moved, state, fs::copy_options::recursive);
  expect_refusals();
  EXPECT_TRUE(fs::exists(state / "snapshots" / "kept.json"));
  EXPECT_FALSE(fs::exists(state / "snapshots" / "new.json"));
  fs::remove_all(state);
  fs::rename(moved, state);
  alice.limit("Buy", "1", "57000");
  EXPECT_FALSE(status().contains("log_problem"));
  EXPECT_EQ(exchange->control("/snapshots", {{"name", "new"}}).status, 200);
  EXPECT_EQ(exchange->send("DELETE", "/_svc/snapshots/kept", "").status, 200);
  crash();
  EXPECT_EQ(alice.get("/orders").body.size(), 2u);
}

TEST_F(RestartTest, ManyMinutesAreOneEntryWithTheSameEffectAsWaiting) {
  TestExchange patient;
  TestExchange hasty;
  for (TestExchange* each : {&patient, &hasty}) {
    Trader alice(*each, 0);
    Trader bob(*each, 1);
    alice.limit("Sell", "1", "60000");
    bob.limit("Buy", "1", "60000");
  }
  constexpr int minutes = 6 * 60;
  hasty.control("/time", {{"advance_ms", minutes * minute_ms}});
  for (int minute = 0; minute < minutes; ++minute) patient.control("/time", {{"advance_ms", minute_ms}});
  EXPECT_EQ(patient.get("/_svc/status").body["state_hash"], hasty.get("/_svc/status").body["state_hash"]);
  for (const char* path : {"/markets/BTC-USDX-PERP/funding", "/tickers", "/_svc/invariants"})
    EXPECT_EQ(patient.get(path).body, hasty.get(path).body) << path;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
