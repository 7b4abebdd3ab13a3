#include "cli/terminal/canvas.h"

#include <limits>

#include "base/assert.h"
#include "base/encoding.h"
#include "cli/terminal/fit.h"

namespace svc::cli {
namespace {

std::string_view sgr_of(Style style) {
  switch (style) {
    case Style::plain: return "\x1b[0m";
    case Style::dim: return "\x1b[0;2m";
    case Style::bold: return "\x1b[0;1m";
    case Style::good: return "\x1b[0;32m";
    case Style::bad: return "\x1b[0;31m";
    case Style::alert: return "\x1b[0;1;33m";
    case Style::title: return "\x1b[0;7m";
  }
  SVC_ASSERT(false);
}

// A chart multiplies by some thousands at most, so that sums and products stay within 128 bits.
constexpr int scale_max = 12;
constexpr i128 coefficient_max = 1'000'000'000'000'000'000;

}  // namespace

Canvas::Canvas(int width, int height, Glyphs glyphs)
    : width_(std::max(width, 1)),
      height_(std::max(height, 1)),
      glyphs_(glyphs),
      cells_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

const Canvas::Cell& Canvas::at(int x, int y) const {
  SVC_ASSERT(x >= 0 && x < width_ && y >= 0 && y < height_);
  return cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
}

void Canvas::set(int x, int y, Cell cell) {
  if (y < 0 || y >= height_ || x < 0 || x >= width_) return;
  Cell* there = &cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  // What is left of a wide character that is overwritten by half.
  if (there->glyph.empty() && !cell.glyph.empty()) there[-1].glyph = " ";
  if (x + 1 < width_ && there[1].glyph.empty()) there[1].glyph = " ";
  *there = std::move(cell);
}

std::vector<Canvas::Cell> Canvas::cells_of(std::string_view text, Style style) const {
  std::vector<Cell> cells;
  for (const Glyph& glyph : glyphs_in(text)) {
    const Utf8Character character = first_character(glyph.bytes);
    const bool is_shown = character.is_sound() && !misleads(character.code_point) &&
                          (glyph.bytes.size() == 1 || glyphs_ == Glyphs::unicode);
    if (is_shown && glyph.columns == 0) {
      const bool is_after_wide = !cells.empty() && cells.back().glyph.empty();
      if (!cells.empty()) cells[cells.size() - (is_after_wide ? 2 : 1)].glyph += glyph.bytes;
      continue;
    }
    cells.push_back({is_shown ? std::string(glyph.bytes) : "?", style});
    if (is_shown && glyph.columns == 2) cells.push_back({"", style});
  }
  return cells;
}

int Canvas::put(int x, int y, std::string_view text, Style style) {
  std::vector<Cell> cells = cells_of(text, style);
  for (std::size_t i = 0; i < cells.size(); ++i, ++x) {
    const bool is_wide = i + 1 < cells.size() && cells[i + 1].glyph.empty();
    const bool is_half = (is_wide && x + 1 == width_) || (x == 0 && cells[i].glyph.empty());
    set(x, y, is_half ? Cell{" ", style} : std::move(cells[i]));
  }
  return x;
}

void Canvas::put_right(int end, int y, std::string_view text, Style style) {
  put(end - static_cast<int>(cells_of(text, style).size()), y, text, style);
}

void Canvas::bar(int x, int y, int eighths, int columns_max, Style style) {
  static constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  eighths = std::clamp(eighths, 0, columns_max * 8);
  for (; eighths >= 8; eighths -= 8) x = put(x, y, glyphs_ == Glyphs::unicode ? "█" : "#", style);
  if (eighths > 0 && glyphs_ == Glyphs::unicode) put(x, y, parts[eighths], style);
}

std::string Canvas::drawn(bool colored) const {
  std::string out;
  for (int y = 0; y < height_; ++y) {
    int end = width_;
    while (end > 0 && at(end - 1, y).glyph == " " && (!colored || at(end - 1, y).style != Style::title)) --end;
    Style style = Style::plain;
    for (int x = 0; x < end; ++x) {
      const Cell& one = at(x, y);
      if (colored && one.style != style) out += sgr_of(style = one.style);
      out += one.glyph;
    }
    if (style != Style::plain) out += sgr_of(Style::plain);
    out += '\n';
  }
  return out;
}

Glyphs glyphs_of(std::string_view lc_all, std::string_view lc_ctype, std::string_view lang) {
  const std::string_view locale = !lc_all.empty() ? lc_all : !lc_ctype.empty() ? lc_ctype : lang;
  const auto names = [&](std::string_view word) { return locale.find(word) != std::string_view::npos; };
  return names("UTF-8") || names("utf8") || names("UTF8") || names("utf-8") ? Glyphs::unicode : Glyphs::ascii;
}

std::string fixed_text(const Decimal& value, int decimals) {
  Decimal cut = value;
  for (; cut.scale > decimals; --cut.scale) cut.coefficient /= 10;
  std::string text = format_decimal(cut);
  if (decimals > 0 && text.find('.') == text.npos) text += '.';
  const std::size_t shown = decimals > 0 ? text.size() - text.find('.') - 1 : 0;
  return text.append(static_cast<std::size_t>(decimals) - shown, '0');
}

Decimal add(Decimal a, Decimal b) {
  for (;;) {
    if (const auto sum = plus(a, b)) return *sum;
    Decimal& finer = a.scale > b.scale ? a : b;
    finer.coefficient /= 10;
    --finer.scale;
  }
}

Decimal subtract(const Decimal& a, const Decimal& b) {
  return add(a, {.coefficient = -b.coefficient, .scale = b.scale});
}

std::int64_t share(const Decimal& part, const Decimal& whole, std::int64_t scale) {
  if (part.coefficient <= 0 || whole.coefficient <= 0) return 0;
  // Ten and `scale` times as much still fits 128 bits. The digits that are lost above it do not show in a share.
  constexpr i128 exact_max = i128{coefficient_max} * 1'000'000'000'000;
  i128 above = part.coefficient, below = whole.coefficient;
  for (int apart = part.scale - whole.scale; apart != 0; apart += apart > 0 ? -1 : 1) {
    i128& coarser = apart > 0 ? below : above;
    i128& finer = apart > 0 ? above : below;
    if (coarser <= exact_max)
      coarser *= 10;
    else
      finer /= 10;
  }
  for (; above > exact_max; below /= 10) above /= 10;
  const i128 most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int64_t>(below == 0 ? most : std::min(above * scale / below, most));
}

std::string spread_in_bps(const Decimal& bid, const Decimal& ask) {
  constexpr std::int64_t half_hundredths = 2 * 10'000 * 100 * 2;
  return format_scaled((share(subtract(ask, bid), add(ask, bid), half_hundredths) + 1) / 2, 2);
}

std::optional<Decimal> number_of(std::string_view text) {
  const auto decimal = parse_decimal(text);
  if (!decimal || decimal->scale > scale_max || decimal->coefficient > coefficient_max ||
      decimal->coefficient < -coefficient_max) {
    return std::nullopt;
  }
  return *decimal;
}

}  // namespace svc::cli
