#include <gtest/gtest.h>

#include <set>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// In another terminal bob logs in as soon as the command of alice has sent its first request.
struct TwoTerminals : ClientMachine {
  TwoTerminals() {
    add_trader("bob");
    alice = add_trader("alice");
    for (const std::string price : {"30000", "30001"})
      EXPECT_EQ(run("-n local buy 0.1 BTC-USDX-PERP @ " + price + " --client-id mine" + price).exit, 0);
    sent.clear();
    intercept = [this, done = false](const api::HttpRequest& request) mutable -> Intercepted {
      if (done || !request.headers.contains("X-API-Key")) return {};
      done = true;
      EXPECT_EQ(run("-n local login --wallet bob" + with_password).exit, 0);
      return {};
    };
  }

  [[nodiscard]] std::set<std::string> keys_sent() const {
    std::set<std::string> keys;
    for (const api::HttpRequest& request : sent)
      if (const auto key = request.headers.find("X-API-Key")) keys.emplace(*key);
    return keys;
  }

  Address alice;
};

TEST(AccountOfARun, StaysWhenAnotherProgramLogsIn) {
  std::string batch;
  for (int i = 0; i < 41; ++i)
    batch += R"({"market_id":"BTC-USDX-PERP","side":"buy","order_type":"limit","quantity":"0.01","price":"29000"})"
             "\n";
  for (const std::string line : {"flatten", "orders cancel-all --side buy", "orders cancel-all --client-id-prefix mine",
                                 "orders cancel --client-id mine30000", "orders batch -f BATCH",
                                 "positions close BTC-USDX-PERP", "apply -f DESK --yes"}) {
    TwoTerminals machine;
    machine.write("batch", batch);
    machine.write("desk.toml",
                  "[account]\ncancel_on_disconnect = true\n[markets.BTC-USDX-PERP]\nmargin_mode = \"isolated\"\n");
    const std::string typed = with_each(line, "BATCH", (machine.home() / "batch").string());
    const RunResult ran =
        machine.run("-n local --json " + with_each(typed, "DESK", (machine.home() / "desk.toml").string()));
    EXPECT_EQ(machine.keys_sent().size(), 1u) << line << '\n' << ran.out;
    EXPECT_EQ(ran.document().string_at("account"), to_string(machine.alice)) << line;
    if (line.starts_with("orders cancel")) {
      EXPECT_EQ(ran.exit, 0) << line << '\n' << ran.out << ran.err;
    }
  }
}

TEST(AccountOfARun, AfterItsLogoutNothingMoreIsSent) {
  TwoTerminals machine;
  machine.intercept = [&, done = false](const api::HttpRequest& request) mutable -> Intercepted {
    if (done || !request.headers.contains("X-API-Key")) return {};
    done = true;
    EXPECT_EQ(machine.run("-n local login --wallet bob" + machine.with_password).exit, 0);
    EXPECT_EQ(machine.run("-n local --signer alice logout").exit, 0);
    return {};
  };
  const RunResult ran = machine.run("-n local --json orders cancel-all --side buy");
  EXPECT_NE(ran.exit, 0) << ran.out;
  EXPECT_TRUE(has(ran.out, "wallet alice, which this command acts for, is not logged in"));
  EXPECT_EQ(machine.keys_sent().size(), 1u);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
