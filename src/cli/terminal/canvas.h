// A picture of characters: what a full-screen page paints, whoever shows it. Pure, so that tests look at it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"

namespace svc::cli {

enum class Style : std::uint8_t { plain, dim, bold, good, bad, alert, title };

// What the terminal can draw with.
enum class Glyphs : std::uint8_t { ascii, unicode };

class Canvas {
 public:
  struct Cell {
    std::string glyph = " ";  // one character in UTF-8, one column wide
    Style style = Style::plain;
  };

  Canvas(int width, int height, Glyphs glyphs);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] Glyphs glyphs() const { return glyphs_; }

  // Control characters become '?'; what does not fit is cut off. Gives the column after the text.
  int put(int x, int y, std::string_view text, Style style = Style::plain);
  // So that it ends before column `end`.
  void put_right(int end, int y, std::string_view text, Style style = Style::plain);
  // `eighths` of a column long, growing to the right.
  void bar(int x, int y, int eighths, int columns_max, Style style);
  void fill_line(int y, Style style);

  [[nodiscard]] const Cell& at(int x, int y) const;
  // Lines with their line feeds, blanks at the ends removed.
  [[nodiscard]] std::string text() const;
  // The same with SGR colours.
  [[nodiscard]] std::string colored_text() const;

 private:
  [[nodiscard]] Cell& cell(int x, int y);
  [[nodiscard]] std::string drawn(bool colored) const;

  int width_;
  int height_;
  Glyphs glyphs_;
  std::vector<Cell> cells_;
};

// UTF-8 if the locale says so.
[[nodiscard]] Glyphs glyphs_of(std::string_view lc_all, std::string_view lc_ctype, std::string_view lang);

// Numbers as columns: exact decimals, all of a column with the same digits after the point.

// With exactly so many digits after the point; a finer value is cut towards zero.
[[nodiscard]] std::string fixed_text(const Decimal& value, int decimals);
// a + b, a - b; both within limits::decimal_digits_max digits.
[[nodiscard]] Decimal add(const Decimal& a, const Decimal& b);
[[nodiscard]] Decimal subtract(const Decimal& a, const Decimal& b);
// part / whole in parts of `scale`, rounded down; 0 unless both are above zero.
[[nodiscard]] std::int64_t share(const Decimal& part, const Decimal& whole, std::int64_t scale);
// A decimal as text; nullopt for what is none, or far beyond what is traded.
[[nodiscard]] std::optional<Decimal> number_of(std::string_view text);

}  // namespace svc::cli
