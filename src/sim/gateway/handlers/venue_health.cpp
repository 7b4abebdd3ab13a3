#include "sim/gateway/handlers/venue_health.h"

#include <algorithm>

namespace svc::sim {
namespace {

using api::ServiceState;

int severity(ServiceState state) {
  switch (state) {
    case ServiceState::ok: return 0;
    case ServiceState::degraded: return 1;
    case ServiceState::starting: return 2;
    case ServiceState::down: return 3;
  }
  SVC_ASSERT(false);
}

struct MarketCounts {
  std::size_t listed = 0;  // delisted ones no longer need a price
  std::size_t halted = 0;
  std::size_t unpriced = 0;
  std::size_t stale = 0;
};

MarketCounts count(const engine::Engine& engine, TimestampMs now_ms) {
  MarketCounts counts;
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    const engine::MarketFigures market = engine.market({static_cast<std::uint16_t>(i)}, now_ms);
    if (market.status == engine::MarketStatus::delisted) continue;
    ++counts.listed;
    if (market.status == engine::MarketStatus::halted) ++counts.halted;
    if (!market.index)
      ++counts.unpriced;
    else if (market.oracle_stale)
      ++counts.stale;
  }
  return counts;
}

ServiceState oracle_state(const MarketCounts& counts) {
  if (counts.unpriced > 0) return ServiceState::starting;
  if (counts.stale == 0) return ServiceState::ok;
  return counts.stale == counts.listed ? ServiceState::down : ServiceState::degraded;
}

}  // namespace

ServiceState VenueParts::worst() const {
  return std::max({engine, indexer, oracle}, [](ServiceState a, ServiceState b) { return severity(a) < severity(b); });
}

VenueParts parts_of(const VenueAccess& venue) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const MarketCounts counts = count(engine, now_ms);
    const bool complete = venue.views.read(
        [&](const VenueView& view) { return view.totals().gaps == 0 && view.totals().sequence == engine.sequence(); });
    return VenueParts{.engine = counts.halted == 0 ? ServiceState::ok : ServiceState::degraded,
                      .indexer = complete ? ServiceState::ok : ServiceState::down,
                      .oracle = oracle_state(counts)};
  });
}

}  // namespace svc::sim
