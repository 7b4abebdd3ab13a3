#include "base/decimal.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc {
namespace SVC_FILE {

TEST(Decimal, TextOfTheGrammarIsReadExactly) {
  struct Row {
    const char* text;
    std::int64_t scaled;
    const char* shortest;
  };
  const Row rows[] = {{"0", 0, "0"},
                      {"1", 1'000'000, "1"},
                      {"1.5", 1'500'000, "1.5"},
                      {"-0.000001", -1, "-0.000001"},
                      {"-0", 0, "0"},
                      {"007.10", 7'100'000, "7.1"},
                      {"1.000000000", 1'000'000, "1"},
                      {"-12.340", -12'340'000, "-12.34"}};
  for (const auto& row : rows) {
    const auto scaled = parse_scaled(row.text, 6);
    ASSERT_TRUE(scaled) << row.text;
    EXPECT_EQ(*scaled, row.scaled) << row.text;
    EXPECT_EQ(format_scaled(*scaled, 6), row.shortest) << row.text;
  }
}

TEST(Decimal, AnyCoefficientIsWrittenAtAnyScale) {
  constexpr i128 largest =
      static_cast<i128>(~static_cast<std::uint64_t>(0) >> 1) << 64 | ~static_cast<std::uint64_t>(0);
  constexpr i128 ten_to_19 = static_cast<i128>(1'000'000'000) * 10'000'000'000;
  EXPECT_EQ(format_decimal({largest, 0}), "170141183460469231731687303715884105727");
  EXPECT_EQ(format_decimal({-largest - 1, 3}), "-170141183460469231731687303715884105.728");
  EXPECT_EQ(format_decimal({ten_to_19 - 1, 0}), "9999999999999999999");
  EXPECT_EQ(format_decimal({ten_to_19, 0}), "10000000000000000000");
  EXPECT_EQ(format_decimal({ten_to_19, 19}), "1");
  EXPECT_EQ(format_decimal({ten_to_19 + 70, 20}), "0.1000000000000000007");
  EXPECT_EQ(format_decimal({-5, 4}), "-0.0005");
  EXPECT_EQ(format_decimal({-50, 1}), "-5");
  EXPECT_EQ(format_decimal({1200, 1}), "120");
  EXPECT_EQ(format_decimal({0, 7}), "0");
  EXPECT_EQ(format_decimal({7, 199}), "0." + std::string(198, '0') + "7");
}

TEST(Decimal, DigitsAreWrittenByEightsAsTheyAreOneByOne) {
  char text[decimal_chars_max];
  std::uint64_t power = 1;
  for (int places = 0; places <= 19; ++places, power *= 10) {
    for (const std::uint64_t number : {power - 1, power, power + 1, power * 7, power * 9 + 90}) {
      const std::string digits = std::to_string(number);
      EXPECT_EQ(std::string(text, write_digits(text, number)), digits);
      EXPECT_EQ(std::string(text, write_number(text, -static_cast<std::int64_t>(number >> 1))),
                std::to_string(-static_cast<std::int64_t>(number >> 1)));
      for (std::size_t scale = 0; scale <= 20; ++scale) {
        std::string expected = std::string(scale + 1 - std::min(scale + 1, digits.size()), '0') + digits;
        expected.insert(expected.size() - scale, 1, '.');
        expected.resize(expected.find_last_not_of('0') + 1);
        if (expected.back() == '.') expected.pop_back();
        EXPECT_EQ(format_decimal({number, static_cast<int>(scale)}), expected);
      }
    }
  }
  EXPECT_EQ(std::string(text, write_number(text, std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
}

TEST(Decimal, AnythingElseIsRefusedWithItsReason) {
  struct Row {
    std::string text;
    DecimalError error;
  };
  const Row rows[] = {{"", DecimalError::malformed},
                      {"-", DecimalError::malformed},
                      {".5", DecimalError::malformed},
                      {"5.", DecimalError::malformed},
                      {"+1", DecimalError::malformed},
                      {"1e3", DecimalError::malformed},
                      {" 1", DecimalError::malformed},
                      {"1 ", DecimalError::malformed},
                      {"1.2.3", DecimalError::malformed},
                      {"0x1", DecimalError::malformed},
                      {"NaN", DecimalError::malformed},
                      {"1,000", DecimalError::malformed},
                      {"--1", DecimalError::malformed},
                      {"-.5", DecimalError::malformed},
                      {"0.0000001", DecimalError::too_fine},
                      {"9223372036854.775808", DecimalError::too_large},
                      {std::string(limits::decimal_digits_max + 1, '1'), DecimalError::too_large}};
  for (const auto& row : rows) {
    const auto scaled = parse_scaled(row.text, 6);
    ASSERT_FALSE(scaled) << row.text;
    EXPECT_EQ(scaled.error(), row.error) << row.text;
  }
  EXPECT_EQ(*parse_scaled("9223372036854.775807", 6), std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(parse_decimal(std::string(limits::decimal_digits_max, '9')));
}

TEST(Decimal, MultiplesOfAGridAreExactOrRefused) {
  const Decimal tick = *parse_decimal("0.5");
  EXPECT_EQ(*to_multiple(*parse_decimal("60000.5"), tick), 120'001);
  EXPECT_EQ(to_multiple(*parse_decimal("60000.3"), tick).error(), DecimalError::too_fine);
  EXPECT_EQ(to_multiple(*parse_decimal("60000.25"), tick).error(), DecimalError::too_fine);
  EXPECT_EQ(*to_multiple(*parse_decimal("-1"), tick), -2);
  EXPECT_EQ(format_decimal(multiply(120'001, tick)), "60000.5");
  EXPECT_EQ(format_decimal(multiply(2, tick)), "1");
  const Decimal coarse = *parse_decimal("25");
  EXPECT_EQ(*to_multiple(*parse_decimal("100"), coarse), 4);
  EXPECT_EQ(to_multiple(*parse_decimal("110"), coarse).error(), DecimalError::too_fine);
}

}  // namespace SVC_FILE
}  // namespace svc
