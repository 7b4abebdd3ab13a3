// What a command returns to whoever sent it. Everything else is told by events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/decimal.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// One order of a place, batch, amend or cancel: the order as the command left it, or why there is none.
struct OrderOutcome {
  Reject reject = Reject::none;
  OrderRecord order{};
  std::uint32_t fills_begin = 0;
  std::uint32_t fills_count = 0;
};

struct Outcome {
  Sequence sequence{};
  Reject reject = Reject::none;  // of the whole command; a batch carries its own per item
  // place and amend: one; batch: one per item; cancels: what was cancelled, in acceptance order.
  std::vector<OrderOutcome> orders{};
  std::vector<Fill> fills{};
  Usdx amount{};   // AdjustMargin: the position's isolated margin afterwards
  Usdx balance{};  // funds and margin commands: the cross balance afterwards

  [[nodiscard]] bool ok() const { return reject == Reject::none; }
  // The fills that the order took part in as taker.
  [[nodiscard]] std::span<const Fill> fills_of(const OrderOutcome& item) const {
    return std::span(fills).subspan(item.fills_begin, item.fills_count);
  }
};

}  // namespace svc::engine
