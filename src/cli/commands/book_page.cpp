#include "cli/commands/book_page.h"

#include <algorithm>

#include "cli/terminal/canvas.h"
#include "cli/terminal/render.h"

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

namespace {

constexpr std::size_t lines_max = 500;

}  // namespace

void TradesPage::add(const Json& trade) {
  TradeLine line{.id = std::string(trade.string_at("id").value_or("")),
            .at_ms = trade.integer_at("timestamp").value_or(0),
            .side = std::string(trade.string_at("side").value_or("")),
            .price = cell_text(trade.find("price")),
            .size = cell_text(trade.find("amount"))};
  // The first page and the stream overlap.
  if (std::ranges::any_of(lines_, [&](const TradeLine& one) { return one.id == line.id && !line.id.empty(); })) return;
  const auto place = std::ranges::find_if(lines_, [&](const TradeLine& one) { return one.at_ms <= line.at_ms; });
  lines_.insert(place, std::move(line));
  if (lines_.size() > lines_max) lines_.pop_back();
}

void TradesPage::take(const api::StreamNews& news) {
  if (news.kind == api::StreamNews::Kind::resync && !news.complete) lines_.push_front({.id = {}, .side = {}, .price = {}, .size = {}, .hole = true});
  if (news.kind != api::StreamNews::Kind::event) return;
  if (const auto trade = parse_json(news.payload)) add(*trade);
}

std::vector<PageRead> TradesPage::reads() const {
  // Once: the stream goes on from there.
  return {{.name = "trades", .every_ms = 0}};
}

void TradesPage::answered(const std::string&, const Json& body) {
  for (auto trade = body.items().rbegin(); trade != body.items().rend(); ++trade) add(*trade);
}

void TradesPage::paint(Canvas& canvas, const PageMoment&) const {
  const int visible = std::min(canvas.height() - 3, static_cast<int>(lines_.size()));
  int price_width = 5, size_width = 4;
  for (int i = 0; i < visible; ++i) {
    const TradeLine& line = lines_[static_cast<std::size_t>(i)];
    price_width = std::max(price_width, static_cast<int>(line.price.size()));
    size_width = std::max(size_width, static_cast<int>(line.size.size()));
  }
  // A number is shown whole: in a narrow window the time goes, then the side, then the size.
  constexpr int time_width = 14, side_width = 6, gap = 2, roomy = 16;
  const int step = std::min(roomy, canvas.width() / 4);
  const bool with_time = time_width + price_width + size_width + 2 * gap + side_width <= canvas.width();
  const int price = (with_time ? time_width : 1) + std::max(price_width, with_time ? std::min(step, roomy) : 0);
  const int size_end = price + std::max(size_width + gap, step);
  const int size = size_end + side_width <= canvas.width() ? size_end : price + size_width + gap;
  const bool with_size = size <= canvas.width();
  const bool with_side = size + side_width <= canvas.width();
  if (with_time) canvas.put(1, 1, "time", Style::dim);
  canvas.put_right(price, 1, "price", Style::dim);
  if (with_size) canvas.put_right(size, 1, "size", Style::dim);
  if (with_side) canvas.put(size + 2, 1, "side", Style::dim);
  Decimal largest;
  for (int i = 0; i < visible; ++i) {
    const auto amount = number_of(lines_[static_cast<std::size_t>(i)].size);
    if (amount && subtract(*amount, largest).coefficient > 0) largest = *amount;
  }
  const int bar_columns = std::max(canvas.width() - size - 9, 0);
  for (int i = 0; i < visible; ++i) {
    const TradeLine& line = lines_[static_cast<std::size_t>(i)];
    const int y = 2 + i;
    if (line.hole) {
      canvas.put(1, y, "-- trades are missing here --", Style::alert);
      continue;
    }
    const Style style = line.side == "buy" ? Style::good : Style::bad;
    if (with_time) canvas.put(1, y, rfc3339(line.at_ms).substr(11, 12), Style::dim);
    canvas.put_right(price, y, line.price, style);
    if (with_size) canvas.put_right(size, y, line.size);
    if (with_side) canvas.put(size + 2, y, line.side, style);
    const auto amount = number_of(line.size);
    if (amount) canvas.bar(size + 8, y, static_cast<int>(share(*amount, largest, bar_columns * 8)), bar_columns, style);
  }
  if (lines_.empty()) canvas.put(1, 2, "no trade yet", Style::dim);
}

}  // namespace svc::cli
