#include "cli/screens/book_page.h"

#include <algorithm>

#include "cli/render.h"
#include "cli/screens/number_text.h"

namespace svc::cli {
namespace {

using Levels = std::vector<api::BookLevel>;

// Each is where the column ends; 0 for one that has no room.
struct Columns {
  int price = 0;
  int size = 0;
  int total = 0;
  int bar = 0;  // where it begins
  int bar_columns = 0;
};

// As wide as the longest number of each needs: a number is shown whole or not at all.
struct Needs {
  int price = 5;
  int size = 4;
  int total = 5;
};

Columns columns_of(int width, const Needs& needs) {
  constexpr int gap = 2, roomy = 16;
  const int share_of_width = std::min(roomy, width / 4);
  Columns columns;
  columns.price = std::max(needs.price + 1, share_of_width);
  int end = columns.price;
  const auto next = [&](int need) {
    const int wanted = std::max(need + gap, share_of_width);
    const int own = end + wanted <= width ? wanted : need + gap;
    return end + own <= width ? end += own : 0;
  };
  columns.size = next(needs.size);
  columns.total = columns.size == 0 ? 0 : next(needs.total);
  columns.bar = end + gap;
  columns.bar_columns = std::max(width - columns.bar - 1, 0);
  return columns;
}

int decimals_of(const Levels& a, const Levels& b, const Decimal api::BookLevel::*member) {
  int decimals = 0;
  for (const Levels* side : {&a, &b})
    for (const api::BookLevel& level : *side) decimals = std::max(decimals, (level.*member).scale);
  return decimals;
}

struct Digits {
  int price = 0;
  int size = 0;
};

// The levels from the best on, `direction` lines apart from each other.
void paint_side(Canvas& canvas, const Levels& levels, int first_line, int direction, int lines, const Decimal& most,
                const Digits& digits, const Columns& at, Style style) {
  Decimal total;
  for (int i = 0; i < lines && i < static_cast<int>(levels.size()); ++i) {
    const api::BookLevel& level = levels[static_cast<std::size_t>(i)];
    const int y = first_line + i * direction;
    total = add(total, level.size);
    canvas.put_right(at.price, y, fixed_text(level.price, digits.price), style);
    if (at.size > 0) canvas.put_right(at.size, y, fixed_text(level.size, digits.size));
    if (at.total > 0) canvas.put_right(at.total, y, fixed_text(total, digits.size), Style::dim);
    canvas.bar(at.bar, y, static_cast<int>(share(total, most, at.bar_columns * 8)), at.bar_columns, style);
  }
}

Decimal sum_of(const Levels& levels, int lines) {
  Decimal sum;
  for (int i = 0; i < lines && i < static_cast<int>(levels.size()); ++i) sum = add(sum, levels[static_cast<std::size_t>(i)].size);
  return sum;
}

Needs needs_of(const api::BookSnapshot& book, const Decimal& most, const Digits& digits) {
  Needs needs;
  const auto longer = [](int& width, const std::string& text) { width = std::max(width, static_cast<int>(text.size())); };
  for (const Levels* side : {&book.asks, &book.bids}) {
    for (const api::BookLevel& level : *side) {
      longer(needs.price, fixed_text(level.price, digits.price));
      longer(needs.size, fixed_text(level.size, digits.size));
    }
  }
  longer(needs.total, fixed_text(most, digits.size));
  return needs;
}

// In as many columns.
std::string spread_text(const api::BookSnapshot& book, int decimals, int columns) {
  if (book.bids.empty() || book.asks.empty()) return "one side is empty";
  const Decimal spread = subtract(book.asks[0].price, book.bids[0].price);
  // Hundredths of a basis point of the best bid.
  const std::int64_t parts = share(spread, book.bids[0].price, 1'000'000);
  const std::string text = "spread " + fixed_text(spread, decimals);
  const std::string in_bps = "  (" + format_scaled(parts, 2) + " bps)";
  return static_cast<int>(text.size() + in_bps.size()) <= columns ? text + in_bps : text;
}

}  // namespace

void BookPage::paint(Canvas& canvas, const PageMoment& moment) const {
  const auto read = book_.read(moment.now_ms, moment.heard_ms);
  const int middle = canvas.height() / 2;
  if (!read) {
    canvas.put(2, middle, "no book: " + read.error().reason, Style::alert);
    return;
  }
  const api::BookSnapshot& book = **read;
  const int above = std::max(middle - 2, 0);
  const int below = std::max(canvas.height() - 2 - middle, 0);
  const Digits digits{.price = decimals_of(book.bids, book.asks, &api::BookLevel::price),
                      .size = decimals_of(book.bids, book.asks, &api::BookLevel::size)};
  const Decimal asks = sum_of(book.asks, above);
  const Decimal bids = sum_of(book.bids, below);
  const Decimal most = subtract(asks, bids).coefficient > 0 ? asks : bids;
  const Columns at = columns_of(canvas.width(), needs_of(book, most, digits));
  canvas.put_right(at.price, 1, "price", Style::dim);
  if (at.size > 0) canvas.put_right(at.size, 1, "size", Style::dim);
  if (at.total > 0) canvas.put_right(at.total, 1, "total", Style::dim);
  paint_side(canvas, book.asks, middle - 1, -1, above, most, digits, at, Style::bad);
  paint_side(canvas, book.bids, middle + 1, 1, below, most, digits, at, Style::good);
  const int end = canvas.put(2, middle, spread_text(book, digits.price, canvas.width() - 2), Style::bold);
  const std::string stamp = rfc3339(book.at_ms).substr(11, 12) + "  change " + std::to_string(book.nonce);
  if (end + 2 + static_cast<int>(stamp.size()) < canvas.width())
    canvas.put_right(canvas.width() - 1, middle, stamp, Style::dim);
}

}  // namespace svc::cli
