// A live order as the engine keeps it: small, because there may be a million of them. Together with its node in
// the book, its entry in the owner's list, its client id and its place in the id map it takes at most 256 bytes.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/fixed.h"
#include "sim/engine/ids.h"
#include "sim/engine/order_book.h"
#include "sim/engine/terms.h"

namespace svc::engine {

struct Order {
  OrderId id{};
  OrderId replaces{};
  std::uint64_t priority = 0;  // engine-wide order of acceptance; a lower one was first
  TimestampMs created_ms = 0;
  TimestampMs updated_ms = 0;
  TimestampMs triggered_ms = 0;  // 0: it waits, or is no conditional
  std::int32_t price = 0;        // ticks; 0 while a market-family order waits
  std::int32_t trigger = 0;
  std::int32_t anchor = 0;     // of a trailing order: the best mark seen (rule 3.4)
  std::int32_t requested = 0;  // lots asked for, before clamping: what a repeated client id is compared with
  std::int32_t quantity = 0;   // lots
  std::int32_t filled = 0;
  std::int32_t trailing_offset_bps = -1;  // -1: not given
  std::int32_t limit_offset_bps = -1;
  std::int32_t max_slippage_bps = -1;
  std::uint32_t client_id = 0;  // index into OrderStore's texts; 0 = none
  AccountIndex account{};
  MarketIndex market{};
  Side side = Side::buy;
  OrderType type = OrderType::limit;
  TimeInForce time_in_force = TimeInForce::gtc;
  StpMode stp = StpMode::none;
  bool reduce_only = false;
  bool waiting = false;  // conditional, not triggered yet
  bool expires = false;  // has an entry in State::expiries

  [[nodiscard]] Lots remaining() const { return {std::int64_t{quantity} - filled}; }
};
static_assert(sizeof(Order) <= 112);

}  // namespace svc::engine
