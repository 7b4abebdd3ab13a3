#include "sim/engine/open_side.h"

#include <algorithm>

namespace svc::engine {

// The first entry that is not worse than the price: where an order of that price belongs, being the youngest. It is
// as many entries in as there are worse ones; a few are counted faster than searched, because the way that a search
// takes cannot be foretold.
std::size_t OpenSide::first_at(std::int32_t price) const {
  constexpr std::size_t few = 64;
  const std::int32_t wanted = rank(price);
  std::size_t first = 0;
  std::size_t count = ranks_.size();
  while (count > few) {
    const std::size_t half = count / 2;
    if (ranks_[first + half - 1] < wanted) first += half;
    count -= half;
  }
  std::uint32_t worse = 0;
  for (std::size_t i = first; i < first + count; ++i) worse += ranks_[i] < wanted ? 1u : 0u;
  return first + worse;
}

std::size_t OpenSide::find(std::int32_t price, Slot slot) const {
  std::size_t at = first_at(price);
  while (at < entries_.size() && entries_[at].slot != slot) ++at;
  SVC_ASSERT(at < entries_.size() && entries_[at].price == price);
  return at;
}

void OpenSide::shift_boundary(std::size_t at, std::int64_t lots, i128 reserved) {
  lots_ += lots;
  reserved_ += reserved;
  known_exempt_ = {};
  if (at < split_) return;
  split_lots_ += lots;
  split_reserved_ += reserved;
}

void OpenSide::insert(const OpenEntry& entry) {
  const std::size_t at = first_at(entry.price);
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), entry);
  ranks_.insert(ranks_.begin() + static_cast<std::ptrdiff_t>(at), rank(entry.price));
  if (at < split_) ++split_;
  shift_boundary(at, entry.lots, entry.reserved);
}

void OpenSide::remove(std::int32_t price, Slot slot) {
  const std::size_t at = find(price, slot);
  shift_boundary(at, -entries_[at].lots, -static_cast<i128>(entries_[at].reserved));
  if (at < split_) --split_;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(at));
  ranks_.erase(ranks_.begin() + static_cast<std::ptrdiff_t>(at));
}

void OpenSide::update(const OpenEntry& entry) {
  const std::size_t at = find(entry.price, entry.slot);
  shift_boundary(at, entry.lots - entries_[at].lots, static_cast<i128>(entry.reserved) - entries_[at].reserved);
  entries_[at] = entry;
}

OpenSide::Boundary OpenSide::boundary(Lots exempt) const {
  SVC_ASSERT(exempt > Lots{} && exempt.value < lots_);
  while (split_lots_ > exempt.value) {
    split_lots_ -= entries_[split_].lots;
    split_reserved_ -= entries_[split_].reserved;
    ++split_;
  }
  while (split_lots_ + entries_[split_ - 1].lots <= exempt.value) {
    --split_;
    split_lots_ += entries_[split_].lots;
    split_reserved_ += entries_[split_].reserved;
  }
  const OpenEntry& entry = entries_[split_ - 1];
  return {entry, exempt - Lots{split_lots_}, reserved_ - split_reserved_ - entry.reserved};
}

Lots OpenSide::lots_before(std::int32_t price) const {
  std::int64_t sum = 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && !better(price, entry->price); ++entry) {
    sum += entry->lots;
  }
  return {sum};
}

}  // namespace svc::engine
