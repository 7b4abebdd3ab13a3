// Random draws and integer math: tables against known digits, draws against their distributions.
#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/actors/chance.h"
#include "sim/actors/index_feed.h"

namespace svc::sim {
namespace SVC_FILE {

testing::AssertionResult is_near(std::int64_t value, std::int64_t expected, std::int64_t tolerance) {
  if (std::abs(value - expected) <= tolerance) return testing::AssertionSuccess();
  return testing::AssertionFailure() << value << " is not " << expected << ", give or take " << tolerance;
}

TEST(IntegerMath, ExponentialsHaveTheirKnownDigits) {
  EXPECT_EQ(exp_ppb(0), 1'000'000'000);
  EXPECT_TRUE(is_near(exp_ppb(1'000'000'000), 2'718'281'828, 30));
  EXPECT_TRUE(is_near(exp_ppb(-1'000'000'000), 367'879'441, 10));
  EXPECT_TRUE(is_near(exp_ppb(123'456'789), 1'131'401'114, 12));
  EXPECT_TRUE(is_near(exp_ppb(-2'500'000'000), 82'084'999, 3));
  EXPECT_EQ(exp_ppb(-40'000'000'000), exp_ppb(-20'000'000'000));
}

TEST(IntegerMath, LogarithmsHaveTheirKnownDigits) {
  EXPECT_EQ(neg_log_ppb(1ull << 32), 0);
  EXPECT_TRUE(is_near(neg_log_ppb(1ull << 31), 693'147'181, 2));
  EXPECT_TRUE(is_near(neg_log_ppb(1), 22'180'709'777, 40));
  EXPECT_TRUE(is_near(neg_log_ppb(3'000'000'000), 358'831'652, 5));
  EXPECT_TRUE(is_near(log1p_ppb(16'129'032), 16'000'341, 3));
  EXPECT_TRUE(is_near(log1p_ppb(9'000'000'000), 2'302'585'093, 5));
}

TEST(IntegerMath, RootsAreTheLargestThatFit) {
  for (const std::int64_t n : {0L, 1L, 2L, 3L, 4L, 99L, 100L, 4'294'967'295L, 3'037'000'499L}) {
    const i128 square = static_cast<i128>(n) * n;
    EXPECT_EQ(root(square), n);
    if (n > 1) {
      EXPECT_EQ(root(square - 1), n - 1);
    }
  }
}

TEST(Chance, DrawsHaveTheMomentsOfTheirDistributions) {
  constexpr std::int64_t draws = 20'000;
  Chance chance(1, "moments");
  std::int64_t sum = 0;
  i128 squares = 0;
  std::int64_t waited = 0;
  std::int64_t below_median = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    const std::int64_t z = chance.normal_ppb();
    sum += z;
    squares += static_cast<i128>(z) * z;
    waited += chance.waiting(1'000);
    below_median += chance.spread(500, 1'100'000'000) < 500 ? 1 : 0;
  }
  EXPECT_TRUE(is_near(sum / draws, 0, 30'000'000));
  EXPECT_TRUE(is_near(static_cast<std::int64_t>(squares / draws / ppb_one), 1'000'000'000, 40'000'000));
  EXPECT_TRUE(is_near(waited / draws, 1'000, 30));
  EXPECT_TRUE(is_near(below_median, draws / 2, 300));
}

TEST(IndexProcess, ADayHasTheExpectedVolatilityAndTwoMarketsCorrelate) {
  constexpr std::int64_t start = 60'000'000'000;
  constexpr std::int64_t day_s = 86'400;
  IndexProcess one(7, "A", ppm_one);
  IndexProcess other(7, "B", ppm_one);
  Chance common(7, "common");
  one.begin_at(start);
  other.begin_at(start);
  i128 squares = 0;
  i128 together = 0;
  for (std::int64_t i = 0; i < 10 * day_s; ++i) {
    const std::int64_t z = common.normal_ppb();
    const std::int64_t before = one.price();
    const std::int64_t before_other = other.price();
    one.step(z, ppm_one);
    other.step(z, ppm_one);
    const std::int64_t moved = mul_div(one.price() - before, ppb_one, before, Rounding::half_up);
    const std::int64_t moved_other = mul_div(other.price() - before_other, ppb_one, before_other, Rounding::half_up);
    ASSERT_LE(std::abs(moved), 20'300'000);  // a step of 2 % in logarithms
    squares += static_cast<i128>(moved) * moved;
    together += static_cast<i128>(moved) * moved_other;
  }
  // Yearly volatility in per cent: 35 in calm times, 150 under stress.
  const std::int64_t yearly = root(squares / (10 * day_s) * 31'557'600) / 10'000'000;
  EXPECT_GT(yearly, 30);
  EXPECT_LT(yearly, 150);
  EXPECT_GT(static_cast<std::int64_t>(together * 100 / squares), 30);
  EXPECT_GT(one.price(), start / 3);
  EXPECT_LT(one.price(), 3 * start);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
