// The venue as a whole: health, throughput, volume, open interest, balances, referrals. All public.

#include <algorithm>

#include "api/json_writer.h"
#include "api/ops/venue.h"
#include "base/decimal.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/venue_health.h"

namespace svc::sim {
namespace {

using namespace api;

// Equity is counted from 0 to 1 USDX, from there by powers of ten, and above the last. (D-285)
constexpr std::int64_t bucket_bounds[] = {0, 1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};

VenueHealth health_of(const VenueParts& parts) {
  switch (parts.worst()) {
    case ServiceState::ok: return VenueHealth::healthy;
    case ServiceState::down: return VenueHealth::unhealthy;
    case ServiceState::degraded:
    case ServiceState::starting: return VenueHealth::degraded;
  }
  SVC_ASSERT(false);
}

JsonObjectText services_of(const VenueParts& parts) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("engine").text(to_string(parts.engine));
  json.key("indexer").text(to_string(parts.indexer));
  json.key("oracle").text(to_string(parts.oracle));
  json.end_object();
  return JsonObjectText(std::move(text));
}

std::uint64_t traders_since(const VenueView& view, TimestampMs from_ms) {
  return static_cast<std::uint64_t>(std::ranges::count_if(view.accounts(), [&](const auto& row) {
    const auto last_fill_ms = row.second.last_fill_ms();
    return last_fill_ms && *last_fill_ms > from_ms;
  }));
}

// Events per second over the last minute of complete seconds.
NumberText event_rate(const VenueView& view, TimestampMs now_ms) {
  constexpr std::int64_t seconds = minute_ms / second_ms;
  const std::int64_t now = now_ms / second_ms;
  i128 events = 0;
  for (const auto& granule : view.throughput().granules())
    if (granule.number >= now - seconds && granule.number < now) events += granule.sums.events;
  return NumberText(decimal_text(div_round(events * 1'000, seconds, Rounding::half_up), 3));
}

StatsSnapshot stats_of(const VenueView& view, const VenueParts& parts, TimestampMs started_ms, TimestampMs now_ms) {
  const VenueTotals& totals = view.totals();
  StatsSnapshot stats;
  stats.events_received = totals.events;
  stats.fills_total = totals.fills;
  stats.liquidations_total = totals.liquidations;
  stats.gap_count = totals.gaps;
  stats.connected = parts.indexer == ServiceState::ok;
  if (totals.last_event_ms > 0) stats.last_event_ms = totals.last_event_ms;
  stats.uptime_seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ms - started_ms) / second_ms);
  stats.events_per_sec = event_rate(view, now_ms);
  stats.health = health_of(parts);
  stats.highest_sequence_seen = totals.sequence.value;
  stats.unique_traders_24h = traders_since(view, now_ms - day_ms);
  stats.unique_traders_7d = traders_since(view, now_ms - 7 * day_ms);
  stats.unique_traders_30d = traders_since(view, now_ms - 30 * day_ms);
  return stats;
}

// Every complete second of the window, whether something happened in it or not.
List<ThroughputSample> throughput_of(const VenueView& view, TimestampMs now_ms) {
  List<ThroughputSample> list;
  if (view.totals().since_ms == 0) return list;
  const std::int64_t end = now_ms / second_ms;
  const auto kept = static_cast<std::int64_t>(limits::throughput_samples_max);
  const auto& granules = view.throughput().granules();
  auto granule = granules.begin();
  for (std::int64_t second = std::max(view.totals().since_ms / second_ms, end - kept); second < end; ++second) {
    while (granule != granules.end() && granule->number < second) ++granule;
    const bool busy = granule != granules.end() && granule->number == second;
    list.rows.push_back({.timestamp = second, .fills = busy ? granule->sums.fills : 0});
  }
  return list;
}

VenueVolume volume_of(const VenueView& view, const MarketTable& markets) {
  VenueVolume volume;
  i128 total = 0;
  markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    const i128 quote = view.market(index).ever().quote;
    total += quote;
    volume.markets.push_back({.market_id = spec.id, .volume = usdx_text(quote)});
  });
  volume.total_volume = usdx_text(total);
  volume.coverage_start_ms = view.totals().since_ms;
  return volume;
}

List<MarketOpenInterest> open_interest_of(const VenueView& view, const VenueAccess& venue) {
  List<MarketOpenInterest> list;
  venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    const MarketView& market = view.market(index);
    const i128 quote = static_cast<i128>(market.open_interest().value) * market.mark().value_or(Ticks{}).value *
                       engine::quote_unit(spec);
    // Every long is somebody's short.
    const DecimalText base = lots_text(spec, market.open_interest());
    list.rows.push_back({.market_id = spec.id,
                         .long_oi_base = base,
                         .short_oi_base = base,
                         .long_oi_quote = usdx_text(quote),
                         .short_oi_quote = usdx_text(quote),
                         .gross_oi_two_sided_quote = usdx_text(2 * quote)});
  });
  return list;
}

BalanceDistribution distribution_of(const VenueView& view, NetworkId network) {
  BalanceDistribution distribution;
  distribution.network = std::string(to_string(network));
  distribution.testnet = network != NetworkId::mainnet;
  distribution.note = "Equity of every account at mark; whoever owes counts in the first bucket.";
  for (const std::int64_t bound : bucket_bounds) {
    const DecimalText from(std::to_string(bound));
    if (!distribution.buckets.empty()) distribution.buckets.back().below = from;
    distribution.buckets.push_back({.from = from, .below = std::nullopt, .accounts = 0});
  }
  for (const auto& [address, account] : view.accounts()) {
    if (!account.portfolio().opened()) continue;
    const i128 equity = view.portfolio(address).equity;
    std::size_t bucket = 0;
    while (bucket + 1 < std::size(bucket_bounds) && equity >= static_cast<i128>(bucket_bounds[bucket + 1]) * usdx_one)
      ++bucket;
    ++distribution.buckets[bucket].accounts;
    ++distribution.total_accounts;
  }
  return distribution;
}

ReferralStats referral_stats_of(const VenueView& view) {
  ReferralStats stats;
  stats.conversion_ratio = NumberText("0");
  stats.accounts_without_code = static_cast<std::uint64_t>(
      std::ranges::count_if(view.accounts(), [](const auto& row) { return row.second.portfolio().opened(); }));
  return stats;
}

}  // namespace

void bind_venue(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::GetStatus>([venue](RequestContext& context, const Empty&) -> Answer<ops::GetStatus> {
    const VenueParts parts = parts_of(venue);
    return ServiceHealth{.status = parts.worst(), .timestamp_ms = context.now_ms, .services = services_of(parts)};
  });
  network.handlers.bind<ops::GetStats>([venue](RequestContext& context, const Empty&) -> Answer<ops::GetStats> {
    const VenueParts parts = parts_of(venue);
    return venue.views.read(
        [&](const VenueView& view) { return stats_of(view, parts, venue.started_ms, context.now_ms); });
  });
  network.handlers.bind<ops::ListStatsHistory>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::ListStatsHistory> {
        return venue.views.read([&](const VenueView& view) { return throughput_of(view, context.now_ms); });
      });
  network.handlers.bind<ops::GetVolume>([venue](RequestContext&, const Empty&) -> Answer<ops::GetVolume> {
    return venue.views.read([&](const VenueView& view) { return volume_of(view, venue.markets); });
  });
  network.handlers.bind<ops::GetOpenInterest>([venue](RequestContext&, const Empty&) -> Answer<ops::GetOpenInterest> {
    return venue.views.read([&](const VenueView& view) { return open_interest_of(view, venue); });
  });
  network.handlers.bind<ops::GetBalanceDistribution>([venue](RequestContext& context,
                                                             const Empty&) -> Answer<ops::GetBalanceDistribution> {
    return venue.views.read([&](const VenueView& view) { return distribution_of(view, context.network->settings.id); });
  });
  network.handlers.bind<ops::GetReferralStats>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::GetReferralStats> {
        if (!context.network->settings.referral_store)
          return unexpected(ApiError(ErrorCode::referral_store_not_configured));
        return venue.views.read([](const VenueView& view) { return referral_stats_of(view); });
      });
}

}  // namespace svc::sim
