#include "sim/engine/triggers.h"

#include <algorithm>

#include "base/limits.h"

namespace svc::engine {

bool waits_for_rise(OrderType type, Side side) {
  return is_stop(type) == (side == Side::buy);
}

Trail trail(Side side, Ticks anchor, Ticks mark, std::int32_t offset_bps) {
  const bool sell = side == Side::sell;
  anchor = sell ? std::max(anchor, mark) : std::min(anchor, mark);
  const i128 scaled = static_cast<i128>(mark.value) * limits::basis_points;
  const i128 distance = static_cast<i128>(anchor.value) * (limits::basis_points + (sell ? -offset_bps : offset_bps));
  return {anchor, sell ? scaled <= distance : scaled >= distance};
}

Ticks trailing_limit_price(Side side, Ticks mark, std::int32_t limit_offset_bps) {
  const bool buy = side == Side::buy;
  const std::int64_t factor = limits::basis_points + (buy ? limit_offset_bps : -limit_offset_bps);
  return {mul_div(mark.value, factor, limits::basis_points, buy ? Rounding::down : Rounding::up)};
}

void Triggers::add(Slot slot, const Order& order) {
  if (is_trailing(order.type)) {
    trailing_.push_back(slot);
  } else {
    (waits_for_rise(order.type, order.side) ? rising_ : falling_).emplace(order.trigger, slot);
  }
}

void Triggers::remove(Slot slot, const Order& order) {
  if (is_trailing(order.type)) {
    std::erase(trailing_, slot);
  } else {
    (waits_for_rise(order.type, order.side) ? rising_ : falling_).erase({order.trigger, slot});
  }
}

void Triggers::collect(Ticks mark, OrderStore& orders, std::vector<Slot>& fired) {
  for (auto next = rising_.begin(); next != rising_.end() && next->first <= mark.value; ++next) {
    fired.push_back(next->second);
  }
  for (auto next = falling_.rbegin(); next != falling_.rend() && next->first >= mark.value; ++next) {
    fired.push_back(next->second);
  }
  for (const Slot slot : trailing_) {
    Order& order = orders[slot];
    const Trail moved = trail(order.side, {order.anchor}, mark, order.trailing_offset_bps);
    order.anchor = static_cast<std::int32_t>(moved.anchor.value);
    if (moved.fires) fired.push_back(slot);
  }
}

}  // namespace svc::engine
