// The resting orders of one account on one side of one market, worst first, with what they reserve.
//
// The best order stands last, because business happens at the touch and a vector is cheapest at its end.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fixed.h"
#include "sim/engine/order_book.h"
#include "sim/engine/terms.h"

namespace svc::engine {

struct OpenEntry {
  std::int32_t price = 0;
  Slot slot = no_slot;
  std::int64_t reserved = 0;  // 1e-6 USDX for all that remains of it; 0 if reduce-only (rule 5.4)
};

class OpenSide {
 public:
  explicit OpenSide(Side side) : side_(side) {}

  // Behind the orders of the same price.
  void insert(const OpenEntry& entry);
  void remove(std::int32_t price, Slot slot);
  void set_reserved(std::int32_t price, Slot slot, std::int64_t reserved);

  void add_lots(Lots delta, bool reduce_only) { (reduce_only ? reduce_only_lots_ : lots_) += delta; }

  [[nodiscard]] Side side() const { return side_; }
  // Worst first; iterate backwards for the order in which they fill.
  [[nodiscard]] const std::vector<OpenEntry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] i128 reserved() const { return reserved_; }
  // What remains of the reduce-only orders, and of the others.
  [[nodiscard]] Lots reduce_only_lots() const { return reduce_only_lots_; }
  [[nodiscard]] Lots lots() const { return lots_; }

  // True if an order at price a fills before one at price b.
  [[nodiscard]] bool better(std::int32_t a, std::int32_t b) const { return side_ == Side::buy ? a > b : a < b; }

 private:
  [[nodiscard]] std::vector<OpenEntry>::iterator find(std::int32_t price, Slot slot);
  [[nodiscard]] std::vector<OpenEntry>::iterator first_at(std::int32_t price);

  Side side_;
  std::vector<OpenEntry> entries_{};
  i128 reserved_ = 0;
  Lots lots_{};
  Lots reduce_only_lots_{};
};

}  // namespace svc::engine
