// A grid of characters on which full-screen pages are drawn. Pure, so that tests can read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"

namespace svc::cli {

enum class Style : std::uint8_t { plain, dim, bold, good, bad, alert, title };

// The characters that the terminal can show.
enum class Glyphs : std::uint8_t { ascii, unicode };

class Canvas {
 public:
  struct Cell {
    std::string glyph = " ";  // a character in UTF-8 with what joins it; empty: the right half of the cell before
    Style style = Style::plain;
  };

  Canvas(int width, int height, Glyphs glyphs);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] Glyphs glyphs() const { return glyphs_; }

  // What misleads, and a byte that is no UTF-8, becomes '?'; what does not fit is cut off, and half a wide character is
  // a blank. Returns the column after the text.
  int put(int x, int y, std::string_view text, Style style = Style::plain);
  // Puts the text so that it ends before column `end`.
  void put_right(int end, int y, std::string_view text, Style style = Style::plain);
  // A bar of `eighths` of a column that grows to the right.
  void bar(int x, int y, int eighths, int columns_max, Style style);

  [[nodiscard]] const Cell& at(int x, int y) const;
  // All lines with line feeds, without trailing blanks.
  [[nodiscard]] std::string text() const { return drawn(false); }
  // The same with SGR colours.
  [[nodiscard]] std::string colored_text() const { return drawn(true); }

 private:
  void set(int x, int y, Cell cell);
  // What the text looks like: a cell for each column.
  [[nodiscard]] std::vector<Cell> cells_of(std::string_view text, Style style) const;
  [[nodiscard]] std::string drawn(bool colored) const;

  int width_;
  int height_;
  Glyphs glyphs_;
  std::vector<Cell> cells_;
};

// UTF-8 if the locale says so.
[[nodiscard]] Glyphs glyphs_of(std::string_view lc_all, std::string_view lc_ctype, std::string_view lang);

// Numbers as columns: exact decimals, with the same number of decimals in all rows.

// With exactly that many decimals; further digits are cut off.
[[nodiscard]] std::string fixed_text(const Decimal& value, int decimals);
// a + b, a - b; both within limits::decimal_digits_max digits before the point. Where the exact result does not fit 128
// bits, the last decimals are cut off.
[[nodiscard]] Decimal add(Decimal a, Decimal b);
[[nodiscard]] Decimal subtract(const Decimal& a, const Decimal& b);
// part / whole in units of 1/`scale`, rounded down, at most INT32_MAX; 0 unless both are positive.
[[nodiscard]] std::int64_t share(const Decimal& part, const Decimal& whole, std::int64_t scale);
// The spread in basis points of the mean of bid and ask, to the nearest hundredth; 0 of a crossed book.
[[nodiscard]] std::string spread_in_bps(const Decimal& bid, const Decimal& ask);
// nullopt if the text is not a decimal or far beyond what is traded.
[[nodiscard]] std::optional<Decimal> number_of(std::string_view text);

}  // namespace svc::cli
