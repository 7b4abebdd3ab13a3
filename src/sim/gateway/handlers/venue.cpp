// The venue as a whole: health, throughput, volume, open interest, balances, referrals; and what a client reads first:
// metadata, the interface description, the guide in plain text, and the catalogue that links them. All public.
#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>

#include "api/contract/venue.h"
#include "api/network.h"
#include "api/openapi.h"
#include "api/version.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/json_text.h"
#include "signing/domain.h"
#include "signing/hash.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace {

using namespace api;

struct VenueParts {
  ServiceState engine = ServiceState::ok;   // degraded while a market is halted, down while the log takes no writes
  ServiceState indexer = ServiceState::ok;  // down if the views miss something that the engine did
  ServiceState oracle = ServiceState::ok;   // starting, or as stale as its prices
  std::optional<ServiceState> cluster{};    // of one node of several

  [[nodiscard]] ServiceState worst() const {
    for (const ServiceState state : {ServiceState::down, ServiceState::starting, ServiceState::degraded})
      if (engine == state || indexer == state || oracle == state || cluster == state) return state;
    return ServiceState::ok;
  }
};

VenueParts parts_of(const VenueAccess& venue) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    VenueParts parts;
    std::size_t listed = 0;  // delisted ones no longer need a price
    std::size_t unpriced = 0;
    std::size_t stale = 0;
    for (std::size_t i = 0; i < engine.market_count(); ++i) {
      const engine::MarketFigures market = engine.market({static_cast<std::uint16_t>(i)}, now_ms);
      if (market.status == engine::MarketStatus::delisted) continue;
      ++listed;
      if (market.status == engine::MarketStatus::halted) parts.engine = ServiceState::degraded;
      if (!market.index)
        ++unpriced;
      else if (market.oracle_stale)
        ++stale;
    }
    if (unpriced > 0)
      parts.oracle = ServiceState::starting;
    else if (stale > 0)
      parts.oracle = stale == listed ? ServiceState::down : ServiceState::degraded;
    const bool complete = venue.views.read(
        [&](const VenueView& view) { return view.totals().gaps == 0 && view.totals().sequence == engine.sequence(); });
    if (!complete) parts.indexer = ServiceState::down;
    return parts;
  });
}

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
  if (parts.cluster) json.key("cluster").text(to_string(*parts.cluster));
  json.end_object();
  return JsonObjectText(std::move(text));
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
  if (totals.events > 0) stats.last_event_ms = totals.last_event_ms;
  stats.uptime_seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ms - started_ms) / second_ms);
  stats.events_per_sec = event_rate(view, now_ms);
  stats.health = health_of(parts);
  stats.highest_sequence_seen = totals.sequence.value;
  stats.unique_traders_24h = view.traders_since(now_ms - day_ms);
  stats.unique_traders_7d = view.traders_since(now_ms - 7 * day_ms);
  stats.unique_traders_30d = view.traders_since(now_ms - 30 * day_ms);
  return stats;
}

// Every complete second of the window, including those without events.
WrittenList<ThroughputSample> throughput_of(const VenueView& view, const VenueAccess&, const Empty&,
                                            TimestampMs now_ms) {
  WrittenList<ThroughputSample> list;
  if (!view.totals().sequence.exists()) return list;
  const std::int64_t end = now_ms / second_ms;
  const auto kept = static_cast<std::int64_t>(limits::throughput_samples_max);
  const auto& granules = view.throughput().granules();
  auto granule = granules.begin();
  for (std::int64_t second = std::max(view.totals().since_ms / second_ms, end - kept); second < end; ++second) {
    while (granule != granules.end() && granule->number < second) ++granule;
    const bool busy = granule != granules.end() && granule->number == second;
    list.rows.add({.timestamp = second, .fills = busy ? granule->sums.fills : 0});
  }
  return list;
}

VenueVolume volume_of(const VenueView& view, const VenueAccess& venue, const Empty&) {
  VenueVolume volume;
  i128 total = 0;
  venue.markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    const i128 quote = view.market(index).ever().quote;
    total += quote;
    volume.markets.push_back({.market_id = spec.id, .volume = usdx_text(quote)});
  });
  volume.total_volume = usdx_text(total);
  volume.coverage_start_ms = view.totals().since_ms;
  return volume;
}

WrittenList<MarketOpenInterest> open_interest_of(const VenueView& view, const VenueAccess& venue, const Empty&) {
  WrittenList<MarketOpenInterest> list;
  venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    const MarketView& market = view.market(index);
    const i128 quote = static_cast<i128>(market.open_interest().value) * market.mark().value_or(Ticks{}).value *
                       engine::quote_unit(spec);
    // Every long is somebody's short.
    const DecimalText base = lots_text(spec, market.open_interest());
    list.rows.add({.market_id = spec.id,
                   .long_oi_base = base,
                   .short_oi_base = base,
                   .long_oi_quote = usdx_text(quote),
                   .short_oi_quote = usdx_text(quote),
                   .gross_oi_two_sided_quote = usdx_text(2 * quote)});
  });
  return list;
}

BalanceDistribution distribution_of(const ViewRead<Empty>& on) {
  const NetworkId network = on.context.network->settings.id;
  BalanceDistribution distribution;
  distribution.network = std::string(to_string(network));
  distribution.testnet = network != NetworkId::mainnet;
  distribution.note = "Equity of every account at mark; whoever owes counts in the first bucket.";
  const AccountsByEquity counts = on.view.accounts_by_equity();
  distribution.total_accounts = std::reduce(counts.begin(), counts.end());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const DecimalText from(std::to_string(equity_bands[i]));
    if (i > 0) distribution.buckets.back().below = from;
    distribution.buckets.push_back({.from = from, .below = std::nullopt, .accounts = counts[i]});
  }
  return distribution;
}

Answer<ops::GetStatus> get_status(RequestContext& context, const Empty&) {
  VenueParts parts = parts_of(context.venue());
  if (!context.network->log_problem().empty()) parts.engine = ServiceState::down;
  if (context.network->cluster_state) parts.cluster = context.network->cluster_state();
  return ServiceHealth{.status = parts.worst(), .timestamp_ms = context.now_ms, .services = services_of(parts)};
}

Answer<ops::GetStats> get_stats(const VenueAccess& venue, const Empty&, TimestampMs now_ms) {
  const VenueParts parts = parts_of(venue);
  return venue.views.read([&](const VenueView& view) { return stats_of(view, parts, venue.started_ms, now_ms); });
}

Answer<ops::GetReferralStats> get_referral_stats(const ViewRead<Empty>& on) {
  if (!on.context.network->settings.referral_store) return unexpected(ErrorCode::referral_store_not_configured);
  ReferralStats stats;
  stats.conversion_ratio = NumberText("0");
  const AccountsByEquity accounts = on.view.accounts_by_equity();
  stats.accounts_without_code = std::reduce(accounts.begin(), accounts.end());
  return stats;
}

// Discovery: never blocked by the version check.

// ":9090"; empty if the authority has none.
std::string_view port_of(std::string_view authority) {
  const auto colon = authority.rfind(':');
  const auto bracket = authority.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return {};
  return authority.substr(colon);
}

std::string authority_of(const NetworkSettings& network, const NetworkSettings& serving, const std::string& reached) {
  if (&network == &serving || network.hosts.empty()) return reached;
  return network.hosts.front() + std::string(port_of(reached));
}

constexpr std::string_view support_policy =
    "A released version stays supported for at least 14 days after its successor.";

// A document as last requested. It depends only on the host name of the request, which is nearly always the same, and
// on the served versions.
struct CachedDocument {
  std::mutex mutex{};
  std::string authority{};
  api::ApiVersion minimum{};
  std::string body{};
  std::string tag{};  // ETag: quoted; empty: not requested yet
};

// Serves what `write` produces for the request's headers and the current versions, with validators for caching.
// (D-146)
template <class Write>
Handler document(std::string_view content_type, const VersionTerms& versions, Write write) {
  return [content_type, versions, write,
          cached = std::make_shared<CachedDocument>()](RequestContext& context) -> Result<void, api::ApiError> {
    const api::Headers& headers = context.request.headers;
    const VersionPolicy policy = policy_at(versions, context.now_ms);
    const std::string authority = request_authority(headers);
    const std::lock_guard lock(cached->mutex);
    if (cached->tag.empty() || cached->authority != authority || cached->minimum != policy.minimum) {
      std::string body = write(headers, policy);
      std::string tag = '"' + to_hex(signing::sha256(body)).substr(0, 32) + '"';
      cached->authority = authority;
      cached->minimum = policy.minimum;
      cached->body = std::move(body);
      cached->tag = std::move(tag);
    }
    api::HttpResponse& response = context.response;
    response.headers.set("Content-Type", content_type);
    response.headers.set("ETag", cached->tag);
    response.headers.set("Cache-Control", "no-cache");  // cache it, but revalidate
    response.headers.set("Vary", "Host");
    if (has_tagged(headers, cached->tag))
      response.status = 304;
    else
      response.body = cached->body;
    return {};
  };
}

Metadata metadata(const NetworkSettings& settings, const NetworkMap& map, const VersionTerms& versions,
                  const api::Headers& headers, TimestampMs now_ms) {
  const VersionPolicy policy = policy_at(versions, now_ms);
  Metadata document;
  document.current_api_version = to_string(policy.current);
  document.min_api_version = to_string(policy.minimum);
  document.api_version = ApiVersionInfo{
      .header = "x-svc-api-version",
      .min_supported = document.min_api_version,
      .current = document.current_api_version,
      .deprecated_below = policy.deprecated_below ? std::optional(to_string(*policy.deprecated_below)) : std::nullopt,
      .sunset = versions.sunset_ms ? std::optional(utc_text(*versions.sunset_ms)) : std::nullopt,
      .spec_url = public_url(versions.spec_url, headers),
      .docs_url = public_url(versions.docs_url, headers),
      .policy = std::string(support_policy)};
  document.network = std::string(to_string(settings.id));
  document.deployment = settings.deployment;
  if (settings.domain_name_owner) document.domain_name_owner = std::string(to_string(*settings.domain_name_owner));
  document.networks = map.networks;
  for (auto& [name, target] : *document.networks) target.description.reset();
  const NetworkTarget& serving = map.networks.at(*document.network);
  document.ws_url = serving.ws_url;
  document.signing_domain = serving.signing_domain;
  return document;
}

// RFC 9727: a link set from this host's API to its descriptions.
std::string api_catalog(const NetworkMap& map, const NetworkSettings& settings, const VersionTerms& versions,
                        const api::Headers& headers) {
  struct Target {
    std::string url;
    std::string_view type;
  };
  const auto link = [](JsonWriter& json, std::string_view relation, const std::vector<Target>& targets) {
    json.key(relation).begin_array();
    for (const Target& target : targets)
      json.begin_object().key("href").text(target.url).key("type").text(target.type).end_object();
    json.end_array();
  };
  const std::string& base = map.networks.at(std::string(to_string(settings.id))).rest_base;
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("linkset").begin_array().begin_object();
  json.key("anchor").text(base);
  link(json, "service-desc",
       {{public_url(versions.spec_url, headers), "application/vnd.oai.openapi+json;version=3.1"},
        {public_url("/asyncapi.json", headers), "application/vnd.aai.asyncapi+json;version=3.0.0"}});
  link(json, "service-doc", {{public_url(versions.docs_url, headers), "text/plain"}});
  link(json, "service-meta", {{public_url("/metadata", headers), "application/json"}});
  link(json, "status", {{base + "/status", "application/json"}});
  json.end_object().end_array().end_object();
  return out;
}

}  // namespace

void bind_venue(HandlerTable& handlers) {
  handlers.bind_all(get_status, get_referral_stats);  // a node of a cluster says more of its status than the views know
  bind_public<ops::GetStats>(handlers, get_stats);
  bind_public_view<ops::ListStatsHistory>(handlers, throughput_of);
  bind_public_view<ops::GetVolume>(handlers, volume_of);
  bind_public_view<ops::GetOpenInterest>(handlers, open_interest_of);
  handlers.bind<ops::GetBalanceDistribution>(distribution_of);
}

api::NetworkMap published_networks(const NetworkSettings& serving, const std::vector<const NetworkSettings*>& served,
                                   const api::Headers& headers) {
  const std::string reached = request_authority(headers);
  api::NetworkMap map;
  map.description = "Networks by name: the host selects the network, and nothing is shared between two of them.";
  map.signing_domain_note =
      "signing_domain is the domain of POST /agents/register. Actions, withdrawals and transfers are signed under the "
      "domain with chain id 20056 and without salt. Where chain_id is null, sign nothing.";
  if (serving.domain_name_owner)
    map.signing_domain_note += " The networks here share one domain name: it is that of " +
                               std::string(api::to_string(*serving.domain_name_owner)) +
                               ", and the others take no login, withdrawal or unsalted registration.";
  const auto add = [&map](api::NetworkTarget target) { map.networks.emplace(target.network, std::move(target)); };
  for (const NetworkSettings* network : served) {
    add(target_of(network->id, authority_of(*network, serving, reached), network->faucet, network->domain_name,
                  signing::action_chain_id));
  }
  add(target_of(api::NetworkId::local, std::string(api::local_authority), false, NetworkSettings{}.domain_name,
                std::nullopt));
  return map;
}

void bind_discovery(NetworkInstance& network, const VersionTerms& versions,
                    const std::vector<const NetworkSettings*>& served) {
  const NetworkSettings& settings = network.settings;
  const auto map = [&settings, served](const api::Headers& headers) {
    return published_networks(settings, served, headers);
  };
  network.handlers.bind<ops::GetMetadata>(
      [=, &settings](RequestContext& context, const Empty&) -> Answer<ops::GetMetadata> {
        const api::Headers& headers = context.request.headers;
        return metadata(settings, map(headers), versions, headers, context.now_ms);
      });
  network.serve_document("/openapi.json",
                         document("application/json", versions,
                                  [=, &settings, kept = std::make_shared<std::pair<ApiVersion, std::string>>()](
                                      const api::Headers& headers, const VersionPolicy& policy) {
                                    // Written once for all host names, because it takes long.
                                    if (kept->second.empty() || kept->first != policy.minimum)
                                      *kept = {policy.minimum, openapi_document(settings.domain_name, policy)};
                                    return with_networks(kept->second, map(headers));
                                  }));
  network.serve_document("/llms.txt",
                         document("text/plain; charset=utf-8", versions,
                                  [=, &settings](const api::Headers& headers, const VersionPolicy& policy) {
                                    const auto networks = map(headers).networks;
                                    return plain_guide({.title = settings.domain_name,
                                                        .versions = policy,
                                                        .target = networks.at(std::string(to_string(settings.id))),
                                                        .host_root = public_url("/", headers),
                                                        .description_url = public_url(versions.spec_url, headers)});
                                  }));
  network.serve_document(
      "/.well-known/api-catalog",
      document("application/linkset+json", versions, [=, &settings](const api::Headers& headers, const VersionPolicy&) {
        return api_catalog(map(headers), settings, versions, headers);
      }));
}

}  // namespace svc::sim
