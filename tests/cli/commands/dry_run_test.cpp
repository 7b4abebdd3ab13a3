// --dry-run and --curl show what would be sent, and open no connection.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(DryRun, OpensNoConnectionAndLeavesNoTrace) {
  ClientMachine machine;
  machine.add_trader("alice");
  const std::string password = " --password-file " + (machine.home() / "password").string();
  const std::string lines[] = {"buy 0.1 BTC-USDX-PERP @ 59000",
                               "sell 0.1 BTC-USDX-PERP" + password,
                               "orders cancel 00010000-0000-4000-8000-000000000001",
                               "orders cancel-all",
                               "orders list",
                               "fills list",
                               "markets list",
                               "keys create",
                               "login --wallet alice" + password,
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
  ClientMachine machine;
  machine.add_trader("alice");
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
  ClientMachine machine;
  machine.add_trader("alice");
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
  ClientMachine machine;
  machine.add_trader("alice");
  const std::string order =
      "-n local --json buy 0.1 BTC-USDX-PERP @ 59000 --password-file " + (machine.home() / "password").string();
  const auto nonce = [&](const RunResult& ran) {
    return std::string(ran.document().string_at("data.action.nonce").value_or(""));
  };
  const std::string first = nonce(machine.run(order + " --dry-run"));
  EXPECT_EQ(nonce(machine.run(order + " --dry-run")), first);
  ASSERT_EQ(machine.run(order).exit, 0);
  EXPECT_EQ(nonce(machine.run(order + " --dry-run")), std::to_string(std::stoull(first) + 1));
}

TEST(DryRun, OfALoginNeedsACachedDomainAndReadsNone) {
  ClientMachine machine;
  const std::string password = " --password-file " + (machine.home() / "password").string();
  ASSERT_EQ(machine.run("-n local keystore new alice" + password).exit, 0);
  const RunResult ran = machine.run("-n local --dry-run login --wallet alice" + password);
  EXPECT_EQ(ran.exit, 14) << ran.err;
  EXPECT_TRUE(machine.sent.empty());
}

TEST(Curl, HasPlaceholdersForSecrets) {
  ClientMachine machine;
  machine.add_trader("alice");
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
  const RunResult login =
      machine.run("-n local --curl login --wallet alice --password-file " + (machine.home() / "password").string());
  EXPECT_NE(login.out.find("\"signature\":\"'\"$SVC_SIGNATURE\"'\""), std::string::npos) << login.out;
}

TEST(Curl, OfAnAdminCommandHasAPlaceholderForTheAdminSecret) {
  ClientMachine machine;
  machine.write("admin", "correct-horse\n");
  const RunResult ran =
      machine.run("-n local --curl admin tiers list --admin-secret-file " + (machine.home() / "admin").string());
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("$SVC_ADMIN_SECRET"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("$SVC_TOKEN"), std::string::npos) << ran.out;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
