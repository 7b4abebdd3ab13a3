#include <gtest/gtest.h>

#include "base/address.h"
#include "base/encoding.h"
#include "base/random.h"
#include "base/secret.h"
#include "base/shown_text.h"
#include "base/text.h"

namespace svc {
namespace SVC_FILE {

TEST(Hex, EncodesLowerCaseAndDecodesAnyCase) {
  EXPECT_EQ(to_hex(Bytes{0x00, 0xab, 0xff}), "00abff");
  Bytes bytes;
  std::string digits;
  for (std::size_t i = 0; i < 40; ++i, digits += hex_of(bytes.back()).substr(14)) {
    EXPECT_EQ(to_hex(bytes), digits);
    bytes.push_back(static_cast<std::uint8_t>(i * 89));
  }
  EXPECT_EQ(from_hex("00ABff"), (Bytes{0x00, 0xab, 0xff}));
  EXPECT_EQ(from_hex("0"), std::nullopt);
  EXPECT_EQ(from_hex("zz"), std::nullopt);
  EXPECT_FALSE(from_hex_exact<2>("ab"));
}

TEST(EscapedText, LeavesLettersOfEveryLanguageAndShowsWhatATerminalObeys) {
  EXPECT_EQ(escaped("/märkte/日本/\U0001F600\u00a0"), "/märkte/日本/\U0001F600\u00a0");
  EXPECT_EQ(escaped("a\x1b[2J\n\x7fz"), "a\\u001b[2J\\n\\u007fz");
  EXPECT_EQ(escaped("a\u0080\u009bK\u009fz"), "a\\u0080\\u009bK\\u009fz");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(escaped(""), "");
}

TEST(EscapedText, ShowsWhatTurnsOrHidesText) {
  EXPECT_EQ(escaped("a\u202eb\u2066c\u200fd"), "a\\u202eb\\u2066c\\u200fd");
  EXPECT_EQ(escaped("a\u2028b\ufeffc\U000e0041"), "a\\u2028b\\ufeffc\\udb40\\udc41");
  for (const std::uint32_t seen : {0x20u, 0x7eu, 0xa0u, 0xaeu, 0x200au, 0x2010u, 0x202fu, 0xfffdu, 0x10ffffu})
    EXPECT_FALSE(misleads(seen)) << seen;
}

TEST(EscapedText, PassesNoControlInWhatIsNoUtf8) {
  EXPECT_EQ(escaped("a\x9bK\xe4\xc2"), "a\\u009bK\xe4\xc2");
  EXPECT_EQ(escaped("a\x9bK\xe4\xc2", {}, OddBytes::are_escaped), "a\\u009bK\\u00e4\\u00c2");
  EXPECT_EQ(escaped("\xe0\x82\x9b"), "\xe0\\u0082\\u009b");  // an overlong form
  EXPECT_EQ(escaped("\xe0\x82\x9b", {}, OddBytes::are_escaped), "\\u00e0\\u0082\\u009b");
}

TEST(Address, IsForty0xPrefixedDigitsOfAnyCaseAndPrintsLowerCase) {
  const auto address = parse_address("0x71C7656EC7ab88b098defB751B7401B5f6d8976F");
  ASSERT_TRUE(address);
  EXPECT_EQ(to_string(*address), "0x71c7656ec7ab88b098defb751b7401b5f6d8976f");
  EXPECT_FALSE(parse_address("71C7656EC7ab88b098defB751B7401B5f6d8976F"));
  EXPECT_TRUE(parse_address_lenient("71C7656EC7ab88b098defB751B7401B5f6d8976F"));
  EXPECT_FALSE(parse_address("0x71C7656EC7ab88b098defB751B7401B5f6d8976"));
  EXPECT_FALSE(parse_address("0x71C7656EC7ab88b098defB751B7401B5f6d8976g"));
}

TEST(Uuid, CarriesItsCounterAndKind) {
  const std::string id = make_uuid(UuidKind::order, 0x1234'5678'9abc'def0u);
  EXPECT_EQ(id, "00010000-1234-4000-8000-56789abcdef0");
  EXPECT_EQ(parse_uuid(UuidKind::order, id), 0x1234'5678'9abc'def0u);
  EXPECT_EQ(parse_uuid(UuidKind::order, "00010000-1234-4000-8000-56789ABCDEF0"), 0x1234'5678'9abc'def0u);
  EXPECT_FALSE(parse_uuid(UuidKind::fill, id));
  EXPECT_FALSE(parse_uuid(UuidKind::order, "00010000-1234-4000-9000-56789abcdef0"));
  EXPECT_FALSE(parse_uuid(UuidKind::order, "not-a-uuid"));
  EXPECT_FALSE(parse_uuid(UuidKind::order, "00010000-12x4-4000-8000-56789abcdef0"));
}

TEST(Prng, SameSeedSameNumbersAndStreamsDiffer) {
  Prng a(42, "maker"), b(42, "maker"), c(42, "taker");
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Prng, FirstNumbersAreThoseOfThePublishedAlgorithm) {
  std::uint64_t state = 1234567;  // reference values of splitmix64
  EXPECT_EQ(splitmix64(state), 6457827717110365317u);
  EXPECT_EQ(splitmix64(state), 3203168211198807973u);
}

TEST(Prng, BoundsAreRespected) {
  Prng prng(7);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(prng.below(3), 3u);
    const auto draw = prng.between(-2, 2);
    EXPECT_GE(draw, -2);
    EXPECT_LE(draw, 2);
  }
}

TEST(Secret, ComparesByContentWithoutOperatorEquals) {
  EXPECT_TRUE(equal_constant_time(std::string_view("abc"), std::string_view("abc")));
  EXPECT_FALSE(equal_constant_time(std::string_view("abc"), std::string_view("abd")));
  EXPECT_FALSE(equal_constant_time(std::string_view("abc"), std::string_view("ab")));
  Secret a(std::string("hush"));
  Secret b = std::move(a);
  EXPECT_EQ(b.reveal(), "hush");
  EXPECT_TRUE(a.empty());
}

}  // namespace SVC_FILE
}  // namespace svc
