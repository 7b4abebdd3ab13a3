#include "cli/screens/book_page.h"

#include <algorithm>

#include "cli/render.h"
#include "cli/screens/number_text.h"

namespace svc::cli {
namespace {

using Levels = std::vector<api::BookLevel>;

struct Columns {
  int price = 0;  // each is where the column ends
  int size = 0;
  int total = 0;
  int bar = 0;  // where it begins
  int bar_columns = 0;
};

Columns columns_of(int width) {
  Columns columns;
  columns.price = std::min(16, width / 4);
  columns.size = columns.price + std::min(16, width / 4);
  columns.total = columns.size + std::min(16, width / 4);
  columns.bar = columns.total + 2;
  columns.bar_columns = std::max(width - columns.bar - 1, 0);
  return columns;
}

int decimals_of(const Levels& a, const Levels& b, const Decimal api::BookLevel::*member) {
  int decimals = 0;
  for (const Levels* side : {&a, &b})
    for (const api::BookLevel& level : *side) decimals = std::max(decimals, (level.*member).scale);
  return std::min(decimals, 8);
}

struct Digits {
  int price = 0;
  int size = 0;
};

// The levels from the best on, `direction` lines apart from each other.
void paint_side(Canvas& canvas, const Levels& levels, int first_line, int direction, int lines, const Decimal& most,
                const Digits& digits, Style style) {
  const Columns at = columns_of(canvas.width());
  Decimal total;
  for (int i = 0; i < lines && i < static_cast<int>(levels.size()); ++i) {
    const api::BookLevel& level = levels[static_cast<std::size_t>(i)];
    const int y = first_line + i * direction;
    total = add(total, level.size);
    canvas.put_right(at.price, y, fixed_text(level.price, digits.price), style);
    canvas.put_right(at.size, y, fixed_text(level.size, digits.size));
    canvas.put_right(at.total, y, fixed_text(total, digits.size), Style::dim);
    canvas.bar(at.bar, y, static_cast<int>(share(total, most, at.bar_columns * 8)), at.bar_columns, style);
  }
}

Decimal sum_of(const Levels& levels, int lines) {
  Decimal sum;
  for (int i = 0; i < lines && i < static_cast<int>(levels.size()); ++i) sum = add(sum, levels[static_cast<std::size_t>(i)].size);
  return sum;
}

std::string spread_text(const api::BookSnapshot& book, int decimals) {
  if (book.bids.empty() || book.asks.empty()) return "one side is empty";
  const Decimal spread = subtract(book.asks[0].price, book.bids[0].price);
  // Hundredths of a basis point of the best bid.
  const std::int64_t parts = share(spread, book.bids[0].price, 1'000'000);
  return "spread " + fixed_text(spread, decimals) + "  (" + format_scaled(parts, 2) + " bps)";
}

}  // namespace

void BookPage::paint(Canvas& canvas, const PageMoment& moment) const {
  const Columns at = columns_of(canvas.width());
  canvas.put_right(at.price, 1, "price", Style::dim);
  canvas.put_right(at.size, 1, "size", Style::dim);
  canvas.put_right(at.total, 1, "total", Style::dim);
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
  paint_side(canvas, book.asks, middle - 1, -1, above, most, digits, Style::bad);
  paint_side(canvas, book.bids, middle + 1, 1, below, most, digits, Style::good);
  canvas.put(2, middle, spread_text(book, digits.price), Style::bold);
  canvas.put_right(canvas.width() - 1, middle, rfc3339(book.at_ms).substr(11, 12) + "  change " + std::to_string(book.nonce),
                   Style::dim);
}

}  // namespace svc::cli
