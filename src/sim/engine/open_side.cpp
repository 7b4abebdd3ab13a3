#include "sim/engine/open_side.h"

#include "base/assert.h"

namespace svc::engine {

OpenEntry* OpenSide::after(OpenEntry& entry) {
  const auto next = std::next(entries_.iterator_to(entry));
  return next == entries_.end() ? nullptr : &*next;
}

void OpenSide::add(const OpenEntry& entry, std::int64_t lots, std::int64_t reserved) {
  lots_ += lots;
  reserved_ += reserved;
  if (entry.ahead_ || &entry == split_) {
    known_exempt_ = {};
  } else {
    known_margin_ += reserved;
  }
  if (!entry.ahead_) return;
  split_lots_ += lots;
  split_reserved_ += reserved;
}

void OpenSide::insert(OpenEntry& entry, std::int32_t price, Slot slot, OpenEntry::Claim claim) {
  entry.rank_ = rank(price);
  entry.slot_ = slot;
  Prices::insert_commit_data place;
  auto [price_of, is_new] = prices_.insert_check(entry.rank_, place);
  if (is_new) price_of = prices_.insert_commit(entry, place);
  const auto worse = std::next(price_of);
  OpenEntry* const next = worse == prices_.end() ? nullptr : &*worse;
  entries_.insert(next == nullptr ? entries_.end() : entries_.iterator_to(*next), entry);
  entry.ahead_ = next != nullptr && next->ahead_;
  if (next == split_ && !entry.ahead_) split_ = &entry;
  entry.lots_ = claim.lots;
  entry.reserved_ = claim.reserved;
  add(entry, claim.lots, claim.reserved);
}

void OpenSide::remove(OpenEntry& entry) {
  add(entry, -entry.lots(), -entry.reserved());
  OpenEntry* const next = after(entry);
  if (&entry == split_) split_ = next;
  const auto at = entries_.iterator_to(entry);
  const bool is_first = at == entries_.begin() || std::prev(at)->rank_ != entry.rank_;
  if (is_first && next != nullptr && next->rank_ == entry.rank_) {
    prices_.replace_node(prices_.iterator_to(entry), *next);
  } else if (is_first) {
    prices_.erase(prices_.iterator_to(entry));
  }
  entries_.erase(at);
}

void OpenSide::update(OpenEntry& entry, OpenEntry::Claim claim) {
  add(entry, claim.lots - entry.lots(), claim.reserved - entry.reserved());
  entry.lots_ = claim.lots;
  entry.reserved_ = claim.reserved;
}

OpenSide::Boundary OpenSide::boundary(Lots exempt) const {
  SVC_ASSERT(exempt > Lots{} && exempt.value < lots_);
  auto split = split_ == nullptr ? entries_.end() : entries_.iterator_to(*split_);
  for (; split_lots_ > exempt.value; split->ahead_ = false) {
    --split;
    split_lots_ -= split->lots();
    split_reserved_ -= split->reserved();
  }
  for (; split_lots_ + split->lots() <= exempt.value; ++split) {
    split->ahead_ = true;
    split_lots_ += split->lots();
    split_reserved_ += split->reserved();
  }
  if (&*split != split_) known_exempt_ = {};
  split_ = &*split;
  return {*split, exempt - Lots{split_lots_}, reserved_ - split_reserved_ - split->reserved()};
}

Lots OpenSide::lots_before(std::int32_t price) const {
  std::int64_t sum = 0;
  for (const OpenEntry& entry : entries_) {
    if (better(price, entry.price())) break;
    sum += entry.lots();
  }
  return {sum};
}

}  // namespace svc::engine
