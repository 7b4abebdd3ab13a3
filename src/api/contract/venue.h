#pragma once

#include <map>

#include "api/contract/declaration.h"

// The venue as a whole: health, throughput, volume, open interest.

namespace svc::api {

enum class VenueHealth : std::uint8_t { healthy, degraded, unhealthy };
SVC_WIRE_TEXTS(VenueHealth, "Healthy", "Degraded", "Unhealthy");

struct StatsSnapshot {
  std::uint64_t events_received = 0, fills_total = 0, liquidations_total = 0, gap_count = 0;
  bool connected = true;
  std::optional<TimestampMs> last_event_ms{};
  std::uint64_t uptime_seconds = 0;
  NumberText events_per_sec{};
  VenueHealth health = VenueHealth::healthy;
  std::uint64_t highest_sequence_seen = 0, unique_traders_24h = 0, unique_traders_7d = 0, unique_traders_30d = 0;

  static constexpr FieldInfo fields[] = {
      field<&StatsSnapshot::events_received>("Engine events so far"),
      field<&StatsSnapshot::fills_total>("Fills so far; a trade is two"),
      field<&StatsSnapshot::liquidations_total>("Liquidations so far"),
      field<&StatsSnapshot::gap_count>("Commands whose events never arrived"),
      field<&StatsSnapshot::connected>("The views have everything that the engine did"),
      field<&StatsSnapshot::last_event_ms>("Unix milliseconds; null before the first event"),
      field<&StatsSnapshot::uptime_seconds>("Whole seconds since this process began to serve"),
      field<&StatsSnapshot::events_per_sec>("Average of the last 60 complete seconds"),
      field<&StatsSnapshot::health>(
          "Healthy; Degraded while a part named in GET /status is; Unhealthy when one is down"),
      field<&StatsSnapshot::highest_sequence_seen>("Engine sequence"),
      field<&StatsSnapshot::unique_traders_24h>("Accounts with a fill in the last 24 hours"),
      field<&StatsSnapshot::unique_traders_7d>("Accounts with a fill in the last 7 days"),
      field<&StatsSnapshot::unique_traders_30d>("Accounts with a fill in the last 30 days")};
};

// The only timestamp in seconds. Complete seconds, at most the latest 3600, including those without a fill. (D-285)
struct ThroughputSample {
  std::int64_t timestamp = 0;
  std::uint64_t fills = 0;

  static constexpr FieldInfo fields[] = {field<&ThroughputSample::timestamp>("Unix seconds"),
                                         field<&ThroughputSample::fills>("Fills in that second")};
};

enum class ServiceState : std::uint8_t { ok, degraded, down, starting };
SVC_WIRE_TEXTS(ServiceState, "ok", "degraded", "down", "starting");

struct ServiceHealth {
  ServiceState status = ServiceState::ok;
  TimestampMs timestamp_ms = 0;
  JsonObjectText services{};

  static constexpr FieldInfo fields[] = {
      field<&ServiceHealth::status>("The worst of the parts"), field<&ServiceHealth::timestamp_ms>("Unix milliseconds"),
      field<&ServiceHealth::services>(
          "State by part: engine (degraded while a market is halted), indexer (down when the views miss commands), "
          "oracle (starting before its first price of a market, degraded when some are stale, down when all are), and on one "
          "of several nodes cluster (degraded while it lags behind the others, down while it takes no writes)")};
};

struct MarketVolume {
  std::string market_id{};
  DecimalText volume{};

  static constexpr FieldInfo fields[] = {field<&MarketVolume::market_id>("Market"),
                                         field<&MarketVolume::volume>("USDX")};
};

// (D-134)
struct VenueVolume {
  DecimalText total_volume{};
  std::vector<MarketVolume> markets{};
  TimestampMs coverage_start_ms = 0;

  static constexpr FieldInfo fields[] = {field<&VenueVolume::total_volume>("USDX since coverage_start_ms"),
                                         field<&VenueVolume::markets>("By market"),
                                         field<&VenueVolume::coverage_start_ms>("Unix milliseconds")};
};

struct MarketOpenInterest {
  std::string market_id{};
  DecimalText long_oi_base{}, short_oi_base{}, long_oi_quote{}, short_oi_quote{}, gross_oi_two_sided_quote{};

  static constexpr FieldInfo fields[] = {
      field<&MarketOpenInterest::market_id>("Market"),
      field<&MarketOpenInterest::long_oi_base>("Base units"),
      field<&MarketOpenInterest::short_oi_base>("Base units"),
      field<&MarketOpenInterest::long_oi_quote>("USDX at mark"),
      field<&MarketOpenInterest::short_oi_quote>("USDX at mark"),
      field<&MarketOpenInterest::gross_oi_two_sided_quote>("Long and short together")};
};

struct BalanceBucket {
  DecimalText from{};
  std::optional<DecimalText> below{};
  std::uint64_t accounts = 0;

  static constexpr FieldInfo fields[] = {field<&BalanceBucket::from>("Lower bound, USDX, inclusive"),
                                         field<&BalanceBucket::below>("Upper bound, USDX; null on the last"),
                                         field<&BalanceBucket::accounts>("Accounts within")};
};

// (D-134)
struct BalanceDistribution {
  std::string network{};
  bool testnet = false;
  std::uint64_t total_accounts = 0;
  std::vector<BalanceBucket> buckets{};
  std::string note{};

  static constexpr FieldInfo fields[] = {
      field<&BalanceDistribution::network>("The serving network"),
      field<&BalanceDistribution::testnet>("Balances are play funds"),
      field<&BalanceDistribution::total_accounts>("Accounts counted: all that ever held money"),
      field<&BalanceDistribution::buckets>("By powers of ten of equity; the first one includes debts"),
      field<&BalanceDistribution::note>("How to read it")};
};

struct ReferralStats {
  std::uint64_t codes_minted = 0, edges_bound = 0, active_referred = 0;
  NumberText conversion_ratio{};
  std::uint64_t accounts_without_code = 0;

  static constexpr FieldInfo fields[] = {
      // No operation creates referral codes or binds accounts to them: zeros, and every account lacks one. (D-286)
      field<&ReferralStats::codes_minted>("Codes handed out"),
      field<&ReferralStats::edges_bound>("Accounts bound to a code"),
      field<&ReferralStats::active_referred>("Of which traded"),
      field<&ReferralStats::conversion_ratio>("active_referred over edges_bound; 0 of none"),
      field<&ReferralStats::accounts_without_code>("Accounts without a code")};
};

// GET /metadata: versions, the serving network, and the map of networks with their targets.

enum class FundsClass : std::uint8_t { play, real };
SVC_WIRE_TEXTS(FundsClass, "play", "real");

// A null chain id means: refuse to sign.
struct SigningDomainInfo {
  std::string name{}, version = "1";
  std::optional<std::uint64_t> chain_id{};
  std::optional<std::string> salt{};

  static constexpr FieldInfo fields[] = {
      field<&SigningDomainInfo::name>("Display name inside the EIP-712 domain"),
      field<&SigningDomainInfo::version>("Domain version"),
      field<&SigningDomainInfo::chain_id>("Null: not known, so refuse to sign"),
      field<&SigningDomainInfo::salt>("keccak-256 of the network's name, 0x hex").omit_when_empty()};
};

struct NetworkTarget {
  std::string network{}, label{};
  FundsClass funds = FundsClass::play;
  bool faucet = false;
  std::string host{}, rest_base{}, ws_url{}, ws_market_data_url{}, ws_authenticated_url{};
  SigningDomainInfo signing_domain{};
  std::optional<std::string> description{};

  static constexpr FieldInfo fields[] = {
      field<&NetworkTarget::network>("testnet, mainnet or local").defaulted(),
      field<&NetworkTarget::label>("For people"),
      field<&NetworkTarget::funds>("play or real"),
      field<&NetworkTarget::faucet>("Whether the faucet operations are served"),
      field<&NetworkTarget::host>("Host, with its port if there is one"),
      field<&NetworkTarget::rest_base>("REST base"),
      field<&NetworkTarget::ws_url>("WebSocket base"),
      field<&NetworkTarget::ws_market_data_url>("Public stream"),
      field<&NetworkTarget::ws_authenticated_url>("Account stream"),
      field<&NetworkTarget::signing_domain>("Registration domain; not that of actions"),
      field<&NetworkTarget::description>("One sentence").omit_when_empty()};
};

struct ApiVersionInfo {
  std::string header{}, min_supported{}, current{};
  std::optional<std::string> deprecated_below{}, sunset{};
  std::string spec_url{}, docs_url{}, policy{};

  static constexpr FieldInfo fields[] = {
      field<&ApiVersionInfo::header>("Request header that carries the client's version"),
      field<&ApiVersionInfo::min_supported>("Oldest version accepted"),
      field<&ApiVersionInfo::current>("Latest version served"),
      field<&ApiVersionInfo::deprecated_below>("Older ones are announced to end"),
      field<&ApiVersionInfo::sunset>("When they end"),
      field<&ApiVersionInfo::spec_url>("The interface description"),
      field<&ApiVersionInfo::docs_url>("The guidance"),
      field<&ApiVersionInfo::policy>("The support window, in words")};
};

// Only the two versions are always present; older servers omit the rest.
struct Metadata {
  std::string current_api_version{}, min_api_version{};
  std::optional<ApiVersionInfo> api_version{};
  std::optional<std::string> network{}, deployment{}, domain_name_owner{}, ws_url{};
  std::optional<SigningDomainInfo> signing_domain{};
  std::optional<std::map<std::string, NetworkTarget>> networks{};

  static constexpr FieldInfo fields[] = {
      field<&Metadata::current_api_version>("Latest version served"),
      field<&Metadata::min_api_version>("Oldest version accepted"),
      field<&Metadata::api_version>("Versions in detail").omit_when_empty(),
      field<&Metadata::network>("The serving network").omit_when_empty(),
      field<&Metadata::deployment>("Text that actions sign as `domain`").omit_when_empty(),
      field<&Metadata::domain_name_owner>("Where several networks have one domain name: the only one that takes "
                                          "logins, withdrawals and unsalted registrations under it")
          .omit_when_empty(),
      field<&Metadata::ws_url>("WebSocket base").omit_when_empty(),
      field<&Metadata::signing_domain>("Registration domain of the serving network").omit_when_empty(),
      field<&Metadata::networks>("Targets by network").omit_when_empty()};
};

// The extension `x-svc-networks` of the interface description.
struct NetworkMap {
  std::string description{};
  std::map<std::string, NetworkTarget> networks{};
  std::string signing_domain_note{};

  static constexpr FieldInfo fields[] = {field<&NetworkMap::description>("What the map is for"),
                                         field<&NetworkMap::networks>("Targets by network"),
                                         field<&NetworkMap::signing_domain_note>("Which signatures use these domains")};
};

}  // namespace svc::api

// The venue as a whole; public.

namespace svc::api::ops {

inline constexpr Area venue{"venue"};

struct GetMetadata : Records<Empty, Metadata> {
  static constexpr Operation op =
      Area{"venue", PathBase::edge}(get, "get_metadata", "/metadata", "Show versions, networks and the signing domain",
                                    "Only the two versions are always present. Where `chain_id` is null, sign nothing. "
                                    "`deployment` is the text that actions sign as `domain`.");
};

struct GetStats : Records<Empty, StatsSnapshot> {
  static constexpr Operation op = venue(get, "get_stats", "/stats", "Show venue statistics", twin);
};

struct ListStatsHistory : Records<Empty, List<ThroughputSample>> {
  static constexpr Operation op =
      venue(get, "list_stats_history", "/stats/history", "List fills per second, oldest first", twin);
};

struct GetStatus : Records<Empty, ServiceHealth> {
  static constexpr Operation op = venue(get, "get_status", "/status", "Show the health of the service");
};

struct GetBalanceDistribution : Records<Empty, BalanceDistribution> {
  static constexpr Operation op =
      venue(get, "get_balance_distribution", "/stats/balance-distribution", "Show how equity is spread over accounts");
};

struct GetVolume : Records<Empty, VenueVolume> {
  static constexpr Operation op = venue(get, "get_volume", "/stats/volume", "Show the volume traded");
};

struct GetOpenInterest : Records<Empty, List<MarketOpenInterest>> {
  static constexpr Operation op =
      venue(get, "get_open_interest", "/stats/open-interest", "Show open interest by market");
};

struct GetReferralStats : Records<Empty, ReferralStats> {
  static constexpr Operation op = venue(get, "get_referral_stats", "/stats/referrals", "Show the referral aggregate",
                                        refuses<bad_gateway, referral_store_not_configured>);
};

}  // namespace svc::api::ops
