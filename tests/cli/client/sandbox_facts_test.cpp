// Facts about a sandbox cached from the previous command: they save a request, and are never an obstacle.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

class SandboxFacts : public ::testing::Test {
 protected:
  SandboxFacts() { machine.add_trader("alice"); }
  // The exit code of a signed read.
  int read() {
    machine.sent.clear();
    return machine.run("-n local orders list").exit;
  }
  std::ptrdiff_t questions() const {
    return std::count_if(machine.sent.begin(), machine.sent.end(),
                         [](const api::HttpRequest& one) { return one.target.ends_with("/metadata"); });
  }
  // Refuses the next signed request as one with a wrong time.
  void refuse_next() {
    machine.intercept = [this](const api::HttpRequest& request) -> Intercepted {
      if (request.target.ends_with("/metadata")) return std::nullopt;
      machine.intercept = nullptr;
      return answered(401, R"({"error":"Unauthorized"})");
    };
  }
  ClientMachine machine;
};

TEST_F(SandboxFacts, AreCachedWhileItsClockIsInStepWithOurs) {
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(questions(), 0);
}

TEST_F(SandboxFacts, AreReadAgainOnceOurClockWasSet) {
  EXPECT_EQ(read(), 0);
  machine.clock.advance(10 * second_ms);
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(questions(), 0) << "ten seconds passed";
  machine.clock.advance(10 * second_ms);
  machine.uptime_ahead_ms -= 10 * second_ms;
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(questions(), 1);
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(questions(), 0);
}

TEST_F(SandboxFacts, AreReadAgainWhenASignatureIsRefused) {
  EXPECT_EQ(read(), 0);
  machine.server_ahead_ms = 5'000;
  refuse_next();
  EXPECT_EQ(read(), 0) << "the clock had been set";
  EXPECT_EQ(questions(), 1);
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(questions(), 1) << "a clock of its own may jump again";
}

TEST_F(SandboxFacts, TheClockOfARefusalCountsForLaterRunsToo) {
  EXPECT_EQ(read(), 0);
  ASSERT_EQ(machine.run("-n local local time advance 1h").exit, 0);
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(machine.sent.size(), 2u) << "refused, and sent again by the clock of the refusal";
  EXPECT_EQ(questions(), 0);
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(machine.sent.size(), 2u) << "one question, and one request that is not refused";
  EXPECT_EQ(questions(), 1) << "a clock of its own may jump again";
}

TEST_F(SandboxFacts, ThatHaveNotChangedLeaveTheRefusal) {
  EXPECT_EQ(read(), 0);
  refuse_next();
  EXPECT_EQ(read(), 4);
  EXPECT_EQ(questions(), 1);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
