#include "cli/commands/pages.h"

#include <ranges>

#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "cli/commands/read.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

constexpr std::int64_t market_ms = 1'000;
constexpr std::int64_t account_ms = 2'000;
constexpr std::int64_t fills_ms = 5'000;  // an expensive read
constexpr std::uint32_t fill_rows = 20;

// In a narrow window the column with the highest rank goes first.
struct PageColumn {
  std::string_view name;
  std::string_view path;
  int rank = 0;
  bool left = false;
  bool signed_color = false;
  std::string (*text)(const Json& row) = nullptr;
  bool if_any = false;  // shown only if some row has a value
};

// The trailing distance, or the trigger price.
std::string trigger_text(const Json& order) {
  if (const auto trailing_bps = order.integer_at("trailing_offset_bps")) return std::to_string(*trailing_bps) + "bps";
  return order.text_at("trigger_price");
}

constexpr PageColumn market_columns[] = {
    {"market", "symbol", 0, true}, {"bid", "bid", 2},        {"ask", "ask", 3},
    {"last", "last", 4},           {"mark", "markPrice", 1}, {"change", "change", 5, false, true},
    {"volume", "baseVolume", 6},
};

constexpr PageColumn position_columns[] = {
    {"market", "market_id", 0, true},
    {"side", "side", 2, true},
    {"size", "size", 1},
    {"entry", "entry_price", 5},
    {"liq", "liquidation_price", 4},
    {"upnl", "unrealized_pnl", 3, false, true},
    {"margin", "", 6, false, false, margin_behind},
    {"lev", "leverage", 7},
    {"mode", "margin_mode", 8, true},
};

// Size, then price, side and market stay longest.
constexpr PageColumn order_columns[] = {
    {"market", "market_id", 4, true},
    {"side", "", 3, true, false, [](const Json& row) { return side_at(row, "side"); }},
    {"type", "order_type", 5, true},
    {"size", "quantity", 0},
    {"filled", "filled_qty", 6},
    {"price", "", 1, false, false, limit_price},
    {"trigger", "", 2, false, false, trigger_text, true},
    {"status", "status", 7, true},
    {"fired", "", 8, true, false, [](const Json& row) { return clock_at(row, "triggered_at"); }, true},
};

constexpr PageColumn fill_columns[] = {
    {"time", "", 4, true, false, [](const Json& row) { return clock_at(row, "timestamp"); }},
    {"market", "market_id", 3, true},
    {"side", "side", 2, true},
    {"size", "size", 0},
    {"price", "price", 1},
    {"fee", "fee", 5},
    {"liq_fee", "liquidation_fee", 6, false, false, nullptr, true},
    {"role", "taker_or_maker", 7, true},
};

// A number is never cut: its column is shown whole or not at all.
std::string cell_of(const Json& row, const PageColumn& column) {
  const std::string text = column.text == nullptr ? cell_text(row.at(column.path)) : column.text(row);
  return text.empty() ? "-" : text;
}

Style style_of(const std::string& text, const PageColumn& column) {
  if (column.name == "side") return text == "Long" || text == "buy" ? Style::good : Style::bad;
  if (!column.signed_color || text.empty() || text == "0" || text == "-") return Style::plain;
  return text.front() == '-' ? Style::bad : Style::good;
}

// A column with its cells.
struct Laid {
  const PageColumn* column;
  std::vector<std::string> cells;
  int width;
};

constexpr int column_gap = 2;

// The columns that fit, in their order.
std::vector<Laid> laid_out(std::span<const PageColumn> columns, const std::vector<Json>& rows, std::size_t count,
                           int width) {
  std::vector<Laid> laid;
  for (const PageColumn& column : columns) {
    Laid one{.column = &column, .cells = {}, .width = static_cast<int>(column.name.size())};
    for (std::size_t i = 0; i < count; ++i) {
      one.cells.push_back(cell_of(rows[i], column));
      one.width = std::max(one.width, static_cast<int>(width_of(one.cells.back())));
    }
    const bool empty = std::ranges::all_of(one.cells, [](const std::string& cell) { return cell == "-"; });
    if (!column.if_any || !empty) laid.push_back(std::move(one));
  }
  const auto total = [&] {
    int sum = 2 - column_gap;  // a blank at both sides
    for (const Laid& one : laid) sum += one.width + column_gap;
    return sum;
  };
  while (laid.size() > 1 && total() > width) {
    laid.erase(std::ranges::max_element(laid, {}, [](const Laid& one) { return one.column->rank; }));
  }
  return laid;
}

// Returns the line after the table. Its last line counts the rows that do not fit.
int paint_table(Canvas& canvas, int y, int lines, std::span<const PageColumn> columns, const std::vector<Json>& rows) {
  if (lines < 2) return y;
  const bool all = static_cast<int>(rows.size()) < lines;
  const std::size_t shown = all ? rows.size() : static_cast<std::size_t>(lines - 2);
  int x = 1;
  for (const Laid& one : laid_out(columns, rows, shown, canvas.width())) {
    const auto put = [&](int line, std::string_view text, Style style) {
      if (one.column->left)
        canvas.put(x, line, text, style);
      else
        canvas.put_right(x + one.width, line, text, style);
    };
    put(y, one.column->name, Style::dim);
    for (std::size_t i = 0; i < shown; ++i) {
      put(y + 1 + static_cast<int>(i), one.cells[i], style_of(one.cells[i], *one.column));
    }
    x += one.width + column_gap;
  }
  const int end = y + 1 + static_cast<int>(shown);
  if (all) return end;
  canvas.put(1, end, "... " + std::to_string(rows.size() - shown) + " more", Style::dim);
  return end + 1;
}

// Parts from the left, as many as fit.
class PartLine {
 public:
  PartLine(Canvas& canvas, int y) : canvas_(canvas), y_(y) {}

  void put(std::string_view name, const std::string& text, Style style, int bar_columns = 0, int eighths = 0) {
    const int width = static_cast<int>(name.size() + width_of(text)) + bar_columns;
    full_ = full_ || x_ + width > canvas_.width();
    if (full_) return;
    x_ = canvas_.put(x_, y_, name, Style::dim);
    if (bar_columns > 0) canvas_.bar(x_, y_, eighths, bar_columns, style);
    x_ = canvas_.put(x_ + bar_columns, y_, text, bar_columns > 0 ? Style::plain : style) + part_gap;
  }

 private:
  static constexpr int part_gap = 3;
  Canvas& canvas_;
  int y_;
  int x_ = 1;
  bool full_ = false;
};

using BookLevels = std::vector<api::BookLevel>;

struct LadderColumn {
  std::string_view name;
  int decimals = 0;
  int width = static_cast<int>(name.size());  // of its longest text
  int end = 0;                                // 0: there is no room for it
};
using LadderColumns = std::array<LadderColumn, 3>;

Decimal sum_of(const BookLevels& levels, int lines) {
  Decimal sum;
  for (const api::BookLevel& level : levels | std::views::take(lines)) sum = add(sum, level.size);
  return sum;
}

// The price is always there. `most`: the largest total.
LadderColumns ladder_columns(const api::BookSnapshot& book, const Decimal& most, int width) {
  LadderColumns columns{{{"price"}, {"size"}, {"total"}}};
  auto& [price, size, total] = columns;
  BookLevels levels = book.asks;
  levels.insert(levels.end(), book.bids.begin(), book.bids.end());
  for (const api::BookLevel& level : levels) {
    price.decimals = std::max(price.decimals, level.price.scale);
    size.decimals = total.decimals = std::max(size.decimals, level.size.scale);
  }
  const auto hold = [](LadderColumn& column, const Decimal& number) {
    column.width = std::max(column.width, static_cast<int>(fixed_text(number, column.decimals).size()));
  };
  for (const api::BookLevel& level : levels) {
    hold(price, level.price);
    hold(size, level.size);
  }
  hold(total, most);
  constexpr int gap = 2, roomy = 16;
  int end = 0;
  for (LadderColumn& column : columns) {
    const int least = column.width + (end == 0 ? 1 : gap);
    const int wanted = std::max(least, std::min(roomy, width / 4));
    if (end > 0 && end + least > width) break;
    column.end = end += end == 0 || end + wanted <= width ? wanted : least;
  }
  return columns;
}

// The levels from the best on, upwards (-1) or downwards (1).
void paint_side(Canvas& canvas, const BookLevels& levels, int first_line, int direction, int lines, const Decimal& most,
                const LadderColumns& columns, Style style) {
  const int bar = std::ranges::max(columns, {}, &LadderColumn::end).end + 2;
  const int bar_columns = std::max(canvas.width() - bar - 1, 0);
  Decimal total;
  int y = first_line;
  for (const api::BookLevel& level : levels | std::views::take(lines)) {
    total = add(total, level.size);
    const Decimal* numbers[] = {&level.price, &level.size, &total};
    const Style styles[] = {style, Style::plain, Style::dim};
    for (std::size_t i = 0; i < columns.size() && columns[i].end > 0; ++i)
      canvas.put_right(columns[i].end, y, fixed_text(*numbers[i], columns[i].decimals), styles[i]);
    canvas.bar(bar, y, static_cast<int>(share(total, most, bar_columns * 8)), bar_columns, style);
    y += direction;
  }
}

// Without the basis points if there is no room.
std::string spread_text(const api::BookSnapshot& book, int decimals, int columns) {
  if (book.bids.empty() && book.asks.empty()) return "the book is empty";
  if (book.bids.empty() || book.asks.empty()) return "one side is empty";
  const Decimal& bid = book.bids[0].price;
  const Decimal& ask = book.asks[0].price;
  const std::string text = "spread " + fixed_text(subtract(ask, bid), decimals);
  const std::string in_bps = "  (" + spread_in_bps(bid, ask) + " bps)";
  return static_cast<int>(text.size() + in_bps.size()) <= columns ? text + in_bps : text;
}

}  // namespace

void TablePage::paint_money(Canvas& canvas, int y) const {
  PartLine line(canvas, y);
  if (!account_.empty()) line.put("account ", account_, Style::plain);
  const Json* account = answers_.find("account");
  if (account == nullptr) return;
  for (const auto& [name, path] :
       {std::pair{"equity ", "equity"}, {"free ", "available_margin"}, {"balance ", "balance"}})
    line.put(name, cell_text(account->find(path)), Style::bold);
}

void TopPage::paint_budgets(Canvas& canvas, int y) const {
  PartLine line(canvas, y);
  std::string_view before = "left ";
  const Json buckets = answers_.value_at("limits.buckets");
  for (const auto& [name, bucket] : buckets.members()) {
    const std::string remaining = cell_text(bucket.find("remaining"));
    const std::string limit = cell_text(bucket.find("limit"));
    const auto left = number_of(remaining);
    const auto whole = number_of(limit);
    constexpr int bar_columns = 6;
    const int eighths = left && whole ? static_cast<int>(share(*left, *whole, bar_columns * 8)) : 0;
    const Style style = eighths * 4 < bar_columns * 8 ? Style::bad : Style::good;
    line.put(concat(before, name, " "), " " + remaining + "/" + limit, style, bar_columns, eighths);
    before = "";
  }
}

std::vector<api::StreamKey> PositionsPage::channels() const {
  return {{.channel = api::StreamChannel::positions, .market = {}, .interval = {}},
          {.channel = api::StreamChannel::balances, .market = {}, .interval = {}}};
}

std::vector<PageRead> PositionsPage::reads() const {
  return {{"positions", market_ms, call_of<api::ops::ListPositions>()},
          {"account", market_ms, call_of<api::ops::GetAccount>()}};
}

void PositionsPage::paint(Canvas& canvas, const PageMoment&) const {
  paint_money(canvas, 1);
  const auto& positions = answers_.items_at("positions");
  if (positions.empty()) {
    canvas.put(1, 3, answers_.find("positions") ? "no open position" : "reading ...", Style::dim);
    return;
  }
  paint_table(canvas, 3, canvas.height() - 4, position_columns, positions);
}

std::vector<PageRead> TopPage::reads() const {
  const PageRead tickers{"tickers", market_ms, call_of<api::ops::ListTickers>()};
  if (!with_account_) return {tickers};
  return {tickers,
          {"account", account_ms, call_of<api::ops::GetAccount>()},
          {"positions", account_ms, call_of<api::ops::ListPositions>()},
          {"orders", account_ms, call_of<api::ops::ListOrders>()},
          {"limits", account_ms, call_of<api::ops::GetRateLimit>()},
          {"fills", fills_ms, call_of<api::ops::ListFills>({.limit = fill_rows})}};
}

void TopPage::paint(Canvas& canvas, const PageMoment&) const {
  const auto& markets = answers_.items_at("tickers");
  const int last = canvas.height() - 1;  // the line of the frame
  if (!with_account_) {
    paint_table(canvas, 1, last - 1, market_columns, markets);
    return;
  }
  int y = 1;
  paint_money(canvas, y++);
  paint_budgets(canvas, y++);
  struct Part {
    std::span<const PageColumn> columns;
    const std::vector<Json>& rows;
    std::string_view none;
  };
  const Part parts[] = {{position_columns, answers_.items_at("positions"), "no open position"},
                        {order_columns, answers_.items_at("orders"), "no open order"},
                        {market_columns, markets, "no market"},
                        {fill_columns, answers_.items_at("fills"), "no fill yet"}};
  // The parts share the lines equally; what one does not need goes to those after it, and one without rows needs a
  // single line. A low window has the first only.
  constexpr int lines_min = 4;
  const auto is_empty = [](const Part& part) { return part.rows.empty(); };
  const auto needed = [&](const Part& part) { return is_empty(part) ? 1 : lines_min; };
  std::size_t fitting = 1;
  int lines = needed(parts[0]);
  while (fitting < std::size(parts) && lines + needed(parts[fitting]) <= last - y) lines += needed(parts[fitting++]);
  for (std::span<const Part> rest(parts, fitting); !rest.empty() && y < last;) {
    const Part& part = rest.front();
    rest = rest.subspan(1);
    const int left = static_cast<int>(rest.size());
    const int empty = static_cast<int>(std::ranges::count_if(rest, is_empty));
    const int own = (last - y - empty) / (left - empty + 1);
    if (is_empty(part)) {
      canvas.put(1, y++, part.none, Style::dim);
    } else {
      y = paint_table(canvas, y, std::min(own, static_cast<int>(part.rows.size()) + 1), part.columns, part.rows);
    }
    if (last - y > 2 * left) ++y;  // a blank line, where there is room for it
  }
}

void BookPage::paint(Canvas& canvas, const PageMoment& moment) const {
  const auto read = book_.read(moment.now_ms, moment.heard_ms);
  const int middle = canvas.height() / 2;
  if (!read) {
    canvas.put(2, middle, "no book: " + read.error(), Style::alert);
    return;
  }
  const api::BookSnapshot& book = **read;
  const int below = std::max(canvas.height() - 2 - middle, 0);
  // In five lines the best ask takes the place of the columns' names.
  const bool is_named = middle > 2 || below == 0;
  const int above = std::max(middle - (is_named ? 2 : 1), 0);
  const Decimal asks = sum_of(book.asks, above);
  const Decimal bids = sum_of(book.bids, below);
  const Decimal most = subtract(asks, bids).coefficient > 0 ? asks : bids;
  const LadderColumns columns = ladder_columns(book, most, canvas.width());
  for (const LadderColumn& column : columns)
    if (is_named && column.end > 0) canvas.put_right(column.end, 1, column.name, Style::dim);
  paint_side(canvas, book.asks, middle - 1, -1, above, most, columns, Style::bad);
  paint_side(canvas, book.bids, middle + 1, 1, below, most, columns, Style::good);
  const int end = canvas.put(2, middle, spread_text(book, columns[0].decimals, canvas.width() - 2), Style::bold);
  const std::string stamp = rfc3339(book.at_ms).substr(11, 12) + "  change " + std::to_string(book.nonce);
  if (end + 2 + static_cast<int>(stamp.size()) < canvas.width())
    canvas.put_right(canvas.width() - 1, middle, stamp, Style::dim);
}

void TradesPage::add(const Json& trade) {
  const auto id = trade.string_at("id").value_or("");
  // The first page and the stream overlap.
  if (!id.empty() && std::ranges::any_of(trades_, [&](const Json& one) { return one.string_at("id") == id; })) return;
  const auto time_of = [](const Json& one) { return one.integer_at("timestamp").value_or(0); };
  trades_.insert(std::ranges::find_if(trades_, [&](const Json& one) { return time_of(one) <= time_of(trade); }), trade);
  constexpr std::size_t trades_max = 500;
  if (trades_.size() > trades_max) trades_.pop_back();
}

void TradesPage::take(const api::StreamNews& news) {
  if (news.kind == api::StreamNews::Kind::resync && !news.complete) trades_.emplace_front();
  if (news.kind != api::StreamNews::Kind::event) return;
  if (const auto trade = parse_json(news.payload)) add(*trade);
}

std::vector<PageRead> TradesPage::reads() const {
  // Once: the stream continues from there.
  return {{"trades", 0, call_of<api::ops::ListTrades>({.market_id = api::MarketId{market_}})}};
}

void TradesPage::answered(const std::string&, const Json& body) {
  for (auto trade = body.items().rbegin(); trade != body.items().rend(); ++trade) add(*trade);
}

void TradesPage::paint(Canvas& canvas, const PageMoment&) const {
  const auto visible = trades_ | std::views::take(std::max(canvas.height() - 3, 0));
  const auto text_of = [](const Json& trade, std::string_view member) { return cell_text(trade.find(member)); };
  int price_width = 5, size_width = 4;
  Decimal largest;
  for (const Json& trade : visible) {
    price_width = std::max(price_width, static_cast<int>(text_of(trade, "price").size()));
    size_width = std::max(size_width, static_cast<int>(text_of(trade, "amount").size()));
    const auto amount = number_of(text_of(trade, "amount"));
    if (amount && subtract(*amount, largest).coefficient > 0) largest = *amount;
  }
  // In a narrow window the time goes first, then the side, then the size.
  constexpr int time_width = 14, side_width = 6, gap = 2, roomy = 16;
  const int step = std::min(roomy, canvas.width() / 4);
  const bool with_time = time_width + price_width + size_width + 2 * gap + side_width <= canvas.width();
  const int price = (with_time ? time_width : 1) + std::max(price_width, with_time ? step : 0);
  const int size_end = price + std::max(size_width + gap, step);
  const int size = size_end + side_width <= canvas.width() ? size_end : price + size_width + gap;
  const bool with_size = size <= canvas.width();
  const bool with_side = size + side_width <= canvas.width();
  if (with_time) canvas.put(1, 1, "time", Style::dim);
  canvas.put_right(price, 1, "price", Style::dim);
  if (with_size) canvas.put_right(size, 1, "size", Style::dim);
  if (with_side) canvas.put(size + 2, 1, "side", Style::dim);
  const int bar_columns = std::max(canvas.width() - size - 9, 0);
  int y = 1;
  for (const Json& trade : visible) {
    ++y;
    if (trade.is(Json::Kind::null)) {
      canvas.put(1, y, "-- trades are missing here --", Style::alert);
      continue;
    }
    const std::string side = trade.text_at("side");
    const Style style = side == "buy" ? Style::good : Style::bad;
    const std::string time = rfc3339(trade.integer_at("timestamp").value_or(0));
    if (with_time) canvas.put(1, y, time.substr(std::min<std::size_t>(time.size(), 11), 12), Style::dim);
    canvas.put_right(price, y, text_of(trade, "price"), style);
    if (with_size) canvas.put_right(size, y, text_of(trade, "amount"));
    if (with_side) canvas.put(size + 2, y, side, style);
    const auto amount = number_of(text_of(trade, "amount"));
    if (amount) canvas.bar(size + 8, y, static_cast<int>(share(*amount, largest, bar_columns * 8)), bar_columns, style);
  }
  if (trades_.empty()) canvas.put(1, 2, "no trade yet", Style::dim);
}

}  // namespace svc::cli
