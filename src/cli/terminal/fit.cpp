#include "cli/terminal/fit.h"

#include <clocale>
#include <cwchar>

#include "base/encoding.h"

namespace svc::cli {
namespace {

constexpr std::size_t gap_chars = 2;
constexpr std::size_t sentence_chars_min = 16;

std::size_t column_width(const Grid& grid, std::size_t column) {
  std::size_t width = width_of(grid.names[column]);
  for (const Cells& row : grid.rows) width = std::max(width, width_of(row[column]));
  return width;
}

std::size_t table_width(const Grid& grid) {
  std::size_t total = grid.names.empty() ? 0 : gap_chars * (grid.names.size() - 1);
  for (std::size_t i = 0; i < grid.names.size(); ++i) total += column_width(grid, i);
  return total;
}

// "0x71c7a8f3...976f" as "0x71c7…976f".
void elide_hex(std::string& cell, std::string_view dots) {
  constexpr std::size_t head = 6, tail = 4;
  const bool hex = cell.starts_with("0x") && cell.size() > head + tail + 3 &&
                   cell.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
  if (hex) cell = cell.substr(0, head) + std::string(dots) + cell.substr(cell.size() - tail);
}

std::string_view dots_of(bool utf8) {
  return utf8 ? "\xE2\x80\xA6" : "..";
}

void cut_sentence(std::string& cell, std::size_t chars, std::string_view dots) {
  if (cell.find(' ') == std::string::npos || width_of(cell) <= chars) return;
  std::size_t left = chars - width_of(dots);
  std::string cut;
  for (const Glyph& next : glyphs_in(cell)) {
    if (next.columns > left) break;
    left -= next.columns;
    cut += next.bytes;
  }
  cell = cut.append(dots);
}

}  // namespace

std::vector<Glyph> glyphs_in(std::string_view text) {
  // The C library counts columns by the locale of the thread.
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = ::uselocale(utf8);
  std::vector<Glyph> glyphs;
  while (!text.empty()) {
    const Utf8Character first = first_character(text);
    const bool continues = (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80;
    const int columns = first.is_sound() ? std::max(0, ::wcwidth(static_cast<wchar_t>(first.code_point)))
                        : continues      ? 0
                                         : 1;
    glyphs.push_back({first.bytes, static_cast<std::size_t>(columns)});
    text.remove_prefix(first.bytes.size());
  }
  ::uselocale(before);
  return glyphs;
}

std::size_t width_of(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text.size();
  std::size_t width = 0;
  for (const Glyph& glyph : glyphs_in(text)) width += glyph.columns;
  return width;
}

std::string shortened_id(std::string id, bool utf8) {
  constexpr std::size_t head = 8, tail = 4, id_chars_min = 24;
  const bool is_id = id.size() >= id_chars_min && id.front() != '-' && std::ranges::all_of(id, is_name_character) &&
                     std::ranges::any_of(id, is_digit) && !std::ranges::all_of(id, is_digit);
  return is_id ? concat(id.substr(0, head), dots_of(utf8), id.substr(id.size() - tail)) : id;
}

void Grid::drop_column(std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  names.erase(names.begin() + at);
  if (!needs.empty()) needs.erase(needs.begin() + at);
  for (Cells& row : rows) row.erase(row.begin() + at);
}

bool Grid::is_empty_column(std::size_t column) const {
  return std::ranges::all_of(rows, [&](const Cells& row) { return row[column] == "-"; });
}

void fit(Grid& grid, std::size_t width, bool utf8) {
  using enum Column::Need;
  const std::string_view dots = dots_of(utf8);
  const auto fits = [&] { return table_width(grid) <= width; };
  if (fits()) return;
  auto& [names, rows, needs, numbered] = grid;
  if (needs.empty()) needs.assign(names.size(), always);
  for (Cells& row : rows) {
    for (std::string& cell : row) {
      // "2026-09-21T12:00:00.000Z" as "2026-09-21T12:00:00Z".
      constexpr std::string_view form = "0000-00-00T00:00:00.000";
      if (cell.size() > form.size() && has_form(cell.substr(0, form.size()), form)) cell.erase(19, 4);
      elide_hex(cell, dots);
    }
  }
  for (std::size_t column = names.size(); column-- > 0;) {
    const std::size_t total = table_width(grid);
    if (total <= width) return;
    const std::size_t own = column_width(grid, column);
    const std::size_t over = total - width;
    const std::size_t chars = std::max(sentence_chars_min, own > over ? own - over : 0);
    for (Cells& row : rows) cut_sentence(row[column], chars, dots);
  }
  const auto needed = [&] { return std::ranges::count(needs, core) + std::ranges::count(needs, vital); };
  const std::size_t kept = needed() == 0 ? 1 : 0;  // kept at the front
  const auto drop_while_wide = [&](const auto& may_go) {
    for (std::size_t column = grid.names.size(); column-- > kept && !fits();)
      if (may_go(column)) grid.drop_column(column);
  };
  drop_while_wide([&](std::size_t column) { return grid.is_empty_column(column); });
  drop_while_wide([&](std::size_t column) { return grid.needs[column] == if_it_fits; });
  if (fits()) return;
  for (Cells& row : rows)
    for (std::string& cell : row) cell = shortened_id(std::move(cell), utf8);
  drop_while_wide([&](std::size_t column) { return grid.needs[column] != core && grid.needs[column] != vital; });
  // An id without its middle is the least use.
  const auto is_shortened = [&](std::size_t column) {
    return std::ranges::any_of(rows, [&](const Cells& row) { return row[column].find(dots) != std::string::npos; });
  };
  drop_while_wide([&](std::size_t column) { return needed() > 1 && is_shortened(column); });
  drop_while_wide([&](std::size_t column) { return needed() > 1 && grid.needs[column] == core; });
  // The columns that are left are side, price and size, from left to right. The size is worth most. (D-771)
  while (!fits() && needed() > 1)
    grid.drop_column(static_cast<std::size_t>(std::ranges::find(needs, vital) - needs.begin()));
}

}  // namespace svc::cli
