// When orders expire: the soonest in front, and each order's own time found without looking at the others.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "sim/engine/ids.h"

namespace svc::engine {

class Expiries {
 public:
  using Entry = std::pair<TimestampMs, OrderId>;

  // The order must not have one yet.
  void add(TimestampMs at_ms, OrderId order) {
    soonest_.emplace(at_ms, order);
    times_.emplace(order, at_ms);
  }
  void remove(OrderId order) {
    const auto found = times_.find(order);
    if (found == times_.end()) return;
    soonest_.erase({found->second, order});
    times_.erase(found);
  }
  // 0 if the order has none.
  [[nodiscard]] TimestampMs of(OrderId order) const {
    const auto found = times_.find(order);
    return found == times_.end() ? 0 : found->second;
  }

  [[nodiscard]] std::optional<Entry> first() const {
    return soonest_.empty() ? std::nullopt : std::optional(*soonest_.begin());
  }
  // Soonest first.
  [[nodiscard]] const std::set<Entry>& entries() const { return soonest_; }

  template <class Archive>
  void archive(Archive& archive) {
    archive(soonest_);
    if constexpr (Archive::reading) {
      times_.clear();
      for (const auto& [at_ms, order] : soonest_) times_.emplace(order, at_ms);
    }
  }

 private:
  std::set<Entry> soonest_;
  std::map<OrderId, TimestampMs> times_;
};

}  // namespace svc::engine
