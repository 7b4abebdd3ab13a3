// From order ids to slots: open addressing with linear probing, no allocation per entry, nothing iterated.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "sim/engine/ids.h"
#include "sim/engine/order_book.h"

namespace svc::engine {

class IdMap {
 public:
  // no_slot if the id is not there.
  [[nodiscard]] Slot find(OrderId id) const {
    for (std::size_t at = home(id.value);; at = (at + 1) & mask_) {
      if (entries_[at].id == id.value) return entries_[at].slot;
      if (entries_[at].id == 0) return no_slot;
    }
  }

  void insert(OrderId id, Slot slot) {
    SVC_ASSERT(id.exists());
    if (2 * ++count_ > entries_.size()) grow();
    put({id.value, slot});
  }

  void erase(OrderId id) {
    std::size_t hole = home(id.value);
    while (entries_[hole].id != id.value) {
      SVC_ASSERT(entries_[hole].id != 0);
      hole = (hole + 1) & mask_;
    }
    // Close the gap, so that every entry stays reachable from its home.
    for (std::size_t at = (hole + 1) & mask_; entries_[at].id != 0; at = (at + 1) & mask_) {
      const std::size_t distance_home = (at - home(entries_[at].id)) & mask_;
      const std::size_t distance_hole = (at - hole) & mask_;
      if (distance_home < distance_hole) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole] = {};
    --count_;
  }

 private:
  struct Entry {
    std::uint64_t id = 0;
    Slot slot = no_slot;
  };

  [[nodiscard]] std::size_t home(std::uint64_t id) const {
    return static_cast<std::size_t>((id * 0x9E3779B97F4A7C15ull) >> shift_);
  }
  void put(const Entry& entry) {
    std::size_t at = home(entry.id);
    while (entries_[at].id != 0) at = (at + 1) & mask_;
    entries_[at] = entry;
  }
  void grow() {
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(old.size() * 2, {});
    mask_ = entries_.size() - 1;
    shift_ = 64 - std::countr_zero(entries_.size());
    for (const Entry& entry : old) {
      if (entry.id != 0) put(entry);
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(1024);
  std::size_t mask_ = 1023;
  int shift_ = 54;
  std::size_t count_ = 0;
};

}  // namespace svc::engine
