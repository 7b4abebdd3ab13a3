// The flags of all writes: what to wait for, who signs, and flags for which the API has no field.
#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string password = " --password-file PASSWORD";

struct Trader : ClientMachine {
  Trader() { alice = add_trader("alice"); }

  RunResult act(const std::string& line) {
    return run("-n local --json " + with_each(line, "PASSWORD", (home() / "password").string()));
  }
  // A write that must be refused locally.
  void refused(const std::string& line, std::string_view why) {
    const std::size_t before = sent.size();
    const RunResult ran = act(line);
    EXPECT_EQ(ran.exit, 2) << line << "\n" << ran.out;
    EXPECT_TRUE(has(ran.document().string_at("error.message").value_or(""), why)) << ran.out;
    EXPECT_EQ(sent.size(), before) << line;
  }
  std::string batch() {
    return write("b.ndjson",
                 R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1"})"
                 "\n"
                 R"({"market_id":"ETH-USDX-PERP","side":"Buy","order_type":"Limit","price":"2000","quantity":"0.1"})"
                 "\n")
        .string();
  }

  Address alice;
};

TEST(WriteFlags, ABatchWaitsForAllItsOrdersAndReportsEach) {
  Trader machine;
  const RunResult open = machine.act("orders batch -f " + machine.batch() + " --wait=open");
  EXPECT_EQ(open.exit, 0) << open.out;
  const RunResult late = machine.act("orders batch -f " + machine.batch() + " --wait=terminal --wait-timeout 2");
  EXPECT_EQ(late.exit, 17) << late.out;
  EXPECT_EQ(late.rows().size(), 2U) << "what is known is shown";
  // Meanwhile a sell fills one of them and the other one is cancelled.
  int looks = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "GET" || request.target.find("/orders") == std::string::npos || ++looks != 2)
      return std::nullopt;
    EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
    return std::nullopt;
  };
  const RunResult over = machine.act("orders batch -f " + machine.batch() + " --wait");
  EXPECT_EQ(over.exit, 6) << over.out;
  for (const Json& row : over.rows()) EXPECT_EQ(row.string_at("order.status"), "Cancelled") << row.dump();
}

TEST(WriteFlags, ACancelWaitsUntilTheOrdersAreOver) {
  Trader machine;
  const std::string order = machine.act("buy 0.1 BTC-USDX-PERP @ 50000").document().text_at("data.order.id");
  const RunResult ran = machine.act("orders cancel " + order + " --wait");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(ran.rows().front().string_at("status"), "Cancelled");
  for (const std::string_view word : {"someday", "filled", "open"})
    EXPECT_EQ(machine.act("orders cancel " + order + " --wait=" + std::string(word)).exit, 2) << word;
  EXPECT_EQ(machine.act("orders cancel-all --wait").exit, 0);
  const RunResult nothing = machine.act("orders cancel -f " + machine.write("ids", "\n").string());
  EXPECT_EQ(nothing.exit, 0) << "a pipeline that found nothing to cancel is no mistake";
  EXPECT_TRUE(has(nothing.out, R"("data":[])"));
}

TEST(WriteFlags, ASettingIsReadBackBeforeTheWaitEnds) {
  Trader machine;
  machine.sent.clear();
  EXPECT_EQ(machine.act("margin mode set BTC-USDX-PERP isolated --wait").exit, 0);
  EXPECT_EQ(machine.sent.back().method, "GET");
  // A service whose reads lag behind for longer than the wait.
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "GET" || request.target.find("cancel-on-disconnect") == std::string::npos)
      return std::nullopt;
    return answered(200, R"({"enabled":false,"active":false,"grace_secs":10})");
  };
  const RunResult late = machine.act("account cancel-on-disconnect on --wait --wait-timeout 2");
  EXPECT_EQ(late.exit, 17) << late.out;
  EXPECT_NE(late.document().at("error.details.answer"), nullptr) << late.out;
}

TEST(WriteFlags, APaymentIsWaitedForUntilItIsFinal) {
  Trader machine;
  EXPECT_EQ(machine.act("deposits submit --amount 5 --wait").exit, 0);
  const RunResult pending = machine.act("bridge withdraw 5 --wait --wait-timeout 3");
  EXPECT_EQ(pending.exit, 17) << pending.out;
  EXPECT_TRUE(has(pending.document().string_at("error.message").value_or(""), "pending"));
}

TEST(WriteFlags, FlagsWithoutAFieldInTheApiAreRefusedBeforeAnythingIsSent) {
  Trader machine;
  machine.refused("withdrawals submit 5 --to " + to_string(machine.alice), "no field for a destination");
  machine.refused("withdrawals submit 5 --allow-new-address", "no field for a destination");
  machine.refused("bridge withdraw 5 --allow-new-address", "no field for a destination");
  machine.refused("margin leverage BTC-USDX-PERP 5 --client-id x", "no field");
  machine.refused("margin leverage BTC-USDX-PERP 5 --preview", "previews orders only");
  machine.refused("orders batch -f x --client-id x", "in its line");
  machine.refused("keys create --wait", "as soon as it is answered");
  machine.refused("flatten --wait", "over when they are answered");
  machine.refused("deposits submit --amount 5 --action sign", "must be one of omit");
  machine.refused("withdrawals submit 5 --action omit", "must be one of sign");
  machine.refused("deposits submit --amount 5 --wait-timeout 5", "needs --wait");
}

TEST(WriteFlags, ANewAddressIsPaidOnlyWithTheFlag) {
  Trader machine;
  ASSERT_EQ(machine.run("config set guards.local.address_cooldown 1h").exit, 0);
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.act("transfers enroll" + password).exit, 0);
  const std::string pay = "transfers send 1 --to 0x00000000000000000000000000000000000000aa" + password;
  EXPECT_EQ(machine.act(pay).code(), "address_not_listed");
  const RunResult paid = machine.act(pay + " --allow-new-address");
  EXPECT_NE(paid.exit, 14) << paid.out;
  EXPECT_TRUE(has(paid.out, "new_address"));
}

TEST(CommandWords, SingularsAreAcceptedInEveryWordOfAName) {
  Trader machine;
  for (const std::string line : {"order list", "bridge withdrawal list", "address list", "limit",
                                 "market trade BTC-USDX-PERP", "market funding-sample BTC-USDX-PERP", "account fee"}) {
    EXPECT_EQ(machine.act(line).exit, 0) << line;
  }
  // Both are command names: the exact one counts.
  EXPECT_EQ(machine.act("local snapshot one").document().string_at("schema"), "svc.local.snapshot/1");
  EXPECT_EQ(machine.act("local snapshots").document().string_at("schema"), "svc.local.snapshots/1");
  EXPECT_EQ(machine.act("statu").exit, 2);
}

TEST(CommandWords, AliasListsShowsAndCreatesAliases) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("alias mine 'orders list --sort price'").exit, 0);
  EXPECT_EQ(machine.run("alias --no-header").out, "mine\torders list --sort price\n");
  EXPECT_EQ(machine.run("alias mine --no-header").out, machine.run("alias list --no-header").out);
  EXPECT_EQ(machine.run("alias other").exit, 5);
  EXPECT_EQ(machine.run("alias alias 'orders list'").exit, 2);
  EXPECT_EQ(machine.run("alias remove mine").exit, 0);
}

TEST(Addresses, AreAddedByPlaceOrByFlag) {
  ClientMachine machine;
  const std::string address = "0x00000000000000000000000000000000000000aa";
  EXPECT_EQ(machine.run("-n local addresses add " + address + " --label cold").exit, 0);
  EXPECT_EQ(machine.run("-n local addresses list --label cold --fields address --no-header").out, address + "\n");
  EXPECT_EQ(machine.run("-n local addresses add cold " + address + " --label cold").exit, 2);
  EXPECT_EQ(machine.run("-n local addresses remove --label cold").exit, 0);
}

TEST(LocalInspect, ReadsSandboxStatesWithAndWithoutBots) {
  for (const sim::FlowKind flow : {sim::FlowKind::none, sim::FlowKind::bots}) {
    sim::SandboxOptions options;
    options.flow = flow;
    ClientMachine machine(std::move(options));
    const std::string file = (machine.home() / "state.svc").string();
    ASSERT_EQ(machine.run("local dump " + file).exit, 0);
    EXPECT_EQ(machine.run("local inspect " + file).exit, 0);
    EXPECT_EQ(machine.run("local diff " + file + " " + file).exit, 0);
  }
}

TEST(LocalInspect, ReadsStatesOfOtherNetworksAndOfSeveral) {
  using enum api::NetworkId;
  for (const bool several : {false, true}) {
    sim::SandboxOptions options;
    options.network = testnet;
    if (several) options.networks = {testnet, local};
    ManualClock clock(1'790'000'000'000);
    sim::Sandbox sandbox(options, clock);
    ClientMachine machine;
    const auto dumped = sandbox.handle({.method = "GET", .target = "/_svc/state", .headers = {}, .body = {}});
    const std::string file = machine.write("state.svc", dumped.body).string();
    const RunResult counts = machine.run("local inspect " + file);
    EXPECT_EQ(counts.exit, 0) << counts.err;
    EXPECT_TRUE(has(counts.out, several ? "testnet markets\t3\n" : "markets\t3\n"));
    EXPECT_EQ(counts.out.find("local markets\t3\n") != std::string::npos, several) << counts.out;
    EXPECT_EQ(machine.run("--json local diff " + file + " " + file).document().find("data")->dump(), "[]");
  }
}

TEST(LocalInspect, ReadsSandboxStatesOfOtherMarketsWithTheirFile) {
  const std::string markets = R"([{"id":"AAA-USDX-PERP","price":"10","tick_size":"0.01","lot_size":"0.1"}])";
  auto listed = sim::parse_markets_file(markets);
  ASSERT_TRUE(listed.has_value());
  sim::SandboxOptions options;
  options.markets = std::move(listed->markets);
  options.start_prices = std::move(listed->prices);
  ClientMachine machine(std::move(options));
  const std::string file = (machine.home() / "state.svc").string();
  ASSERT_EQ(machine.run("local dump " + file).exit, 0);
  const RunResult others = machine.run("local inspect " + file);
  EXPECT_EQ(others.exit, 7);
  EXPECT_TRUE(has(others.err, "add --markets FILE"));
  const std::string with = " --markets " + machine.write("markets.json", markets).string();
  EXPECT_EQ(machine.run("local inspect " + file + with).exit, 0);
  EXPECT_EQ(machine.run("local diff " + file + " " + file + with).exit, 0);
}

TEST(LocalTrade, UsesTheWordsOfOrders) {
  Trader machine;
  const RunResult ran = machine.run("--json local trade BTC-USDX-PERP 1 @ 60100");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(machine.run("-n local markets trades BTC-USDX-PERP --limit 1 --fields price --no-header").out, "60100\n");
  EXPECT_EQ(machine.run("local trade BTC-USDX-PERP 1 60100").exit, 2);
  EXPECT_EQ(machine.run("local trade BTC-USDX-PERP 1 @ 60100 --price 1").exit, 2);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
