// The venue as a whole: metadata, health, volume, open interest.

#include "api/ops/venue.h"

#include "api/network.h"
#include "api/version.h"
#include "base/utc_text.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/request_host.h"

namespace svc::sim {
namespace {

using namespace api;

Answer<ops::GetMetadata> metadata(RequestContext& context, const VersionTerms& versions) {
  const NetworkSettings& settings = context.network->settings;
  const NetworkId id = settings.id;
  const api::Headers& headers = context.request.headers;
  const Origin origin{.tls = false, .authority = request_authority(headers)};
  const SigningDomainInfo domain = registration_domain_info(id, settings.domain_name, signing::action_chain_id);
  const NetworkTarget target = target_of(id, origin, settings.faucet, domain);

  Metadata document;
  document.current_api_version = to_string(versions.policy.current);
  document.min_api_version = to_string(versions.policy.minimum);
  document.api_version = ApiVersionInfo{
      .header = "x-svc-api-version",
      .min_supported = document.min_api_version,
      .current = document.current_api_version,
      .deprecated_below =
          versions.policy.deprecated_below ? std::optional(to_string(*versions.policy.deprecated_below)) : std::nullopt,
      .sunset = versions.sunset_ms ? std::optional(utc_text(*versions.sunset_ms)) : std::nullopt,
      .spec_url = public_url(versions.spec_url, headers),
      .docs_url = public_url(versions.docs_url, headers),
      .policy = "A released version stays supported for at least 14 days after its successor."};
  document.network = std::string(to_string(id));
  document.deployment = settings.deployment;
  document.ws_url = target.ws_url;
  document.signing_domain = domain;
  document.networks = std::map<std::string, NetworkTarget>{{target.network, target}};
  return document;
}

}  // namespace

void bind_venue(NetworkInstance& network, const VenueAccess& venue, const VersionTerms& versions) {
  network.handlers.bind<ops::GetMetadata>(
      [versions](RequestContext& context, const Empty&) { return metadata(context, versions); });

  network.handlers.bind<ops::GetStatus>([venue](RequestContext& context, const Empty&) -> Answer<ops::GetStatus> {
    // A market without an index price is one whose oracle has not spoken yet.
    const bool priced = venue.views.read([&](const VenueView& view) {
      bool all = true;
      venue.markets.each([&](engine::MarketIndex index, const engine::MarketSpec&) {
        all = all && view.market(index).index().has_value();
      });
      return all;
    });
    const ServiceState oracle = priced ? ServiceState::ok : ServiceState::starting;
    return ServiceHealth{.status = oracle,
                         .timestamp_ms = context.now_ms,
                         .services = JsonObjectText(R"({"engine":"ok","indexer":"ok","oracle":")" +
                                                    std::string(to_string(oracle)) + R"("})")};
  });

  network.handlers.bind<ops::GetVolume>([venue](RequestContext&, const Empty&) -> Answer<ops::GetVolume> {
    return venue.views.read([&](const VenueView& view) {
      VenueVolume volume;
      i128 total = 0;
      venue.markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
        const i128 quote = view.market(index).ever().quote;
        total += quote;
        volume.markets.push_back({.market_id = spec.id, .volume = usdx_text(quote)});
      });
      volume.total_volume = usdx_text(total);
      volume.coverage_start_ms = venue.started_ms;
      return volume;
    });
  });

  network.handlers.bind<ops::GetOpenInterest>([venue](RequestContext&, const Empty&) -> Answer<ops::GetOpenInterest> {
    return venue.views.read([&](const VenueView& view) {
      List<MarketOpenInterest> list;
      venue.markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
        const MarketView& market = view.market(index);
        const i128 quote = static_cast<i128>(market.open_interest().value) * market.mark().value_or(Ticks{}).value *
                           engine::quote_unit(spec);
        const DecimalText base = lots_text(spec, market.open_interest());
        list.rows.push_back({.market_id = spec.id,
                             .long_oi_base = base,
                             .short_oi_base = base,
                             .long_oi_quote = usdx_text(quote),
                             .short_oi_quote = usdx_text(quote),
                             .gross_oi_two_sided_quote = usdx_text(2 * quote)});
      });
      return list;
    });
  });
}

}  // namespace svc::sim
