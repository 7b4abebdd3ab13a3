#include "sim/engine/open_side.h"

#include <algorithm>

namespace svc::engine {

// The first entry that is not worse than the price: where an order of that price belongs, being the youngest.
std::vector<OpenEntry>::iterator OpenSide::first_at(std::int32_t price) {
  return std::lower_bound(entries_.begin(), entries_.end(), price,
                          [this](const OpenEntry& entry, std::int32_t value) { return better(value, entry.price); });
}

std::vector<OpenEntry>::iterator OpenSide::find(std::int32_t price, Slot slot) {
  auto entry = first_at(price);
  while (entry != entries_.end() && entry->slot != slot) ++entry;
  SVC_ASSERT(entry != entries_.end() && entry->price == price);
  return entry;
}

void OpenSide::insert(const OpenEntry& entry) {
  entries_.insert(first_at(entry.price), entry);
  reserved_ += entry.reserved;
}

void OpenSide::remove(std::int32_t price, Slot slot) {
  const auto entry = find(price, slot);
  reserved_ -= entry->reserved;
  entries_.erase(entry);
}

void OpenSide::set_reserved(std::int32_t price, Slot slot, std::int64_t reserved) {
  const auto entry = find(price, slot);
  reserved_ += static_cast<i128>(reserved) - entry->reserved;
  entry->reserved = reserved;
}

}  // namespace svc::engine
