// The state of one market: its book, its prices, its counters.
#pragma once

#include "sim/engine/account.h"
#include "sim/engine/ids.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/order_book.h"
#include "sim/engine/order_store.h"
#include "sim/engine/position.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// What trading changes in a market. An image of the engine keeps all of it; everything else in a Market follows
// from its specification and its orders.
struct MarketState {
  MarketStatus status = MarketStatus::active;
  HaltReason halt_reason = HaltReason::none;
  std::string operator_reason{};
  TimestampMs halted_ms = 0;

  std::uint64_t book_nonce = 0;

  PriceMode price_mode = PriceMode::median;
  Ticks index_price{};  // 0 before the first oracle tick
  Ticks mark{};         // 0 likewise; set by set_mark
  TimestampMs oracle_ms = 0;
  std::int64_t basis = 0;  // smoothed mid minus index, 1e-6 USDX (rule 7.2)
  Ticks last{};            // of any trade; 0 = none
  Ticks last_ordinary{};   // of trades that are not liquidations (rule 7.3)

  std::int64_t premium_sum = 0;  // 1e-9, of the samples since the last settlement (rule 8.2)
  std::int64_t premium_samples = 0;

  Lots open_interest{};  // of the long side, which equals the short side
  std::uint64_t trade_count = 0;
  i128 volume = 0;  // 1e-6 USDX
  std::uint64_t adl_events = 0;
};

struct Market : MarketState {
  Market(MarketIndex market_index, MarketSpec market_spec)
      : index(market_index),
        spec(std::move(market_spec)),
        schedule(*MarginSchedule::build(spec)),
        unit(quote_unit(spec)),
        tick_unit(engine::tick_unit(spec)),
        ceiling(leverage_ceiling(spec)) {}

  MarketIndex index;
  MarketSpec spec;
  MarginSchedule schedule;
  std::int64_t unit;       // 1e-6 USDX per tick and lot
  std::int64_t tick_unit;  // 1e-6 USDX per tick
  std::int64_t ceiling;    // of leverage

  OrderBook book;
  Triggers triggers;
  AccountSet holders;  // of a position

  Ticks highest_buy{};  // price bands around the mark (rule 3.9)
  Ticks lowest_sell{};

  [[nodiscard]] bool active() const { return status == MarketStatus::active; }
  // Without a fresh price a market only cancels (rule 7.1).
  [[nodiscard]] bool stale(TimestampMs now_ms) const {
    if (mark == Ticks{}) return true;
    const bool ages = spec.oracle_stale_after_ms != 0 && price_mode != PriceMode::manual;
    return ages && now_ms - oracle_ms > spec.oracle_stale_after_ms;
  }

  // The margin terms of a holding: a leverage that was never set counts as the ceiling.
  [[nodiscard]] MarginTerms terms(const Holding& holding) const {
    return {holding.mode, holding.leverage == 0 ? ceiling : holding.leverage};
  }

  // price * quantity, exactly.
  [[nodiscard]] i128 value(Ticks price, Lots lots) const { return static_cast<i128>(price.value) * lots.value * unit; }
  [[nodiscard]] Usdx quote(Ticks price, Lots lots) const {
    std::int64_t quote;
    SVC_ASSERT(!__builtin_mul_overflow(price.value, lots.value, &quote) &&
               !__builtin_mul_overflow(quote, unit, &quote));
    return {quote};
  }

  // Valuations at mark (rules 5.2 to 5.4).
  [[nodiscard]] i128 notional(const Exposure& exposure) const { return value(mark, magnitude(exposure.size)); }
  [[nodiscard]] i128 unrealized(const Exposure& exposure) const {
    return value(mark, exposure.size) - exposure.cost.value;
  }
  [[nodiscard]] i128 initial_margin(const Exposure& exposure, std::int64_t leverage) const {
    return schedule.initial(notional(exposure), leverage);
  }

  void set_mark(Ticks price) {
    const Rational& band = spec.price_band;
    const auto around = [&](std::int64_t width, Rounding tighter) {
      return Ticks{narrow(div_round(static_cast<i128>(price.value) * width, band.den, tighter))};
    };
    mark = price;
    highest_buy = around(band.den + band.num, Rounding::down);
    lowest_sell = around(band.den - band.num, Rounding::up);
  }
  // A buy may not be above, a sell not below (rule 3.9).
  [[nodiscard]] Ticks band_limit(Side side) const { return side == Side::buy ? highest_buy : lowest_sell; }
};

// ceil(quote * rate): a rebate shrinks (rules 1.3 and 4.6).
[[nodiscard]] inline Usdx fee_of(Usdx quote, Ppm rate) {
  std::int64_t product;
  if (__builtin_mul_overflow(quote.value, rate.value, &product)) {
    return {mul_div(quote.value, rate.value, ppm_one, Rounding::up)};
  }
  // Division truncates, which is up for a rebate already.
  return {product / ppm_one + (product % ppm_one > 0 ? 1 : 0)};
}

}  // namespace svc::engine
