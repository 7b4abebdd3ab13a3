#include "cli/screens/table_page.h"

#include <algorithm>

#include "cli/render.h"
#include "cli/screens/number_text.h"

namespace svc::cli {
namespace {

constexpr std::int64_t market_ms = 1'000;
constexpr std::int64_t account_ms = 2'000;

// One column: where its text comes from, how wide it wants to be, and how much of it matters in a narrow window.
struct PageColumn {
  std::string_view name;
  std::string_view path;
  int width = 0;
  int least_width = 0;  // of the window, to be shown at all
  bool left = false;
  bool signed_color = false;
};

constexpr PageColumn market_columns[] = {
    {"market", "symbol", 16, 0, true},
    {"bid", "bid", 12, 0},
    {"ask", "ask", 12, 0},
    {"last", "last", 12, 0},
    {"mark", "markPrice", 12, 66},
    {"change", "change", 11, 76, false, true},
    {"volume", "baseVolume", 14, 96},
};

constexpr PageColumn position_columns[] = {
    {"market", "market_id", 16, 0, true},
    {"side", "side", 6, 0, true},
    {"size", "size", 12, 0},
    {"entry", "entry_price", 13, 0},
    {"liq", "liquidation_price", 13, 0},
    {"upnl", "unrealized_pnl", 14, 0, false, true},
    {"margin", "margin_used", 14, 92},
    {"lev", "leverage", 6, 100},
    {"mode", "margin_mode", 9, 110, true},
};

constexpr PageColumn order_columns[] = {
    {"market", "market_id", 16, 0, true},
    {"side", "side", 6, 0, true},
    {"type", "order_type", 16, 76, true},
    {"size", "quantity", 12, 0},
    {"filled", "filled_qty", 12, 0},
    {"price", "price", 13, 0},
    {"status", "status", 16, 96, true},
};

// Long fractions are of no use in a narrow column.
std::string cell_of(const Json& row, const PageColumn& column) {
  const std::string text = cell_text(row.at(column.path));
  const auto number = number_of(text);
  if (!number || static_cast<int>(text.size()) < column.width) return text;
  return fixed_text(*number, std::max(0, std::min(number->scale, column.width - 8)));
}

Style style_of(const std::string& text, const PageColumn& column) {
  if (!column.signed_color || text.empty() || text == "0" || text == "-") return Style::plain;
  return text.front() == '-' ? Style::bad : Style::good;
}

template <std::size_t N>
int paint_table(Canvas& canvas, int y, int lines, const PageColumn (&columns)[N], const std::vector<Json>& rows) {
  const auto each_column = [&](auto paint) {
    int x = 1;
    for (const PageColumn& column : columns) {
      if (canvas.width() < column.least_width) continue;
      paint(x, column);
      x += column.width + (column.left ? 1 : 0);
    }
  };
  each_column([&](int x, const PageColumn& column) {
    if (column.left) canvas.put(x, y, column.name, Style::dim);
    else canvas.put_right(x + column.width, y, column.name, Style::dim);
  });
  int shown = 0;
  for (; shown < lines - 1 && shown < static_cast<int>(rows.size()); ++shown) {
    const Json& row = rows[static_cast<std::size_t>(shown)];
    each_column([&](int x, const PageColumn& column) {
      const std::string text = cell_of(row, column);
      const Style style = column.name == "side" ? (text == "Long" || text == "Buy" ? Style::good : Style::bad)
                                                : style_of(text, column);
      if (column.left) canvas.put(x, y + 1 + shown, text, style);
      else canvas.put_right(x + column.width, y + 1 + shown, text, style);
    });
  }
  if (shown < static_cast<int>(rows.size())) {
    canvas.put(0, y + shown, std::string(static_cast<std::size_t>(canvas.width()), ' '));
    canvas.put(1, y + shown, "... " + std::to_string(rows.size() - static_cast<std::size_t>(shown) + 1) + " more", Style::dim);
  }
  return y + 1 + shown;
}

const std::vector<Json>& rows_of(const std::map<std::string, Json>& answers, const std::string& name) {
  static const std::vector<Json> none;
  const auto found = answers.find(name);
  return found == answers.end() ? none : found->second.items();
}

void paint_money(Canvas& canvas, int y, const std::map<std::string, Json>& answers) {
  const auto found = answers.find("account");
  if (found == answers.end()) return;
  int x = 1;
  for (const auto& [name, path] : {std::pair{"equity ", "equity"}, std::pair{"balance ", "balance"},
                                   std::pair{"free ", "available_margin"}}) {
    const std::string text = cell_text(found->second.find(path));
    const auto number = number_of(text);
    x = canvas.put(x, y, name, Style::dim);
    x = canvas.put(x, y, number ? fixed_text(*number, 2) : text, Style::bold) + 3;
  }
}

void paint_budgets(Canvas& canvas, int y, const std::map<std::string, Json>& answers) {
  const auto found = answers.find("limits");
  const Json* buckets = found == answers.end() ? nullptr : found->second.find("buckets");
  if (buckets == nullptr) return;
  int x = canvas.put(1, y, "left ", Style::dim);
  for (std::size_t i = 0; i < buckets->keys().size(); ++i) {
    const Json& bucket = buckets->items()[i];
    const std::string remaining = cell_text(bucket.find("remaining"));
    const std::string limit = cell_text(bucket.find("limit"));
    const auto left = number_of(remaining);
    const auto whole = number_of(limit);
    constexpr int bar_columns = 6;
    if (x + 24 > canvas.width()) return;
    x = canvas.put(x, y, buckets->keys()[i] + " ", Style::dim);
    const int eighths = left && whole ? static_cast<int>(share(*left, *whole, bar_columns * 8)) : 0;
    canvas.bar(x, y, eighths, bar_columns, eighths * 4 < bar_columns * 8 ? Style::bad : Style::good);
    x = canvas.put(x + bar_columns, y, " " + remaining + "/" + limit, Style::plain) + 2;
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
  paint_money(canvas, 1, answers_);
  const auto& positions = rows_of(answers_, "positions");
  if (positions.empty()) {
    canvas.put(1, 3, answers_.contains("positions") ? "no open position" : "reading ...", Style::dim);
    return;
  }
  paint_table(canvas, 3, canvas.height() - 4, position_columns, positions);
}

std::vector<PageRead> TopPage::reads() const {
  if (!with_account_) return {{"tickers", market_ms}};
  return {{"tickers", market_ms}, {"account", account_ms}, {"positions", account_ms}, {"orders", account_ms}, {"limits", account_ms}};
}

void TopPage::paint(Canvas& canvas, const PageMoment&) const {
  int y = 1;
  if (with_account_) {
    paint_money(canvas, y++, answers_);
    paint_budgets(canvas, y++, answers_);
    ++y;
  }
  const int lines = canvas.height() - 1 - y;
  const auto& markets = rows_of(answers_, "tickers");
  if (!with_account_) {
    paint_table(canvas, y, lines, market_columns, markets);
    return;
  }
  const auto& positions = rows_of(answers_, "positions");
  const auto& orders = rows_of(answers_, "orders");
  // Everybody gets a third, and what others leave of theirs.
  const int third = std::max(lines / 3 - 1, 2);
  y = paint_table(canvas, y, std::min(third, static_cast<int>(markets.size()) + 1), market_columns, markets) + 1;
  if (positions.empty()) {
    canvas.put(1, y, "no open position", Style::dim);
    y += 2;
  } else {
    y = paint_table(canvas, y, std::min(third, static_cast<int>(positions.size()) + 1), position_columns, positions) + 1;
  }
  if (orders.empty()) {
    canvas.put(1, y, "no open order", Style::dim);
  } else {
    paint_table(canvas, y, canvas.height() - 1 - y, order_columns, orders);
  }
}

}  // namespace svc::cli
