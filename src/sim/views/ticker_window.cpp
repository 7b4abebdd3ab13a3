#include "sim/views/ticker_window.h"

#include <algorithm>

namespace svc::sim {
namespace {

constexpr std::int64_t window_minutes = day_ms / minute_ms;

// The first minute that still counts at `now_ms`.
constexpr std::int64_t oldest_minute(TimestampMs now_ms) { return now_ms / minute_ms - window_minutes + 1; }

}  // namespace

void TickerWindow::add(TimestampMs at_ms, Ticks price, Lots quantity, Usdx quote) {
  while (!minutes_.empty() && minutes_.front().number < oldest_minute(at_ms)) minutes_.pop_front();
  const std::int64_t number = at_ms / minute_ms;
  if (minutes_.empty() || minutes_.back().number != number)
    minutes_.push_back({number, {.open = price, .high = price, .low = price, .close = price}});
  TradedRange& traded = minutes_.back().traded;
  traded.high = std::max(traded.high, price);
  traded.low = std::min(traded.low, price);
  traded.close = price;
  traded.base_lots += quantity.value;
  traded.quote += quote.value;
  ++traded.trades;
}

std::optional<TradedRange> TickerWindow::range(TimestampMs now_ms) const {
  const auto first = std::find_if(minutes_.begin(), minutes_.end(), [&](const Minute& minute) {
    return minute.number >= oldest_minute(now_ms);
  });
  if (first == minutes_.end()) return std::nullopt;
  TradedRange sum = first->traded;
  for (auto minute = std::next(first); minute != minutes_.end(); ++minute) {
    const TradedRange& traded = minute->traded;
    sum.high = std::max(sum.high, traded.high);
    sum.low = std::min(sum.low, traded.low);
    sum.close = traded.close;
    sum.base_lots += traded.base_lots;
    sum.quote += traded.quote;
    sum.trades += traded.trades;
  }
  return sum;
}

}  // namespace svc::sim
