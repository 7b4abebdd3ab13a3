// A success that is no answer to the call: nothing is concluded from it.
#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

using Fate = Intercepted;

struct EmptyAnswer : testing::Test {
  EmptyAnswer() { machine.add_trader("alice"); }

  // Every read of the account, and of what it may see, is answered with this.
  void answer_reads_with(std::string body, int status = 200) {
    machine.intercept = [body = std::move(body), status](const api::HttpRequest& request) -> Fate {
      if (request.method != "GET" || request.target.find("metadata") != std::string::npos) return std::nullopt;
      return answered(status, body, {{"Content-Type", "application/json"}});
    };
  }

  ClientMachine machine;
};

TEST_F(EmptyAnswer, IsNoEmptyListAndNoRecord) {
  for (const char* body : {"", "null", "{}", "\"x\"", R"({"code":"unauthorized"})", "[null]", "[[]]"}) {
    answer_reads_with(body);
    for (const char* command : {"orders list", "positions list", "fills list", "markets list", "account show"}) {
      const RunResult read = machine.run(std::string("-n local --json ") + command);
      EXPECT_EQ(read.exit, 10) << command << " " << body << read.out;
      EXPECT_EQ(read.code(), "unreadable_answer") << command << " " << body;
    }
  }
}

TEST_F(EmptyAnswer, OfAnotherStatusIsNoEmptyList) {
  for (const int status : {201, 202, 203}) {
    answer_reads_with("[]", status);
    for (const char* command : {"orders list", "positions list", "fills list"}) {
      const RunResult read = machine.run(std::string("-n local --json ") + command);
      EXPECT_EQ(read.exit, 10) << command << " " << status << read.out;
      EXPECT_EQ(read.code(), "unreadable_answer") << command << " " << status;
    }
  }
  answer_reads_with("[]");
  EXPECT_EQ(machine.run("-n local orders list").exit, 0);
}

TEST_F(EmptyAnswer, ProvesNotThatAnOrderWasNotAccepted) {
  machine.intercept = [this](const api::HttpRequest& request) -> Fate {
    if (request.method != "POST" || !request.target.ends_with("/orders")) return std::nullopt;
    machine.intercept = {};
    return unanswered(api::Delivery::unknown, "lost");
  };
  const RunResult lost =
      machine.run("-n local --json buy 0.02 BTC-USDX-PERP @ 50000 --client-id lost-1 --no-reconcile");
  ASSERT_EQ(lost.exit, 11);
  answer_reads_with("{}");
  machine.clock.advance(2 * minute_ms);
  const RunResult resolved =
      machine.run("-n local --json outbox resolve " + lost.document().text_at("error.details.outbox"));
  EXPECT_NE(resolved.exit, 2) << resolved.out;
  EXPECT_FALSE(has(resolved.out, "not_accepted"));
}

// As a login page of a network in a hotel does.
TEST_F(EmptyAnswer, OfAnythingButTheOrderDoesNotAcceptARawOne) {
  std::string body;
  machine.intercept = [&](const api::HttpRequest& request) -> Fate {
    if (request.method != "POST" || !request.target.ends_with("/orders")) return std::nullopt;
    return answered(201, body);
  };
  for (const char* answer : {"<html>log in</html>", "", "[]", R"({"order":{"id":"x","market_id":"ETH-USDX-PERP"}})"}) {
    body = answer;
    const std::string line =
        R"( --no-reconcile --allow-duplicate api POST /orders -d '{"market_id":"BTC-USDX-PERP",)"
        R"("side":"Buy","order_type":"Limit","price":"50000","quantity":"0.02","time_in_force":"GTC"}')";
    const RunResult sent = machine.run("-n local --json" + line);
    EXPECT_EQ(sent.exit, 11) << answer << sent.out;
    const RunResult shown = machine.run("-n local" + line);
    EXPECT_EQ(shown.exit, 11) << answer << shown.err;
    EXPECT_EQ(shown.out, answer) << "it may hold something that nothing else shows";
  }
}

// As a newer service may send it.
TEST_F(EmptyAnswer, OfANewerServiceIsShownWithTheSecretInIt) {
  const std::string answer = R"({"id":"svc_abc","api_secret":"dead","scopes":["trade"]})";
  machine.intercept = [&](const api::HttpRequest& request) -> Fate {
    if (request.method != "POST" || !request.target.ends_with("/keys")) return std::nullopt;
    return answered(201, answer);
  };
  const std::string line = R"( --no-reconcile --allow-duplicate api POST /keys -d '{"label":"second"}')";
  const RunResult shown = machine.run("-n local" + line);
  EXPECT_EQ(shown.exit, 11) << shown.err;
  EXPECT_EQ(shown.out, answer);
  const RunResult document = machine.run("-n local --json" + line);
  EXPECT_EQ(document.document().string_at("error.details.answer.api_secret"), "dead") << document.out;
}

TEST_F(EmptyAnswer, DoesNotLookFlat) {
  answer_reads_with("{}");
  const RunResult flat = machine.run("-n local --json flatten");
  EXPECT_EQ(flat.exit, 15) << flat.out;
  EXPECT_EQ(machine.run("-n local --json positions close BTC-USDX-PERP").exit, 10);
}

TEST(CancelByClientId, OneThatIsUnknownHoldsUpNoOther) {
  TraderMachine machine;
  for (const char* id : {"c1", "c2"})
    ASSERT_EQ(machine.run(std::string("-n local buy 0.02 BTC-USDX-PERP @ 50000 --client-id ") + id).exit, 0);
  const RunResult cancelled =
      machine.run("-n local --json orders cancel --client-id c1 --client-id nope --client-id c2");
  EXPECT_EQ(cancelled.exit, 15) << cancelled.out;
  EXPECT_EQ(cancelled.code(), "partly_cancelled");
  const Json last = cancelled.rows().back();
  EXPECT_EQ(last.string_at("client_id"), "nope");
  EXPECT_EQ(last.string_at("error"), "order_not_found");
  EXPECT_EQ(machine.open_orders(), 0u);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
