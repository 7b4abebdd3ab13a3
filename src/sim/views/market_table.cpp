#include "sim/views/market_table.h"

namespace svc::sim {

MarketTable::MarketTable(std::vector<engine::MarketSpec> specs) : specs_(std::move(specs)) {
  each([this](engine::MarketIndex index, const engine::MarketSpec& spec) { by_id_.emplace(spec.id, index); });
}

std::optional<engine::MarketIndex> MarketTable::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

}  // namespace svc::sim
