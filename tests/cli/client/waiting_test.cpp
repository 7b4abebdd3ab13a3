// --wait of commands that show one thing, and the forms of the order book.
#include <gtest/gtest.h>

#include "cli/client/refusal.h"
#include "cli/client_machine.h"
#include "cli/machine/environment.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(Waiting, EndsWhenReachedOrAfterTheTimeout) {
  TraderMachine machine;
  machine.run("-n local local halt BTC-USDX-PERP");
  const RunResult late = machine.run("-n local --json markets status BTC-USDX-PERP --wait open --wait-timeout 3");
  EXPECT_EQ(late.exit, 17) << late.out;
  EXPECT_EQ(late.document().string_at("error.details.last.status"), "halted");
  EXPECT_EQ(machine.slept_ms, 3'000);
  int asked = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() == "/markets/BTC-USDX-PERP/status" && ++asked == 3) {
      machine.intercept = nullptr;
      machine.run("-n local local resume BTC-USDX-PERP");
    }
    return std::nullopt;
  };
  const RunResult open = machine.run("-n local --json markets status BTC-USDX-PERP --wait open");
  EXPECT_EQ(open.document().string_at("data.status"), "active") << open.out;
  EXPECT_EQ(machine.run("-n local venue health --wait down --wait-timeout 1").exit, 17);
  EXPECT_EQ(machine.run("-n local markets status BTC-USDX-PERP --wait open --wait-timeout soon").exit, 2);
}

// The order is placed: neither its exit code nor `retryable` may lead a script to a second one.
TEST(Waiting, ForAnOrderGoesOnWhileTheVenueCannotBeRead) {
  for (const auto& fate : {answered(503, R"({"code":"service_unavailable","message":"m"})"),
                           answered(401, R"({"code":"unauthorized"})"), unanswered(api::Delivery::not_sent)}) {
    TraderMachine machine;
    bool is_placed = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (request.method == "POST" && request.path() == "/orders") {
        is_placed = true;
        return {};
      }
      return is_placed ? fate : Intercepted();
    };
    const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000 --wait --wait-timeout 20");
    EXPECT_EQ(ran.exit, 17) << ran.out;
    EXPECT_FALSE(ran.document().truth_at("error.retryable"));
    EXPECT_TRUE(ran.document().text_at("error.message").starts_with("it was accepted")) << ran.out;
    EXPECT_EQ(ran.document().string_at("data.order.status"), "Open") << ran.out;
  }
}

TEST(Waiting, ForAnOrderSeesItOnceTheVenueCanBeReadAgain) {
  TraderMachine machine;
  int looks = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!request.path().starts_with("/orders/") || ++looks > 5) return {};
    return answered(503, R"({"code":"service_unavailable","message":"m"})");
  };
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000 --wait=terminal --wait-timeout 30");
  EXPECT_EQ(ran.exit, 17) << ran.out;
  EXPECT_TRUE(has(ran.document().text_at("error.message"), "is Open, not terminal")) << ran.out;
}

// Such as the minute that a 429 asks for.
TEST(Waiting, InAShellEndsWithCtrlC) {
  std::int64_t slept_ms = 0;
  Environment environment;
  environment.sleep_ms = [&](std::int64_t ms) { slept_ms += ms; };
  EXPECT_TRUE(environment.pause(60'000));
  EXPECT_EQ(slept_ms, 60'000);
  slept_ms = 0;
  environment.signals_are_taken = true;
  environment.interrupted = [&] { return slept_ms >= 300; };
  EXPECT_FALSE(environment.pause(60'000));
  EXPECT_EQ(slept_ms, 300);
}

TEST(Waiting, AnOrderThatWasNotSentYetIsDroppedWithCtrlC) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local markets list").exit, 0);
  machine.sent.clear();
  machine.interrupted = [] { return true; };
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(ran.exit, 130) << ran.out;
  EXPECT_TRUE(has(ran.out, "nothing was sent"));
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(Waiting, AnInterruptedReadIsNoFailureOfTheService) {
  const Failure failure = unanswered_read({.reason = "timed out", .is_interrupted = true});
  EXPECT_EQ(failure.exit, ExitCode::interrupted);
  EXPECT_FALSE(failure.retryable);
}

TEST(Waiting, ForABridgeWithdrawalToBeFinal) {
  TraderMachine machine;
  const RunResult sent = machine.run("-n local --json bridge withdraw 25");
  const std::string id = sent.document().text_at("data.id");
  ASSERT_FALSE(id.empty()) << sent.out;
  const RunResult done = machine.run("-n local --json bridge withdrawals get " + id + " --wait --wait-timeout 600");
  EXPECT_EQ(done.exit, 0) << done.out;
  EXPECT_EQ(done.document().string_at("data.status"), "completed");
  EXPECT_GT(machine.slept_ms, 60'000);
}

TEST(Version, IsCheckedAgainstTheServedOnes) {
  ClientMachine machine;
  EXPECT_EQ(machine.run("-n local venue metadata --check").exit, 0);
  EXPECT_EQ(machine.run("-n local --api-version 0.7.9 venue metadata --check").exit, 16);
}

TEST(Book, IsGroupedAndSummedExactly) {
  TraderMachine machine;
  for (const std::string level :
       {"buy 0.1 BTC-USDX-PERP @ 59999.5", "buy 0.2 BTC-USDX-PERP @ 59995", "buy 0.3 BTC-USDX-PERP @ 59989",
        "sell 0.4 BTC-USDX-PERP @ 60001", "sell 0.5 BTC-USDX-PERP @ 60010"}) {
    ASSERT_EQ(machine.run("-n local " + level).exit, 0) << level;
  }
  EXPECT_EQ(machine.run("-n local --no-header markets book BTC-USDX-PERP --group 10").out,
            "0.3\t59990\t60010\t0.9\t0.25\n0.3\t59980\t-\t-\t-\n");
  EXPECT_EQ(machine.run("-n local markets book BTC-USDX-PERP --depth 2 --cum").out,
            "bid_cum\tbid_size\tbid\task\task_size\task_cum\tspread_bps\n"
            "0.1\t0.1\t59999.5\t60001\t0.4\t0.4\t0.25\n0.3\t0.2\t59995\t60010\t0.5\t0.9\t-\n");
  const Json cut = machine.run("-n local --json markets book BTC-USDX-PERP --depth 2 --group 10").document();
  EXPECT_EQ(cut.at("data.bids")->items().size(), 2u);
  EXPECT_EQ(cut.at("data.asks")->items().size(), 2u);
  EXPECT_EQ(cut.find("warnings")->items().front().string_at("code"), "table_only") << cut.dump();
}

TEST(AccountShow, FindsTheAccountOfTheEnvironmentsKey) {
  ClientMachine machine;
  const Address alice = machine.add_trader("alice");
  const RunResult made =
      machine.run("-n local --json keys create --print-secret-to " + (machine.home() / "secret").string());
  machine.variables["SVC_API_KEY"] = made.document().text_at("data.key_id");
  std::string secret = machine.read("secret");
  while (secret.ends_with('\n')) secret.pop_back();
  machine.variables["SVC_API_SECRET"] = secret;
  EXPECT_EQ(machine.run("-n local --no-header --fields account account show").out, to_string(alice) + "\n");

  const RunResult told = machine.run("-n local --json whoami --verify");
  EXPECT_EQ(told.document().string_at("data.acting_account"), to_string(alice)) << told.out;
  machine.variables["SVC_ACCOUNT"] = "0x00000000000000000000000000000000000000b2";
  const RunResult contradicted = machine.run("-n local --json whoami --verify");
  EXPECT_EQ(contradicted.exit, 14);
  EXPECT_EQ(contradicted.code(), "wrong_account") << contradicted.out;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
