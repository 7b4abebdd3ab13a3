// The price levels of one market, found by price: a flat array around the touch, an ordered map beyond it.
//
// Both sides share it, because at one price there are only bids or only asks. The flat part is a window of
// `limits::book_window_ticks` ticks; when business moves away from it, it is moved, at a cost spread over the
// operations that missed it. A level is empty when it has no orders.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>

#include "sim/engine/price_bitmap.h"

namespace svc::engine {

// Orders of one price, first in first out. Slots are indexes of the order book's nodes; 0 = none.
struct Level {
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t orders = 0;
  std::int64_t lots = 0;  // sum of what remains of them
};

class PriceLevels {
 public:
  static constexpr std::int32_t none = -1;  // no such price; prices are at least 1

  PriceLevels();

  // The level of a price >= 1. Valid until the next call that is not const.
  [[nodiscard]] Level& at(std::int32_t price) {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    return offset < window ? window_[offset] : outside(price);
  }
  // Empty if nothing was ever there.
  [[nodiscard]] const Level& at(std::int32_t price) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    return offset < window ? window_[offset] : outside(price);
  }

  // Must be told when a level becomes occupied or empty.
  void occupied(std::int32_t price) {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) bitmap_.set(static_cast<int>(offset));
  }
  void emptied(std::int32_t price) {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) {
      bitmap_.clear(static_cast<int>(offset));
    } else {
      outside_.erase(price);
    }
  }

  // Nearest occupied price above or below the given one, itself excluded; none if there is none.
  [[nodiscard]] std::int32_t above(std::int32_t price) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) {
      const int found = bitmap_.at_or_above(static_cast<int>(offset) + 1);
      if (found != PriceBitmap::none) return base_ + found;
      if (outside_.empty()) return none;
    }
    return above_outside(price);
  }
  [[nodiscard]] std::int32_t below(std::int32_t price) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(price - base_);
    if (offset < window) {
      const int found = bitmap_.at_or_below(static_cast<int>(offset) - 1);
      if (found != PriceBitmap::none) return base_ + found;
      if (outside_.empty()) return none;
    }
    return below_outside(price);
  }

  // Moves the window so that it is centred on the price, if enough operations missed it.
  void consider_moving(std::int32_t centre) {
    if (misses_ >= misses_before_move + outside_.size()) move_window_to(centre);
  }

 private:
  static constexpr std::uint32_t window = limits::book_window_ticks;
  // Moving costs one step per occupied level, so it must have been missed at least so often.
  static constexpr std::uint32_t misses_before_move = 4'096;

  [[nodiscard]] Level& outside(std::int32_t price);
  [[nodiscard]] const Level& outside(std::int32_t price) const;
  [[nodiscard]] std::int32_t above_outside(std::int32_t price) const;
  [[nodiscard]] std::int32_t below_outside(std::int32_t price) const;
  void move_window_to(std::int32_t centre);
  void move_window(std::int32_t base);

  struct Free {
    void operator()(Level* memory) const { std::free(memory); }
  };

  std::int32_t base_ = 0;
  bool placed_ = false;  // the first order decides where the window is
  std::uint32_t misses_ = 0;
  std::unique_ptr<Level[], Free> window_;  // from calloc: pages never touched cost no memory
  PriceBitmap bitmap_;
  std::map<std::int32_t, Level> outside_;
};

}  // namespace svc::engine
