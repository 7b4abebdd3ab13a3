#include "base/text.h"

#include <gtest/gtest.h>

namespace svc {
namespace SVC_FILE {

TEST(IntegerText, IsANumberAsAWholeOrNotAtAll) {
  EXPECT_EQ(parse_integer<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_integer<std::int64_t>("-7"), -7);
  EXPECT_EQ(parse_integer<std::uint64_t>("ff", 16), 255u);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "-1", "18446744073709551616"})
    EXPECT_FALSE(parse_integer<std::uint64_t>(text)) << text;
}

TEST(IntegerText, HexadecimalDigitsSortLikeTheNumbers) {
  EXPECT_EQ(hex_of(0), "0000000000000000");
  EXPECT_EQ(hex_of(0xAB12), "000000000000ab12");
  EXPECT_EQ(hex_of(UINT64_MAX), "ffffffffffffffff");
}

}  // namespace SVC_FILE
}  // namespace svc
