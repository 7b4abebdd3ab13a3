#include <gtest/gtest.h>

#include "base/limits.h"
#include "sim/gateway/rate_limiter.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start_ms = 1'700'000'000'000;

TEST(TokenBucket, HoldsOneSecondOfTokensAndNoMore) {
  TokenBucket bucket(20, start_ms);
  EXPECT_EQ(bucket.remaining(start_ms), 20u);
  EXPECT_EQ(bucket.full_at_ms(start_ms), 0);
  EXPECT_EQ(bucket.remaining(start_ms + hour_ms), 20u);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(bucket.can_take(1, start_ms));
    bucket.take(1, start_ms);
  }
  EXPECT_FALSE(bucket.can_take(1, start_ms));
  EXPECT_EQ(bucket.remaining(start_ms), 0u);
}

TEST(TokenBucket, RefillsContinuouslyAndExactly) {
  TokenBucket bucket(3, start_ms);  // a token every 333.33 ms
  bucket.take(3, start_ms);
  EXPECT_FALSE(bucket.can_take(1, start_ms + 333));
  EXPECT_TRUE(bucket.can_take(1, start_ms + 334));
  EXPECT_FALSE(bucket.can_take(2, start_ms + 666));
  EXPECT_TRUE(bucket.can_take(2, start_ms + 667));
  EXPECT_FALSE(bucket.can_take(3, start_ms + 999));
  EXPECT_TRUE(bucket.can_take(3, start_ms + 1000));  // a thousand checks in between lost nothing
}

TEST(TokenBucket, OversizedCostIsChargedAtMostOneSecondOfTokens) {
  TokenBucket bucket(20, start_ms);
  EXPECT_EQ(bucket.charge_of(26), 20u);
  ASSERT_TRUE(bucket.can_take(26, start_ms));
  bucket.take(26, start_ms);
  EXPECT_EQ(bucket.remaining(start_ms), 0u);
  EXPECT_EQ(bucket.passes_at_ms(26, start_ms), start_ms + second_ms);
  EXPECT_TRUE(bucket.can_take(26, start_ms + second_ms));
}

TEST(TokenBucket, ReportsWhenACostPassesAndWhenItIsFull) {
  TokenBucket bucket(20, start_ms);
  bucket.take(20, start_ms);
  EXPECT_EQ(bucket.passes_at_ms(1, start_ms), start_ms + 50);
  EXPECT_EQ(bucket.passes_at_ms(5, start_ms), start_ms + 250);
  TokenBucket uneven(3, start_ms);
  uneven.take(3, start_ms);
  EXPECT_EQ(uneven.passes_at_ms(1, start_ms), start_ms + 334);  // 333 would be too early
  EXPECT_EQ(bucket.full_at_ms(start_ms), start_ms + 1000);
  EXPECT_EQ(bucket.full_at_ms(start_ms + 400), start_ms + 1000);
}

TEST(TokenBucket, AClockThatGoesBackRefillsNothing) {
  TokenBucket bucket(10, start_ms);
  bucket.take(10, start_ms);
  EXPECT_FALSE(bucket.can_take(1, start_ms - 500));
  EXPECT_FALSE(bucket.can_take(1, start_ms));
  EXPECT_TRUE(bucket.can_take(10, start_ms - hour_ms)) << "reverted: it is full";
  bucket.take(10, start_ms - hour_ms);
  EXPECT_FALSE(bucket.can_take(1, start_ms - hour_ms));
}

TEST(TokenBucket, TheHighestScaledRateDoesNotOverflow) {
  constexpr std::uint32_t per_second = 2'000 * limits::limit_scale_max;
  TokenBucket bucket(per_second, start_ms);
  bucket.take(per_second, start_ms);
  EXPECT_EQ(bucket.remaining(start_ms + 500), per_second / 2);
  EXPECT_EQ(bucket.remaining(start_ms + day_ms), per_second);
}

TEST(BucketPool, DropsTheLongestIdleBucketBeyondItsCapacity) {
  BucketPool<int> pool(2);
  pool.at(1, 5, start_ms).take(5, start_ms);
  pool.at(2, 5, start_ms).take(5, start_ms);
  EXPECT_FALSE(pool.at(1, 5, start_ms).can_take(1, start_ms));  // now 2 is idle longest
  EXPECT_TRUE(pool.at(3, 5, start_ms).can_take(5, start_ms));
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_FALSE(pool.at(1, 5, start_ms).can_take(1, start_ms));
  EXPECT_TRUE(pool.at(2, 5, start_ms).can_take(5, start_ms));  // it was created anew
}

TEST(BucketPool, ABucketWhoseRateChangedStartsFull) {
  BucketPool<int> pool(2);
  pool.at(1, 5, start_ms).take(5, start_ms);
  EXPECT_TRUE(pool.at(1, 2000, start_ms).can_take(2000, start_ms));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
