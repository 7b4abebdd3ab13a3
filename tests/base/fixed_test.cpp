#include "base/decimal.h"

#include <gtest/gtest.h>

namespace svc {
namespace SVC_FILE {

struct DivisionRow {
  std::int64_t n, d, down, up, toward_zero, half_up;
};

TEST(Fixed, DivisionRoundsInTheDirectionNamed) {
  const DivisionRow rows[] = {
      {7, 2, 3, 4, 3, 4},   {-7, 2, -4, -3, -3, -3}, {7, -2, -4, -3, -3, -3}, {-7, -2, 3, 4, 3, 4},
      {6, 2, 3, 3, 3, 3},   {-6, 2, -3, -3, -3, -3}, {1, 3, 0, 1, 0, 0},      {2, 3, 0, 1, 0, 1},
      {-1, 3, -1, 0, 0, 0}, {-2, 3, -1, 0, 0, -1},   {0, 5, 0, 0, 0, 0},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(narrow(div_round(row.n, row.d, Rounding::down)), row.down) << row.n << "/" << row.d;
    EXPECT_EQ(narrow(div_round(row.n, row.d, Rounding::up)), row.up) << row.n << "/" << row.d;
    EXPECT_EQ(narrow(div_round(row.n, row.d, Rounding::toward_zero)), row.toward_zero) << row.n << "/" << row.d;
    EXPECT_EQ(narrow(div_round(row.n, row.d, Rounding::half_up)), row.half_up) << row.n << "/" << row.d;
  }
}

TEST(Fixed, ProductsAreExactBeyond64Bits) {
  constexpr std::int64_t large = 4'000'000'000'000'000'000;
  EXPECT_EQ(mul_div(large, large, large, Rounding::down), large);
}

TEST(Fixed, OverflowOfAmountsAborts) {
  Usdx amount{std::numeric_limits<std::int64_t>::max()};
  EXPECT_DEATH(amount += Usdx{1}, "assertion failed");
  EXPECT_DEATH((void)mul_div(std::numeric_limits<std::int64_t>::max(), 2, 1, Rounding::down), "assertion failed");
}

}  // namespace SVC_FILE
}  // namespace svc
