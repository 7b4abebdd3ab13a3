// The binary form: what is written can be read back, and damaged bytes are refused.
#include "base/archive.h"

#include <gtest/gtest.h>

#include <limits>

namespace svc {
namespace SVC_FILE {

enum class Colour : std::uint8_t { red, green };

struct Inner {
  std::int64_t number = 0;
  Usdx money{};
  bool operator==(const Inner&) const = default;
};

struct Everything {
  bool flag = false;
  Colour colour = Colour::red;
  std::uint64_t count = 0;
  std::int32_t offset = 0;
  i128 wide = 0;
  std::string text{};
  std::array<std::uint8_t, 4> bytes{};
  std::optional<Inner> maybe{};
  std::vector<Inner> rows{};
  std::map<std::string, std::int64_t> by_name{};
  std::set<std::pair<std::int64_t, std::uint64_t>> pairs{};
  std::variant<Inner, std::string> either{};
  bool operator==(const Everything&) const = default;
};

class Hidden {
 public:
  Hidden() = default;
  explicit Hidden(std::int64_t value) : value_(value) {}
  template <class Archive>
  void archive(Archive& archive) {
    archive(value_);
  }
  bool operator==(const Hidden&) const = default;

 private:
  std::int64_t value_ = 0;
};

Everything sample() {
  return {.flag = true,
          .colour = Colour::green,
          .count = std::numeric_limits<std::uint64_t>::max(),
          .offset = -300,
          .wide = -(static_cast<i128>(1) << 100),
          .text = std::string("a\0b", 3),
          .bytes = {1, 2, 3, 255},
          .maybe = Inner{.number = std::numeric_limits<std::int64_t>::min(), .money = Usdx{-1}},
          .rows = {{.number = 1, .money = Usdx{2}}, {.number = 3, .money = Usdx{4}}},
          .by_name = {{"x", 1}, {"y", -1}},
          .pairs = {{-5, 7}, {5, 8}},
          .either = std::string("text")};
}

TEST(Archive, ValuesRoundTrip) {
  EXPECT_EQ(from_archive<Everything>(to_archive(sample())), sample());
  EXPECT_EQ(from_archive<Everything>(to_archive(Everything{})), Everything{});
  EXPECT_EQ(from_archive<Hidden>(to_archive(Hidden(-9))), Hidden(-9));
}

TEST(Archive, TheFormatIsAsDocumented) {
  EXPECT_EQ(to_archive(std::uint64_t{300}), "\xAC\x02");
  EXPECT_EQ(to_archive(std::int64_t{-1}), "\x01");
  EXPECT_EQ(to_archive(std::string("ab")),
            "\x02"
            "ab");
  EXPECT_EQ(to_archive(Inner{.number = 1, .money = Usdx{-2}}), "\x02\x03");
}

TEST(Archive, TruncatedOrExtendedBytesAreRefused) {
  const std::string whole = to_archive(sample());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(from_archive<Everything>(whole.substr(0, size))) << size;
  EXPECT_FALSE(from_archive<Everything>(whole + '\0'));
}

TEST(Archive, NumbersThatDoNotFitAreRefused) {
  EXPECT_FALSE(from_archive<std::uint8_t>(to_archive(std::uint64_t{256})));
  EXPECT_FALSE(from_archive<std::int32_t>(to_archive(std::int64_t{1} << 40)));
  EXPECT_FALSE(from_archive<bool>("\x02"));
  EXPECT_FALSE(from_archive<std::uint64_t>(std::string(10, '\xFF')));
  EXPECT_FALSE((from_archive<std::variant<Inner, std::string>>("\x02")));
}

TEST(Archive, AHugeSizeAllocatesNothing) {
  EXPECT_FALSE(from_archive<std::vector<Inner>>(to_archive(std::uint64_t{1} << 60)));
  EXPECT_FALSE(from_archive<std::string>(to_archive(std::uint64_t{1} << 60)));
}

}  // namespace SVC_FILE
}  // namespace svc
