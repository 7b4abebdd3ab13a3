// Fits a table to the width of the terminal. In this order: times lose their milliseconds, addresses and hashes their
// middle, sentences their end; then empty columns are dropped, and columns of less need from the last; then ids lose
// their middle; then other columns are dropped from the last; then core columns, shortened ids first, and from the
// last; then vital ones from the first. Numbers and names are never shortened. One column stays: a needed one, or the
// first.
#pragma once

#include "cli/terminal/answer.h"

namespace svc::cli {

// One character in UTF-8, or a byte that begins none, and how many columns of a terminal it takes: 2 if it is wide,
// none if it joins the one before or is a control character.
struct Glyph {
  std::string_view bytes;
  std::size_t columns = 0;
};
[[nodiscard]] std::vector<Glyph> glyphs_in(std::string_view text);

// The columns of the whole text.
[[nodiscard]] std::size_t width_of(std::string_view text);

// An id as too wide tables show it: "00010000..0576"; any other text unchanged.
[[nodiscard]] std::string shortened_id(std::string id, bool utf8);

using Cells = std::vector<std::string>;

struct Grid {
  Cells names;  // empty texts: the table has no header
  std::vector<Cells> rows;
  std::vector<Column::Need> needs{};  // of the columns; empty: all are `always`
  bool numbered = false;              // rows have numbers

  void drop_column(std::size_t column);
  // True if no row has a value in that column.
  [[nodiscard]] bool is_empty_column(std::size_t column) const;
};

void fit(Grid& grid, std::size_t width, bool utf8);

}  // namespace svc::cli
