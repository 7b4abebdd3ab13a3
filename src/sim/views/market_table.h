// The markets of the venue by number and by name. Immutable: read from any thread without a lock.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/ids.h"
#include "sim/engine/market_spec.h"

namespace svc::sim {

class MarketTable {
 public:
  // In the order of EngineConfig::markets.
  explicit MarketTable(std::vector<engine::MarketSpec> specs);

  [[nodiscard]] std::optional<engine::MarketIndex> find(std::string_view id) const;
  [[nodiscard]] const engine::MarketSpec& spec(engine::MarketIndex index) const { return specs_[index.value]; }
  [[nodiscard]] const std::vector<engine::MarketSpec>& specs() const { return specs_; }
  [[nodiscard]] std::size_t size() const { return specs_.size(); }

  // f(MarketIndex, const MarketSpec&) for each market.
  template <class F>
  void each(F&& f) const {
    for (std::size_t i = 0; i < specs_.size(); ++i) f(engine::MarketIndex{static_cast<std::uint16_t>(i)}, specs_[i]);
  }

 private:
  std::vector<engine::MarketSpec> specs_;
  std::map<std::string, engine::MarketIndex, std::less<>> by_id_;
};

}  // namespace svc::sim
