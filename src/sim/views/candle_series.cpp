#include "sim/views/candle_series.h"

#include "base/limits.h"

namespace svc::sim {
namespace {

constexpr TimestampMs floor_to(TimestampMs at_ms, std::int64_t length_ms) {
  return at_ms / length_ms * length_ms;
}

constexpr TimestampMs ceil_to(TimestampMs at_ms, std::int64_t length_ms) {
  return at_ms <= 0 ? 0 : ((at_ms - 1) / length_ms + 1) * length_ms;
}

// An interval without trades.
TradedRange repeated(Ticks close) {
  return {.open = close, .high = close, .low = close, .close = close};
}

}  // namespace

// In order, on the grid of their timeframe, and each with a trade.
bool CandleSeries::is_valid() const {
  for (std::size_t i = 0; i < by_timeframe_.size(); ++i) {
    const Deque<MarketCandle>& candles = by_timeframe_[i];
    const auto fits = [&](const MarketCandle& candle) {
      return candle.open_ms >= 0 && candle.open_ms % candle_lengths_ms[i] == 0 && candle.range.trades > 0;
    };
    if (candles.size() > limits::candles_max || !std::ranges::all_of(candles, fits) ||
        !ascends(candles, &MarketCandle::open_ms))
      return false;
  }
  return true;
}

void CandleSeries::add(TimestampMs at_ms, const TradedRange& trade) {
  for (std::size_t i = 0; i < by_timeframe_.size(); ++i) {
    Deque<MarketCandle>& candles = by_timeframe_[i];
    const TimestampMs open_ms = floor_to(at_ms, candle_lengths_ms[i]);
    if (candles.empty() || candles.back().open_ms != open_ms) {
      candles.push_back({.open_ms = open_ms});
      if (candles.size() > limits::candles_max) candles.pop_front();
    }
    candles.back().range.merge(trade);
  }
}

std::vector<MarketCandle> CandleSeries::read(std::size_t timeframe, const CandleWindow& window) const {
  const Deque<MarketCandle>& candles = by_timeframe_[timeframe];
  const std::int64_t length_ms = candle_lengths_ms[timeframe];
  std::vector<MarketCandle> result;
  if (candles.empty() || window.limit == 0) return result;
  if (window.from_ms && *window.from_ms > window.until_ms) return result;
  const auto limit = static_cast<std::int64_t>(window.limit);
  TimestampMs first_ms = candles.front().open_ms;
  TimestampMs last_ms = floor_to(window.until_ms, length_ms);
  if (window.from_ms) {
    first_ms = std::max(first_ms, ceil_to(*window.from_ms, length_ms));
    if (first_ms > last_ms) return result;
    last_ms = first_ms + std::min((last_ms - first_ms) / length_ms, limit - 1) * length_ms;
  } else {
    if (first_ms > last_ms) return result;
    first_ms = std::max(first_ms, last_ms - (limit - 1) * length_ms);
  }
  // The latest candle that opens at or before the first requested one; it exists.
  auto known = std::upper_bound(candles.begin(), candles.end(), first_ms,
                                [](TimestampMs at_ms, const MarketCandle& candle) { return at_ms < candle.open_ms; });
  --known;
  for (TimestampMs open_ms = first_ms; open_ms <= last_ms; open_ms += length_ms) {
    if (const auto next = known + 1; next != candles.end() && next->open_ms == open_ms) known = next;
    result.push_back(
        known->open_ms == open_ms ? *known : MarketCandle{.open_ms = open_ms, .range = repeated(known->range.close)});
  }
  return result;
}

}  // namespace svc::sim
