#include "cli/terminal/qr_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace svc::cli {
namespace SVC_FILE {

constexpr std::size_t quiet = 4;
constexpr std::size_t finder = 7;

// The dark modules by row and column, from a drawing with two characters per module.
std::vector<std::vector<bool>> dark_modules(const std::string& drawing) {
  std::vector<std::vector<bool>> rows;
  for (std::size_t begin = 0; begin < drawing.size();) {
    const std::size_t end = drawing.find('\n', begin);
    std::vector<bool> row;
    for (std::size_t at = begin; at < end; at += 2) row.push_back(drawing.substr(at, 2) == "  ");
    rows.push_back(std::move(row));
    begin = end + 1;
  }
  return rows;
}

// The nested squares by which a camera finds three of the corners.
bool is_finder(const std::vector<std::vector<bool>>& dark, std::size_t top, std::size_t left) {
  for (std::size_t row = 0; row < finder; ++row) {
    for (std::size_t column = 0; column < finder; ++column) {
      const std::size_t ring = std::min({row, column, finder - 1 - row, finder - 1 - column});
      if (dark[top + row][left + column] != (ring != 1)) return false;
    }
  }
  return true;
}

TEST(QrCode, IsASquareWithThreeFindersAndAQuietZone) {
  const auto drawing = qr_code("0x7e48864b43433cdf96f4a660719a59833c795a89", QrGlyphs::ascii);
  ASSERT_TRUE(drawing) << drawing.error().message;
  const auto dark = dark_modules(*drawing);
  const std::size_t size = dark.size();
  ASSERT_GT(size, 2 * quiet + 2 * finder);
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ(dark[i].size(), size);
    for (std::size_t edge = 0; edge < quiet; ++edge) {
      EXPECT_FALSE(dark[edge][i] || dark[size - 1 - edge][i] || dark[i][edge] || dark[i][size - 1 - edge]);
    }
  }
  const std::size_t far = size - quiet - finder;
  EXPECT_TRUE(is_finder(dark, quiet, quiet) && is_finder(dark, quiet, far) && is_finder(dark, far, quiet));
  EXPECT_FALSE(is_finder(dark, far, far));
}

TEST(QrCode, DiffersForAnotherText) {
  EXPECT_NE(*qr_code("0x01", QrGlyphs::ascii), *qr_code("0x02", QrGlyphs::ascii));
}

TEST(QrCode, IsHalfAsHighInHalfBlocks) {
  const auto ascii = qr_code("0x01", QrGlyphs::ascii);
  const auto blocks = qr_code("0x01", QrGlyphs::half_blocks);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(*blocks), (lines(*ascii) + 1) / 2);
}

TEST(QrCode, RefusesATooLongText) {
  EXPECT_FALSE(qr_code(std::string(10'000, 'x'), QrGlyphs::ascii));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
