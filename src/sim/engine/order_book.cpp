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
