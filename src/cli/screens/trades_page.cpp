#include "cli/screens/trades_page.h"

#include <algorithm>

#include "cli/render.h"
#include "cli/screens/number_text.h"

namespace svc::cli {
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
