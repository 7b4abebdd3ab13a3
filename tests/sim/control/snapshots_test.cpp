// Snapshots: the whole state goes back, and continues as before.
#include <gtest/gtest.h>

#include <thread>

#include "api/operation_list.h"
#include "base/limits.h"
#include "sim/sandbox_exchange.h"
#include "sim/streams/world.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs hour = 3'600'000;

// Trades between two people over some hours, so that every history has entries.
void trade(TestExchange& exchange, const Trader& alice, const Trader& bob) {
  (void)alice.limit("Buy", "0.5", "59990");
  (void)bob.limit("Sell", "0.2", "59990");
  (void)bob.limit("Sell", "0.3", "60100");
  (void)alice.limit("Buy", "2", "2990", "ETH-USDX-PERP");
  exchange.control("/time", {{"advance_ms", hour}});
  exchange.control("/prices", {{"BTC-USDX-PERP", "60050"}});
  (void)bob.limit("Sell", "0.1", "59990");
  exchange.control("/time", {{"advance_ms", hour}});
}

std::string state_hash(TestExchange& exchange) {
  return exchange.get("/_svc/status").body["state_hash"];
}

// The answers of every read of the API that needs only a market and an account, for these traders. Without the
// streams and the remaining budgets.
Json all_reads(TestExchange& exchange, const std::vector<const Trader*>& traders) {
  Json reads;
  int answered = 0;
  for (const api::OperationEntry& entry : api::all_operations()) {
    const api::Operation& operation = *entry.operation;
    std::string path(operation.path);
    if (operation.method != api::Method::get || operation.group == "streams" || path == "/account/rate-limit") continue;
    for (const Trader* trader : traders) {
      std::string target = path;
      for (const auto& [name, value] : {std::pair<std::string, std::string>{"{market_id}", "BTC-USDX-PERP"},
                                        std::pair<std::string, std::string>{"{address}", trader->account()}})
        if (const auto at = target.find(name); at != std::string::npos) target.replace(at, name.size(), value);
      if (target.find('{') != std::string::npos) continue;
      if (target.ends_with("/candles")) target += "?interval=1m";
      const Reply reply = operation.auth == api::AuthSet() ? exchange.get(target) : trader->get(target);
      if (reply.status == 200) ++answered;
      reads[trader->account() + " " + target] = {reply.status, reply.body};
    }
  }
  EXPECT_GT(answered, 70);
  return reads;
}

TEST(Snapshots, ARevertRestoresEverything) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  trade(exchange, alice, bob);
  const Json taken = exchange.control("/snapshots", {{"name", "before"}}).body;
  const std::string hash = state_hash(exchange);
  const Json reads = all_reads(exchange, {&alice, &bob});

  trade(exchange, alice, bob);
  exchange.control("/markets/BTC-USDX-PERP/halt", {{"reason", "drill"}});
  ASSERT_NE(state_hash(exchange), hash);
  const Reply reverted = exchange.control("/snapshots/before/revert", Json::object());
  EXPECT_EQ(reverted.status, 200);
  EXPECT_EQ(reverted.body["now_ms"], test_start_ms + 2 * hour);
  EXPECT_EQ(reverted.body["sequence"], taken["sequence"]);
  EXPECT_EQ(state_hash(exchange), hash);
  EXPECT_EQ(all_reads(exchange, {&alice, &bob}), reads);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(Snapshots, ARevertAndAResetFillEveryBudget) {
  SandboxOptions options = test_options();
  options.limits = {.multiplier = 1};
  TestExchange exchange(options);
  exchange.control("/snapshots", {{"name", "full"}});
  const auto drain = [&] {
    for (int i = 0; i < 100; ++i)
      if (exchange.get("/tickers").status == 429) return;
    ADD_FAILURE() << "no budget";
  };
  for (const char* way : {"/snapshots/full/revert", "/reset"}) {
    drain();
    exchange.control(way, Json::object());
    EXPECT_EQ(exchange.get("/tickers").status, 200) << way;
  }
}

TEST(Snapshots, IncludeAStreamThatHasJustOpened) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  ASSERT_EQ(alice.put("/account/cancel-on-disconnect", {{"enabled", true}}).status, 200);
  (void)alice.limit("Buy", "0.5", "59990");
  streams_test::Client client("/v1/ws?token=" + alice.post("/ws/token").body["token"].get<std::string>(), "");
  exchange.sandbox.upgrade(api::HttpRequest(client.request()), client.head(),
                           {.refuse = [](const api::HttpResponse& response) { ADD_FAILURE() << response.body; },
                            .accept = [&](const StreamOpened& open) { client.opened(open); }});
  exchange.control("/snapshots", {{"name", "open"}});
  client.vanish();
  exchange.control("/snapshots/open/revert", Json::object());
  EXPECT_EQ(alice.get("/orders").body.size(), 1u);
  exchange.control("/time", {{"advance_ms", limits::disconnect_grace_ms}});
  EXPECT_EQ(alice.get("/orders").body.size(), 0u) << "it has closed since";
}

TEST(Snapshots, RepeatedCommandsEndInTheSameState) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  exchange.control("/snapshots", {{"name", "start"}});
  std::vector<std::string> hashes;
  std::vector<Json> reads;
  for (int round = 0; round < 3; ++round) {
    trade(exchange, alice, bob);
    hashes.push_back(state_hash(exchange));
    reads.push_back(all_reads(exchange, {&alice, &bob}));
    exchange.control("/snapshots/start/revert", Json::object());
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
  EXPECT_EQ(reads[1], reads[0]);
}

TEST(Snapshots, ALaterLoginIsForgottenAndGetsTheSameSecretsAgain) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  exchange.control("/snapshots", {{"name", "start"}});
  const Trader bob(exchange, 1);
  EXPECT_EQ(bob.get("/orders").status, 200);
  exchange.control("/snapshots/start/revert", Json::object());
  EXPECT_EQ(bob.get("/orders").status, 401);
  EXPECT_EQ(alice.get("/orders").status, 200);
  const Trader bob_again(exchange, 1);
  EXPECT_EQ(bob_again.key_id(), bob.key_id());
  EXPECT_EQ(bob_again.session(), bob.session());
}

TEST(Snapshots, ARunningClockDoesNotGoBack) {
  SandboxOptions options = test_options();
  options.clock = {ClockMode::real};
  TestExchange exchange(options);
  const Trader alice(exchange, 0);
  exchange.control("/snapshots", {{"name", "start"}});
  const std::string hash = state_hash(exchange);
  exchange.machine.advance(1'000);
  (void)alice.limit("Buy", "0.5", "59990");
  const Reply reverted = exchange.control("/snapshots/start/revert", Json::object());
  EXPECT_EQ(reverted.body["now_ms"], test_start_ms + 1'000);
  EXPECT_EQ(state_hash(exchange), hash);
  EXPECT_EQ(alice.limit("Buy", "0.5", "59990")["status"], "Open");
}

TEST(Snapshots, AreListedReplacedAndDeletedByName) {
  TestExchange exchange;
  const Json first = exchange.control("/snapshots", {{"name", "a"}}).body;
  EXPECT_EQ(first["name"], "a");
  EXPECT_EQ(first["sequence"], 11);
  EXPECT_EQ(first["now_ms"], test_start_ms);
  EXPECT_GT(first["bytes"], 100);
  exchange.control("/fund", {{"account", "0x00000000000000000000000000000000000000aa"}, {"amount", "5"}});
  exchange.control("/snapshots", {{"name", "a"}});
  const Json listed = exchange.get("/_svc/snapshots").body["snapshots"];
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["sequence"], 12);
  EXPECT_EQ(exchange.send("DELETE", "/_svc/snapshots/a", "").body, (Json{{"name", "a"}, {"deleted", true}}));
  EXPECT_EQ(exchange.send("DELETE", "/_svc/snapshots/a", "").status, 404);
  EXPECT_EQ(exchange.control("/snapshots/a/revert", Json::object()).status, 404);
}

TEST(Snapshots, NamesAndTheirNumberAreBounded) {
  TestExchange exchange;
  for (const char* name : {"", "a b", "a/b", ".a", "\xc3\xa4"})
    EXPECT_EQ(exchange.control("/snapshots", {{"name", name}}).status, 400) << name;
  const std::string longest(limits::snapshot_name_chars_max, 'n');
  EXPECT_EQ(exchange.control("/snapshots", {{"name", longest}}).status, 200);
  EXPECT_EQ(exchange.control("/snapshots", {{"name", longest + "n"}}).status, 400);
  for (std::size_t i = 1; i < limits::snapshots_max; ++i)
    ASSERT_EQ(exchange.control("/snapshots", {{"name", std::to_string(i)}}).status, 200);
  EXPECT_EQ(exchange.control("/snapshots", {{"name", "one-more"}}).status, 422);
  EXPECT_EQ(exchange.control("/snapshots", {{"name", longest}}).status, 200);
}

TEST(StateDocument, AnotherSandboxContinuesFromIt) {
  TestExchange first;
  const Trader alice(first, 0);
  const Trader bob(first, 1);
  trade(first, alice, bob);
  const Json document = first.get("/_svc/state").body;
  EXPECT_EQ(document["format"], "svc-sandbox-state");
  EXPECT_EQ(document["version"], 5);

  TestExchange second;
  const Reply loaded = second.send("PUT", "/_svc/state", document.dump());
  ASSERT_EQ(loaded.status, 200) << loaded.body;
  EXPECT_EQ(loaded.body["now_ms"], document["now_ms"]);
  EXPECT_EQ(state_hash(second), state_hash(first));
  EXPECT_EQ(second.get("/markets/BTC-USDX-PERP/trades").body, first.get("/markets/BTC-USDX-PERP/trades").body);
}

TEST(StateDocument, AnInvalidOneIsRefusedAndChangesNothing) {
  TestExchange exchange;
  const Json good = exchange.get("/_svc/state").body;
  const std::string hash = state_hash(exchange);
  Json damaged = good;
  std::string text = damaged["state"];
  text[text.size() / 2] = text[text.size() / 2] == 'A' ? 'B' : 'A';
  damaged["state"] = text;
  Json newer = good;
  newer["version"] = 6;
  SandboxOptions testnet = test_options();
  testnet.network = api::NetworkId::testnet;
  TestExchange elsewhere(testnet);
  const std::pair<std::string, std::string> rows[] = {
      {"", "the body is not JSON: a value is due at byte 0"},
      {"{}", "this is not the state of a sandbox"},
      {newer.dump(), "this sandbox reads states of version 5"},
      {damaged.dump(), "the state is damaged"},
      {elsewhere.get("/_svc/state").body.dump(), "the state is not that of a sandbox of local"},
  };
  for (const auto& [body, told] : rows) {
    const Reply refused = exchange.send("PUT", "/_svc/state", body);
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.body["message"], told);
    EXPECT_EQ(state_hash(exchange), hash);
  }
}

TEST(Snapshots, TradersOnOtherThreadsSeeTheStateBeforeOrAfter) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  exchange.control("/snapshots", {{"name", "start"}});
  {
    std::jthread buyer([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) (void)alice.limit("Buy", "0.01", "59990");
    });
    std::jthread seller([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) (void)bob.limit("Sell", "0.01", "59990");
    });
    for (int round = 0; round < 20; ++round) {
      ASSERT_EQ(exchange.control("/snapshots/start/revert", Json::object()).status, 200);
      ASSERT_EQ(exchange.violations(), Json::array());
    }
  }
  EXPECT_EQ(exchange.violations(), Json::array());
}

}  // namespace SVC_FILE
}  // namespace svc::sim
