// The resting orders of one account on one side of one market, and what they reserve (rule 5.4).
//
// The worst order stands first and the best last, because business happens at the touch and a vector is cheapest at
// its end. Part of the side is exempt from reserving: as many lots of the best orders as would only work off the
// position. The boundary of that part is remembered between questions, because positions move little by little.
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
  std::int64_t lots = 0;      // what remains; 0 if reduce-only, which neither reserves nor offsets
  std::int64_t reserved = 0;  // 1e-6 USDX for all of it
};

class OpenSide {
 public:
  explicit OpenSide(Side side) : side_(side), flip_(side == Side::buy ? 0 : -1) {}

  // Behind the orders of the same price.
  void insert(const OpenEntry& entry);
  void remove(std::int32_t price, Slot slot);
  // Lots and reservation of an order that keeps its place.
  void update(const OpenEntry& entry);

  void add_reduce_only(Lots delta) { reduce_only_lots_ += delta; }

  [[nodiscard]] Side side() const { return side_; }
  // Worst first; iterate backwards for the order in which they fill.
  [[nodiscard]] const std::vector<OpenEntry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] i128 reserved() const { return reserved_; }
  // What remains of the reduce-only orders, and of the others.
  [[nodiscard]] Lots reduce_only_lots() const { return reduce_only_lots_; }
  [[nodiscard]] Lots lots() const { return {lots_}; }

  // Where the exemption of so many lots ends: everything better than the entry is exempt, and `exempt` lots of it.
  // Asked for only when 0 < exempt < lots().
  struct Boundary {
    const OpenEntry& entry;
    Lots exempt;
    i128 reserved_behind;  // by the entries worse than it
  };
  [[nodiscard]] Boundary boundary(Lots exempt) const;

  // What the side reserves beyond an exemption, if that was asked for since the side last changed; null otherwise.
  [[nodiscard]] const i128* margin_beyond(Lots exempt) const {
    return exempt == known_exempt_ ? &known_margin_ : nullptr;
  }
  void remember_margin_beyond(Lots exempt, i128 margin) const {
    known_exempt_ = exempt;
    known_margin_ = margin;
  }

  // Lots of the orders that fill before a new order of this price would.
  [[nodiscard]] Lots lots_before(std::int32_t price) const;

  // True if an order at price a fills before one at price b.
  [[nodiscard]] bool better(std::int32_t a, std::int32_t b) const { return rank(a) > rank(b); }

 private:
  // Rises with how early a price fills.
  [[nodiscard]] std::int32_t rank(std::int32_t price) const { return price ^ flip_; }
  [[nodiscard]] std::size_t find(std::int32_t price, Slot slot) const;
  [[nodiscard]] std::size_t first_at(std::int32_t price) const;
  // Keeps the remembered boundary true when entry `at` changes by so much.
  void shift_boundary(std::size_t at, std::int64_t lots, i128 reserved);

  Side side_;
  std::int32_t flip_;  // complements the prices of sells
  std::vector<OpenEntry> entries_;
  std::vector<std::int32_t> ranks_;  // of the entries' prices, apart: what is searched lies close together
  i128 reserved_ = 0;
  std::int64_t lots_ = 0;
  Lots reduce_only_lots_{};

  // Entries at `split_` and beyond are better; these are the sums over them.
  mutable std::size_t split_ = 0;
  mutable std::int64_t split_lots_ = 0;
  mutable i128 split_reserved_ = 0;

  mutable Lots known_exempt_{};  // 0: nothing is known
  mutable i128 known_margin_ = 0;
};

}  // namespace svc::engine
