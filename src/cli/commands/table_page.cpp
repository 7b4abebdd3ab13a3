#include "cli/commands/table_page.h"

#include <algorithm>
#include <span>

#include "cli/terminal/canvas.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

constexpr std::int64_t market_ms = 1'000;
constexpr std::int64_t account_ms = 2'000;
constexpr std::int64_t fills_ms = 5'000;  // a dear read

// One column: where its text comes from, and when it goes from a window that is too narrow: the highest rank first.
struct PageColumn {
  std::string_view name;
  std::string_view path;
  int rank = 0;
  bool left = false;
  bool signed_color = false;
  std::string (*text)(const Json& row) = nullptr;
  bool if_any = false;  // shown only where some row has something there
};

// The distance that follows the mark price, or the price that fires an order.
std::string trigger_text(const Json& order) {
  if (const auto trailing_bps = order.integer_at("trailing_offset_bps")) return std::to_string(*trailing_bps) + "bps";
  return std::string(order.string_at("trigger_price").value_or(""));
}

constexpr PageColumn market_columns[] = {
    {"market", "symbol", 0, true},
    {"bid", "bid", 2},
    {"ask", "ask", 3},
    {"last", "last", 4},
    {"mark", "markPrice", 1},
    {"change", "change", 5, false, true},
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

// What a trader needs stays longest: size, then price, side and market.
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

// A number is shown whole, or its column is not shown at all.
std::string cell_of(const Json& row, const PageColumn& column) {
  const std::string text = column.text == nullptr ? cell_text(row.at(column.path)) : column.text(row);
  return text.empty() ? "-" : text;
}

Style style_of(const std::string& text, const PageColumn& column) {
  if (column.name == "side") return text == "Long" || text == "buy" ? Style::good : Style::bad;
  if (!column.signed_color || text.empty() || text == "0" || text == "-") return Style::plain;
  return text.front() == '-' ? Style::bad : Style::good;
}

// A column as it is shown: its cells, and how wide they are.
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

// The line after the table. What has no line left is counted.
int paint_table(Canvas& canvas, int y, int lines, std::span<const PageColumn> columns, const std::vector<Json>& rows) {
  if (lines < 2) return y;
  const bool all = static_cast<int>(rows.size()) < lines;
  const std::size_t shown = all ? rows.size() : static_cast<std::size_t>(lines - 2);
  int x = 1;
  for (const Laid& one : laid_out(columns, rows, shown, canvas.width())) {
    const auto put = [&](int line, std::string_view text, Style style) {
      if (one.column->left) canvas.put(x, line, text, style);
      else canvas.put_right(x + one.width, line, text, style);
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

const std::vector<Json>& rows_of(const std::map<std::string, Json>& answers, const std::string& name) {
  static const std::vector<Json> none;
  const auto found = answers.find(name);
  return found == answers.end() ? none : found->second.items();
}

// Parts from the left, each whole or not at all.
class PartLine {
 public:
  PartLine(Canvas& canvas, int y) : canvas_(canvas), y_(y) {}

  // True if it fitted, and everything before it as well.
  bool put(std::string_view name, const std::string& text, Style style, int bar_columns = 0, int eighths = 0) {
    const int width = static_cast<int>(name.size() + width_of(text)) + bar_columns;
    full_ = full_ || x_ + width > canvas_.width();
    if (full_) return false;
    x_ = canvas_.put(x_, y_, name, Style::dim);
    if (bar_columns > 0) canvas_.bar(x_, y_, eighths, bar_columns, style);
    x_ = canvas_.put(x_ + bar_columns, y_, text, bar_columns > 0 ? Style::plain : style) + part_gap;
    return true;
  }

 private:
  static constexpr int part_gap = 3;
  Canvas& canvas_;
  int y_;
  int x_ = 1;
  bool full_ = false;
};

void paint_money(Canvas& canvas, int y, const std::map<std::string, Json>& answers, const std::string& account) {
  PartLine line(canvas, y);
  if (!account.empty()) line.put("account ", account, Style::plain);
  const auto found = answers.find("account");
  if (found != answers.end()) {
    for (const auto& [name, path] : {std::pair{"equity ", "equity"}, std::pair{"free ", "available_margin"},
                                     std::pair{"balance ", "balance"}})
      line.put(name, cell_text(found->second.find(path)), Style::bold);
  }
}

void paint_budgets(Canvas& canvas, int y, const std::map<std::string, Json>& answers) {
  const auto found = answers.find("limits");
  const Json* buckets = found == answers.end() ? nullptr : found->second.find("buckets");
  if (buckets == nullptr) return;
  PartLine line(canvas, y);
  for (std::size_t i = 0; i < buckets->keys().size(); ++i) {
    const Json& bucket = buckets->items()[i];
    const std::string remaining = cell_text(bucket.find("remaining"));
    const std::string limit = cell_text(bucket.find("limit"));
    const auto left = number_of(remaining);
    const auto whole = number_of(limit);
    constexpr int bar_columns = 6;
    const int eighths = left && whole ? static_cast<int>(share(*left, *whole, bar_columns * 8)) : 0;
    const Style style = eighths * 4 < bar_columns * 8 ? Style::bad : Style::good;
    line.put((i == 0 ? "left " : "") + buckets->keys()[i] + " ", " " + remaining + "/" + limit, style, bar_columns,
             eighths);
  }
}

}  // namespace

std::vector<api::StreamKey> PositionsPage::channels() const {
  std::vector<api::StreamKey> keys;
  for (const api::StreamChannel channel : {api::StreamChannel::positions, api::StreamChannel::balances})
    keys.push_back({.channel = channel, .market = {}, .interval = {}});
  return keys;
}

std::vector<PageRead> PositionsPage::reads() const {
  return {{"positions", market_ms}, {"account", market_ms}};
}

void PositionsPage::paint(Canvas& canvas, const PageMoment&) const {
  paint_money(canvas, 1, answers_, account_);
  const auto& positions = rows_of(answers_, "positions");
  if (positions.empty()) {
    canvas.put(1, 3, answers_.contains("positions") ? "no open position" : "reading ...", Style::dim);
    return;
  }
  paint_table(canvas, 3, canvas.height() - 4, position_columns, positions);
}

std::vector<PageRead> TopPage::reads() const {
  if (!with_account_) return {{"tickers", market_ms}};
  return {{"tickers", market_ms},  {"account", account_ms}, {"positions", account_ms},
          {"orders", account_ms}, {"limits", account_ms},  {"fills", fills_ms}};
}

void TopPage::paint(Canvas& canvas, const PageMoment&) const {
  const auto& markets = rows_of(answers_, "tickers");
  const int last = canvas.height() - 1;  // the line of the frame
  if (!with_account_) {
    paint_table(canvas, 1, last - 1, market_columns, markets);
    return;
  }
  int y = 1;
  paint_money(canvas, y++, answers_, account_);
  paint_budgets(canvas, y++, answers_);
  struct Part {
    std::span<const PageColumn> columns;
    const std::vector<Json>& rows;
    std::string_view none;
  };
  const Part parts[] = {{position_columns, rows_of(answers_, "positions"), "no open position"},
                        {order_columns, rows_of(answers_, "orders"), "no open order"},
                        {market_columns, markets, "no market"},
                        {fill_columns, rows_of(answers_, "fills"), "no fill yet"}};
  // Everybody gets the same, and what those before leave of theirs. A low window has room for the first ones only.
  constexpr int lines_min = 4;
  int left = std::clamp((last - y) / lines_min, 1, static_cast<int>(std::size(parts)));
  for (const Part& part : parts) {
    if (y >= last || left == 0) return;
    const int own = (last - y) / left--;
    if (part.rows.empty()) {
      canvas.put(1, y++, part.none, Style::dim);
    } else {
      y = paint_table(canvas, y, std::min(own, static_cast<int>(part.rows.size()) + 1), part.columns, part.rows);
    }
    if (last - y > 2 * left) ++y;  // a blank line, where there is room for it
  }
}

}  // namespace svc::cli
