// The resting orders of one account on one side of one market, and the margin that they reserve (rule 5.4): the best of
// them, up to the quantity that would only reduce the position, reserve none.
//
// Three things are kept, so that neither an order nor a fill walks along all of them:
//   - the list of the orders, best first
//   - a tree of prices, which holds the first order of each: a new order finds its place in the list there
//   - the split: how far the exemption reached when somebody last asked, with the sums of what is before it. A position
//     changes little by little, so the next question moves the split by few orders; while it stays where it is, the
//     margin beyond it is known, and only follows what the orders there reserve
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <functional>

#include "base/decimal.h"
#include "sim/engine/order_book.h"

namespace svc::engine {

// A resting order in its owner's list, and in the tree of prices if it is the first of its price. It has a cache line
// of its own: a walk down the tree waits once for each entry.
class alignas(64) OpenEntry
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>,
      public boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>,
                                             boost::intrusive::optimize_size<true>> {
 public:
  // What the order claims of its owner's margin: nothing if it is reduce-only, which neither reserves nor offsets.
  struct Claim {
    std::int32_t lots = 0;      // the remainder
    std::int64_t reserved = 0;  // 1e-6 USDX for all of it
  };

  [[nodiscard]] Slot slot() const { return slot_; }
  [[nodiscard]] std::int32_t price() const { return rank_ < 0 ? ~rank_ : rank_; }
  [[nodiscard]] std::int64_t lots() const { return lots_; }
  [[nodiscard]] std::int64_t reserved() const { return reserved_; }

 private:
  friend class OpenSide;

  std::int32_t rank_ = 0;  // the higher, the earlier it fills: the price of a buy, the complement of that of a sell
  Slot slot_ = no_slot;
  std::int32_t lots_ = 0;
  bool ahead_ = false;  // whether it fills before the split of its side
  std::int64_t reserved_ = 0;
};
static_assert(sizeof(OpenEntry) == 64);

// The resting orders of one account on one side of one market. The entries are stored elsewhere, and do not move while
// they are in it.
class OpenSide {
  struct RankOf {
    using type = std::int32_t;
    const type& operator()(const OpenEntry& entry) const { return entry.rank_; }
  };

 public:
  // Best first, and those of one price in the order of their arrival.
  using Entries = boost::intrusive::list<OpenEntry>;

  explicit OpenSide(Side side) : side_(side) {}

  // Behind the orders of the same price.
  void insert(OpenEntry& entry, std::int32_t price, Slot slot, OpenEntry::Claim claim);
  void remove(OpenEntry& entry);
  // Changes the claim of an order that keeps its place.
  void update(OpenEntry& entry, OpenEntry::Claim claim);

  void add_reduce_only(Lots delta) { reduce_only_lots_ += delta; }

  [[nodiscard]] Side side() const { return side_; }
  [[nodiscard]] const Entries& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] i128 reserved() const { return reserved_; }
  // The remaining lots of the reduce-only orders, and of the others.
  [[nodiscard]] Lots reduce_only_lots() const { return reduce_only_lots_; }
  [[nodiscard]] Lots lots() const { return {lots_}; }

  // Where an exemption of that many lots ends: everything better than the entry is exempt, and `exempt` lots of it.
  // Requires 0 < exempt < lots().
  struct Boundary {
    const OpenEntry& entry;
    Lots exempt;
    i128 reserved_behind;  // by the entries worse than it
  };
  [[nodiscard]] Boundary boundary(Lots exempt) const;

  // The margin reserved beyond an exemption, if it is known; null otherwise.
  [[nodiscard]] const i128* margin_beyond(Lots exempt) const {
    return exempt == known_exempt_ ? &known_margin_ : nullptr;
  }
  void remember_margin_beyond(Lots exempt, i128 margin) const {
    known_exempt_ = exempt;
    known_margin_ = margin;
  }

  // Lots of the orders that fill before a new order at this price.
  [[nodiscard]] Lots lots_before(std::int32_t price) const;

  // True if an order at price a fills before one at price b.
  [[nodiscard]] bool better(std::int32_t a, std::int32_t b) const { return rank(a) > rank(b); }

 private:
  [[nodiscard]] std::int32_t rank(std::int32_t price) const { return side_ == Side::buy ? price : ~price; }
  // The first entry of each price, the best price first.
  using Prices =
      boost::intrusive::set<OpenEntry, boost::intrusive::key_of_value<RankOf>,
                            boost::intrusive::compare<std::greater<>>, boost::intrusive::constant_time_size<false>>;

  // The next worse entry; null if there is none.
  [[nodiscard]] OpenEntry* after(OpenEntry& entry);
  // Adjusts the sums when an entry changes by that much.
  void add(const OpenEntry& entry, std::int64_t lots, std::int64_t reserved);

  Side side_;
  mutable Entries entries_;
  Prices prices_;
  i128 reserved_ = 0;
  std::int64_t lots_ = 0;
  Lots reduce_only_lots_{};

  // The best entry behind the split; null if there is none. Below, the sums over those ahead of it.
  mutable OpenEntry* split_ = nullptr;
  mutable std::int64_t split_lots_ = 0;
  mutable i128 split_reserved_ = 0;

  // The margin beyond the exemption that ends at the split.
  mutable Lots known_exempt_{};  // 0: nothing is known
  mutable i128 known_margin_ = 0;
};

}  // namespace svc::engine
