#include "signing/uint256.h"

#include <gtest/gtest.h>

namespace svc::signing {
namespace SVC_FILE {

constexpr std::string_view largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

TEST(Uint256, ReadsDecimalAndHexAndWritesDecimal) {
  struct Row {
    std::string_view text, decimal;
  };
  const Row rows[] = {
      {"0", "0"},
      {"007", "7"},
      {"0x0", "0"},
      {"0XfF", "255"},
      {"18446744073709551616", "18446744073709551616"},
      {"0x10000000000000000", "18446744073709551616"},
      {largest, largest},
  };
  for (const Row& row : rows) {
    const auto value = parse_uint256(row.text);
    ASSERT_TRUE(value) << row.text;
    EXPECT_EQ(to_string(*value), row.decimal);
  }
}

TEST(Uint256, RefusesWhatIsNotANumberOrTooLarge) {
  for (const std::string_view text : {"", "0x", "-1", "+1", " 1", "1.0", "1e3", "ff", "0xg",
                                      "115792089237316195423570985008687907853269984665640564039457584007913129639936",
                                      "0x10000000000000000000000000000000000000000000000000000000000000000"})
    EXPECT_FALSE(parse_uint256(text)) << text;
}

TEST(Uint256, BitWidthCountsUpToTheHighestBitSet) {
  EXPECT_EQ(bit_width(Uint256{0}), 0);
  EXPECT_EQ(bit_width(Uint256{1}), 1);
  EXPECT_EQ(bit_width(Uint256{255}), 8);
  EXPECT_EQ(bit_width(Uint256{256}), 9);
  EXPECT_EQ(bit_width(*parse_uint256(largest)), 256);
}

}  // namespace SVC_FILE
}  // namespace svc::signing
