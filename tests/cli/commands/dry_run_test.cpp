// --dry-run and --curl show what would be sent, and open no connection.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(DryRun, OpensNoConnectionAndLeavesNoTrace) {
  TraderMachine machine;
  const std::string lines[] = {"buy 0.1 BTC-USDX-PERP @ 59000",
                               "sell 0.1 BTC-USDX-PERP" + machine.with_password,
                               "orders cancel 00010000-0000-4000-8000-000000000001",
                               "orders cancel-all",
                               "orders list",
                               "fills list",
                               "markets list",
                               "keys create",
                               "login --wallet alice" + machine.with_password,
                               "deposits submit --amount 5",
                               "api GET /account",
                               "local price BTC-USDX-PERP 61000",
                               "keystore lock",
                               "addresses remove nobody",
                               "guard -- bot",
                               "account summary"};
  const auto journal = machine.journal("local").size();
  machine.sent.clear();
  machine.origins.clear();
  for (const std::string& line : lines) {
    const RunResult ran = machine.run("-n local --json --dry-run " + line);
    EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.out;
    const Json document = ran.document();
    const Json* mark = document.at("data.dry_run");
    EXPECT_TRUE(mark != nullptr && mark->truth()) << line;
  }
  EXPECT_TRUE(machine.origins.empty());
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(machine.journal("local").size(), journal);
}

TEST(DryRun, OfALocalCommandChangesNoFile) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("network add desk --rest http://localhost:1").exit, 0);
  machine.write("key", "0000000000000000000000000000000000000000000000000000000000001234\n");
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(machine.home())) {
      const auto name = std::filesystem::relative(entry.path(), machine.home());
      all[name] = entry.is_regular_file() ? machine.read(name) : "";
    }
    return all;
  };
  const auto before = files();
  for (const std::string& line : {std::string("logout"), std::string("keystore new bob"),
                                  "keystore import carol --from " + (machine.home() / "key").string(),
                                  std::string("network add other --rest http://localhost:2"),
                                  std::string("network remove desk"), std::string("serve --local")}) {
    const RunResult ran = machine.run("-n local --json --dry-run " + line);
    EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.out;
    EXPECT_TRUE(ran.document().at("data.dry_run")->truth()) << line;
    EXPECT_EQ(files(), before) << line;
  }
  EXPECT_EQ(machine.run("-n local --dry-run keystore new alice").exit, 6) << "the name is taken";
}

TEST(DryRun, ShowsCostSignaturesAndRequest) {
  TraderMachine machine;
  const std::string password = (machine.home() / "password").string();
  const RunResult ran = machine.run(
      "-n local --json --dry-run buy 0.1 BTC-USDX-PERP @ 59000 --client-id mine --password-file " + password);
  const Json data = *ran.document().find("data");
  EXPECT_EQ(data.string_at("method"), "POST");
  EXPECT_EQ(data.string_at("url"), "http://localhost:9090/orders");
  EXPECT_EQ(data.string_at("cost.bucket"), "order");
  EXPECT_EQ(data.integer_at("cost.weight"), 1);
  EXPECT_EQ(data.string_at("auth"), "hmac");
  EXPECT_EQ(data.string_at("body.client_id"), "mine");
  EXPECT_EQ(data.string_at("action.type"), "PlaceOrder");
  EXPECT_EQ(data.string_at("action.domain.kind"), "action, without salt");
  EXPECT_EQ(data.integer_at("action.domain.chain_id"), 20056);
  EXPECT_EQ(data.string_at("action.deployment"), "svc-local");
  EXPECT_TRUE(data.string_at("canonical").value_or("").find("\nPOST\n/orders\n\n") != std::string_view::npos);
  EXPECT_EQ(data.string_at("headers.X-Signature"), "(redacted, 64 characters)");
  EXPECT_EQ(data.string_at("headers.x-action-signature"), "(redacted, 132 characters)");
  EXPECT_EQ(ran.document().string_at("meta.cost.bucket"), "order");
}

TEST(DryRun, TakesNoNonce) {
  TraderMachine machine;
  const std::string order = "-n local --json buy 0.1 BTC-USDX-PERP @ 59000" + machine.with_password;
  const auto nonce = [&](const RunResult& ran) { return ran.document().text_at("data.action.nonce"); };
  const std::string first = nonce(machine.run(order + " --dry-run"));
  EXPECT_EQ(nonce(machine.run(order + " --dry-run")), first);
  ASSERT_EQ(machine.run(order).exit, 0);
  EXPECT_EQ(nonce(machine.run(order + " --dry-run")), std::to_string(std::stoull(first) + 1));
}

TEST(DryRun, OfALoginNeedsACachedDomainAndReadsNone) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("-n local keystore new alice" + machine.with_password).exit, 0);
  const RunResult ran = machine.run("-n local --dry-run login --wallet alice" + machine.with_password);
  EXPECT_EQ(ran.exit, 14) << ran.err;
  EXPECT_TRUE(machine.sent.empty());
}

TEST(DryRun, ShowsAllRequestsOfACommand) {
  TraderMachine machine;
  machine.sent.clear();
  const auto plan = [&](const std::string& line) {
    const RunResult ran = machine.run("-n local --json --dry-run " + line);
    EXPECT_EQ(ran.exit, 0) << line << ran.out << ran.err;
    return ran.document();
  };
  const auto operations = [](const Json& document) {
    std::string all = document.text_at("data.operation");
    for (const Json& one : document.at("data.then")->items()) all += " " + one.text_at("operation");
    return all;
  };
  const Json three = plan("orders cancel a b c --market BTC-USDX-PERP --action sign" + machine.with_password);
  EXPECT_EQ(three.integer_at("data.requests"), 3);
  EXPECT_EQ(three.integer_at("data.cost.weight"), 3);
  const std::vector<Json>& then = three.at("data.then")->items();
  ASSERT_EQ(then.size(), 2u);
  EXPECT_EQ(then[1].string_at("url"), "http://localhost:9090/orders/c?market_id=BTC-USDX-PERP");
  EXPECT_EQ(then[1].integer_at("cost.weight"), 1);
  const std::uint64_t nonce = std::stoull(three.text_at("data.action.nonce"));
  EXPECT_EQ(then[0].text_at("action.nonce"), std::to_string(nonce + 1));
  EXPECT_EQ(then[1].text_at("action.nonce"), std::to_string(nonce + 2));

  for (int i = 0; i < 40; ++i)
    machine.input += R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"40000",)"
                     R"("quantity":"0.001","time_in_force":"GTC"})"
                     "\n";
  const Json batch = plan("orders batch -f -");
  EXPECT_EQ(batch.integer_at("data.orders"), 40);
  EXPECT_EQ(batch.at("data.body")->items().size(), 39u);
  EXPECT_EQ(batch.at("data.then")->items().at(0).find("body")->items().size(), 1u);

  machine.write("desk.toml",
                "[account]\ncancel_on_disconnect = true\n[markets.BTC-USDX-PERP]\nmargin_mode = \"isolated\"\n"
                "leverage = 5\n");
  EXPECT_EQ(operations(plan("apply -f " + (machine.home() / "desk.toml").string())),
            "set_cancel_on_disconnect set_margin_mode set_leverage");

  // What depends on an answer is named.
  for (const std::string line : {"flatten", "orders cancel-all --side buy", "orders cancel a --client-id mine",
                                 "orders cancel-all --client-id-prefix x"})
    EXPECT_TRUE(has(plan(line).find("warnings")->dump(), "unplanned")) << line;
  EXPECT_EQ(operations(plan("flatten")), "cancel_all_orders");
  EXPECT_TRUE(machine.sent.empty());

  const std::string text = machine.run("-n local --dry-run orders cancel a b").out;
  EXPECT_TRUE(has(text, "/orders/a\n"));
  EXPECT_TRUE(has(text, "/orders/b\n"));
  const std::string curl = machine.run("-n local --curl orders cancel a b").out;
  EXPECT_EQ(std::ranges::count(curl, '\n'), 2) << curl;
}

TEST(DryRun, OfAForecastCountsAllRequestsOfACommand) {
  TraderMachine machine;
  machine.write("script", "orders cancel a b c\nflatten\n");
  const RunResult ran =
      machine.run("-n local --json limits --tier pro --forecast " + (machine.home() / "script").string());
  EXPECT_EQ(ran.document().integer_at("data.requests"), 4) << ran.out;
}

TEST(DryRun, OfOutboxResolveSaysWhatItWouldLookFor) {
  TraderMachine machine;
  machine.intercept = when(is_write, unanswered(api::Delivery::unknown));
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000 --client-id mine --no-reconcile").exit, 11);
  machine.sent.clear();
  const RunResult ran = machine.run("-n local --json --dry-run outbox resolve");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  const Json document = ran.document();
  const Json* entries = document.at("data.entries");
  ASSERT_TRUE(entries != nullptr && entries->items().size() == 1u) << ran.out;
  EXPECT_EQ(entries->items()[0].string_at("client_id"), "mine");
  EXPECT_EQ(entries->items()[0].string_at("looks_for"), "open orders, order history and fills, by client id");
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(machine.open_entries(), 1u);
  EXPECT_EQ(machine.run("-n local --dry-run outbox resolve none").exit, 5);
}

TEST(DryRun, OfLocalRunHasNoFlagOfItsOwnInThePlan) {
  ClientMachine machine;
  machine.variables["SVC_OUTPUT"] = "json";
  EXPECT_EQ(machine.run("--dry-run local run --seed 5 -- true").document().at("data.serve")->dump(),
            R"(["svc","serve","--seed","5","--local","--port","0","--log","none"])");
}

TEST(Curl, HasPlaceholdersForSecrets) {
  TraderMachine machine;
  machine.sent.clear();
  const RunResult ran = machine.run("-n local --curl buy 0.1 BTC-USDX-PERP @ 59000 --client-id it-is");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_TRUE(machine.sent.empty());
  EXPECT_EQ(ran.out,
            "curl -sS -X POST 'http://localhost:9090/orders' -H 'Accept: application/json' -H 'Content-Type: "
            "application/json' -H 'X-Svc-Api-Version: 0.9.0' -H 'X-API-Key: '\"$SVC_API_KEY\"'' -H 'X-Timestamp: "
            "'\"$SVC_TIMESTAMP\"'' -H 'X-Signature: '\"$SVC_SIGNATURE\"'' --data-binary "
            "'{\"market_id\":\"BTC-USDX-PERP\",\"side\":\"Buy\",\"order_type\":\"Limit\",\"quantity\":\"0.1\","
            "\"time_in_force\":\"GTC\",\"price\":\"59000\",\"reduce_only\":false,\"client_id\":\"it-is\"}'\n");
  const RunResult login = machine.run("-n local --curl login --wallet alice" + machine.with_password);
  EXPECT_TRUE(has(login.out, "\"signature\":\"'\"$SVC_SIGNATURE\"'\""));
}

TEST(Curl, OfAnAdminCommandHasAPlaceholderForTheAdminSecret) {
  ClientMachine machine;
  machine.write("admin", "correct-horse\n");
  const RunResult ran =
      machine.run("-n local --curl admin tiers list --admin-secret-file " + (machine.home() / "admin").string());
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "$SVC_ADMIN_SECRET"));
  EXPECT_FALSE(has(ran.out, "$SVC_TOKEN"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
