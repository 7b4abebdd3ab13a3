// What a command returns to its sender. Everything else is in the events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/decimal.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// One order of a place, batch, amend or cancel: the order after the command, or why there is none.
struct OrderOutcome {
  Reject reject = Reject::none;
  OrderRecord order{};
  std::uint32_t fills_begin = 0;
  std::uint32_t fills_count = 0;
};

struct Outcome {
  Sequence sequence{};
  Reject reject = Reject::none;  // of the whole command; the items of a batch have their own
  // place and amend: one; batch: one per item; cancels: the cancelled orders, in acceptance order.
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
