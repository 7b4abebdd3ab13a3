// The buckets that processes share: refilled by time, drained by requests, corrected by answers.
#include "cli/client/budget.h"

#include <gtest/gtest.h>

#include <array>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

using budget::BucketFile;
using budget::Demand;

class Buckets : public testing::Test {
 protected:
  Paths paths() const {
    Paths paths;
    paths.state = machine.state();
    return paths;
  }
  BucketFile open() const {
    auto file = BucketFile::open(paths(), "local");
    EXPECT_TRUE(file.has_value());
    return std::move(*file);
  }
  static Demand twenty(std::int64_t cost) {
    return {.bucket = budget::bucket_hash("order:alice"), .per_second_default = 20, .cost = cost};
  }
  std::int64_t take(BucketFile& file, const Demand& demand, std::int64_t most = 60'000) {
    return file.take(std::array{demand}, most, now_ms);
  }

  ClientMachine machine;
  TimestampMs now_ms = machine_start_ms;
};

TEST_F(Buckets, HoldLessThanASecondsTokensAndRefillEvenly) {
  BucketFile file = open();
  EXPECT_EQ(take(file, twenty(16)), 0) << "four fifths of a second's tokens";
  EXPECT_EQ(take(file, twenty(1)), 50) << "one token is there after a twentieth of a second";
  EXPECT_EQ(take(file, twenty(1)), 100) << "whoever comes later waits longer";
  now_ms += 900;
  EXPECT_EQ(take(file, twenty(16)), 0);
}

TEST_F(Buckets, AreSharedByAllProcesses) {
  BucketFile one = open();
  BucketFile two = open();
  EXPECT_EQ(take(one, twenty(16)), 0);
  EXPECT_EQ(take(two, twenty(1)), 50);
}

TEST_F(Buckets, ABlockLastsNoLongerWhenTheClockIsSetBack) {
  BucketFile file = open();
  file.block_until(twenty(1), now_ms + 5'000, now_ms);
  EXPECT_EQ(take(file, twenty(1), 0), 5'000);
  now_ms -= hour_ms;
  EXPECT_EQ(take(file, twenty(1), 0), 5'000);
  now_ms += 2'000;
  EXPECT_EQ(take(file, twenty(1), 0), 3'000);
}

TEST_F(Buckets, TakeNothingIfTheWaitIsTooLong) {
  BucketFile file = open();
  EXPECT_EQ(take(file, twenty(16)), 0);
  EXPECT_EQ(take(file, twenty(1), 0), 50);
  EXPECT_EQ(take(file, twenty(1), 0), 50) << "the first was not taken";
}

TEST_F(Buckets, ACostAboveTheSizeIsCappedAtTheSize) {
  BucketFile file = open();
  EXPECT_EQ(take(file, twenty(1'000)), 0);
  EXPECT_EQ(take(file, twenty(1)), 50);
}

TEST_F(Buckets, LearnLimitAndLevelFromAnswers) {
  BucketFile file = open();
  file.learn(twenty(0), 2'000, std::nullopt, now_ms);
  EXPECT_EQ(take(file, twenty(1'600)), 0);
  now_ms += 1'000;
  file.learn(twenty(0), 2'000, 3, now_ms);
  EXPECT_EQ(take(file, twenty(3)), 0) << "somebody else used the rest";
  EXPECT_EQ(take(file, twenty(2)), 1);
  file.block_until(twenty(0), now_ms + 2'000, now_ms);
  EXPECT_EQ(take(file, twenty(1)), 2'000);
}

TEST_F(Buckets, AWildLevelCountsAsAFullOrAnEmptyOne) {
  BucketFile file = open();
  file.learn(twenty(0), 20, std::numeric_limits<std::int64_t>::max(), now_ms);
  EXPECT_EQ(take(file, twenty(1)), 0);
  file.learn(twenty(0), 20, std::numeric_limits<std::int64_t>::min(), now_ms);
  EXPECT_GT(take(file, twenty(1)), 0);
  EXPECT_LE(take(file, twenty(1)), second_ms);
}

TEST(Budget, AWildRetryAfterBlocksNobodyForLongerThanAMinute) {
  TraderMachine machine;
  machine.intercept = when(
      is_write, answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", {{"Retry-After", "99999999999"}}));
  EXPECT_EQ(machine.run("-n local buy 0.001 BTC-USDX-PERP @ 30000").exit, 9);
  machine.intercept = {};
  EXPECT_EQ(machine.run("-n local --rate fail buy 0.001 BTC-USDX-PERP @ 30000").exit, 9) << "it is blocked";
  machine.clock.advance(limits::rate_wait_ms_max);
  EXPECT_EQ(machine.run("-n local --rate fail buy 0.001 BTC-USDX-PERP @ 30000").exit, 0);
}

TEST(Budget, IsNotWaitedForWhileTheSandboxesClockStandsStill) {
  for (const std::string first : {"10:00:00", "09:59:59"}) {  // it may have gone on once
    TraderMachine machine;
    std::size_t asked = 0;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (!is_write(request)) return std::nullopt;
      const std::string time = asked++ == 0 ? first : "10:00:00";
      return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})",
                      {{"Retry-After", "1"}, {"Date", "Sun, 22 Nov 2026 " + time + " GMT"}});
    };
    machine.slept_ms = 0;
    const RunResult limited = machine.run("-n local --json buy 0.001 BTC-USDX-PERP @ 30000");
    EXPECT_EQ(limited.exit, 9) << limited.out;
    EXPECT_TRUE(has(limited.document().text_at("error.message"), "clock stands still")) << limited.out;
    EXPECT_LE(machine.slept_ms, 3 * second_ms);
  }
}

TEST_F(Buckets, AShareIsTakenFromTheWholeBucketToo) {
  BucketFile file = open();
  const Demand whole = twenty(1);
  const Demand share{.bucket = budget::bucket_hash("order:alice/50%"),
                     .per_second_default = 20,
                     .cost = 1,
                     .share_percent = 50,
                     .shared_of = whole.bucket};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(file.take(std::array{whole, share}, 0, now_ms), 0) << i;
  EXPECT_EQ(file.take(std::array{whole, share}, 0, now_ms), 100) << "ten a second are its part";
  EXPECT_EQ(file.take(std::array{whole}, 0, now_ms), 0) << "the whole is not used up";
}

TEST(Budget, OrdersWaitAndCancelsHaveABudgetOfTheirOwn) {
  TraderMachine machine;
  machine.slept_ms = 0;
  for (int i = 0; i < 17; ++i) {
    ASSERT_EQ(machine.run("-n local buy 0.001 BTC-USDX-PERP @ " + std::to_string(30'000 + i)).exit, 0);
  }
  EXPECT_GT(machine.slept_ms, 0) << "the seventeenth waited";
  const RunResult refused = machine.run("-n local --json --rate fail buy 0.001 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(refused.exit, 9) << refused.out;
  EXPECT_EQ(refused.code(), "budget_spent");
  EXPECT_EQ(refused.document().at("error.actions")->items().at(0).text(), "wait 1 s, or add --rate off");
  machine.slept_ms = 0;
  EXPECT_EQ(machine.run("-n local --rate fail orders cancel-all").exit, 0);
  EXPECT_EQ(machine.slept_ms, 0);
  EXPECT_EQ(machine.run("-n local --rate off buy 0.001 BTC-USDX-PERP @ 30000").exit, 0) << "the server has some left";
  EXPECT_EQ(machine.run("-n local --rate-share 0% account show").exit, 2);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
