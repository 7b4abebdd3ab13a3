#include "sim/engine/order_book.h"

#include <algorithm>
#include <new>

namespace svc::engine {

void OrderBook::grow(Slot slot) {
  nodes_.resize(slot + std::size_t{1});
}

std::optional<Ticks> OrderBook::best(Side side) const {
  const std::int32_t price = best_price(side);
  if (price == PriceLevels::none) return std::nullopt;
  return Ticks{price};
}

std::optional<Ticks> OrderBook::worse(Side side, Ticks price) const {
  const std::int32_t next = next_price(side, static_cast<std::int32_t>(price.value));
  if (next == PriceLevels::none) return std::nullopt;
  return Ticks{next};
}

namespace {

std::size_t index(std::int32_t offset) {
  return static_cast<std::size_t>(offset);
}

}  // namespace

PriceLevels::PriceLevels() : window_(static_cast<Level*>(std::calloc(window, sizeof(Level)))) {
  if (window_ == nullptr) throw std::bad_alloc();
}

const Level& PriceLevels::outside(std::int32_t price) const {
  static constexpr Level empty{};
  const auto found = outside_.find(price);
  return found == outside_.end() ? empty : found->second;
}

Level& PriceLevels::outside(std::int32_t price) {
  SVC_ASSERT(price >= 1);
  if (!placed_) {
    placed_ = true;
    move_window(std::max<std::int32_t>(0, price - static_cast<std::int32_t>(window / 2)));
    return window_[index(price - base_)];
  }
  ++misses_;
  return outside_[price];
}

std::int32_t PriceLevels::above_outside(std::int32_t price) const {
  const std::int64_t end = static_cast<std::int64_t>(base_) + window;
  if (price < base_ && !outside_.empty()) {
    const auto next = outside_.upper_bound(price);
    if (next != outside_.end() && next->first < base_) return next->first;
  }
  if (price < end) {
    const int found = bitmap_.at_or_above(price < base_ ? 0 : price - base_ + 1);
    if (found != PriceBitmap::none) return base_ + found;
  }
  if (outside_.empty()) return none;
  const auto next = price < end
                        ? outside_.lower_bound(static_cast<std::int32_t>(std::min<std::int64_t>(end, INT32_MAX)))
                        : outside_.upper_bound(price);
  return next == outside_.end() ? none : next->first;
}

std::int32_t PriceLevels::below_outside(std::int32_t price) const {
  const std::int64_t end = static_cast<std::int64_t>(base_) + window;
  const auto last_below = [this](std::int32_t bound) {
    const auto next = outside_.lower_bound(bound);
    return next == outside_.begin() ? none : std::prev(next)->first;
  };
  if (price >= end && !outside_.empty()) {
    const std::int32_t found = last_below(price);
    if (found >= end) return found;
  }
  if (price > base_) {
    const auto last = static_cast<int>(std::min<std::int64_t>(price, end) - base_ - 1);
    const int found = bitmap_.at_or_below(last);
    if (found != PriceBitmap::none) return base_ + found;
  }
  return outside_.empty() ? none : last_below(std::min(price, base_));
}

void PriceLevels::move_window_to(std::int32_t centre) {
  misses_ = 0;
  const std::int32_t base = std::max<std::int32_t>(0, centre - static_cast<std::int32_t>(window / 2));
  if (base != base_) move_window(base);
}

void PriceLevels::move_window(std::int32_t base) {
  // Moves the levels of the old window out, then those of the new one in.
  for (int at = bitmap_.at_or_above(0); at != PriceBitmap::none; at = bitmap_.at_or_above(at + 1)) {
    outside_[base_ + at] = window_[index(at)];
    window_[index(at)] = {};
    bitmap_.clear(at);
  }
  base_ = base;
  const std::int64_t end = static_cast<std::int64_t>(base) + window;
  auto next = outside_.lower_bound(base);
  while (next != outside_.end() && next->first < end) {
    const int at = next->first - base_;
    window_[index(at)] = next->second;
    bitmap_.set(at);
    next = outside_.erase(next);
  }
}

}  // namespace svc::engine
