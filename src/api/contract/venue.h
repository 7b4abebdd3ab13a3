#pragma once

#include "api/contract/declaration.h"

// The venue as a whole: health, throughput, volume, open interest.

namespace svc::api {

enum class VenueHealth : std::uint8_t { healthy, degraded, unhealthy };
SVC_WIRE_TEXTS(VenueHealth, "Healthy", "Degraded", "Unhealthy");

SVC_RECORD(StatsSnapshot,
    (std::uint64_t, events_received, = 0, "Engine events so far")
    (std::uint64_t, fills_total, = 0, "Fills so far; a trade is two")
    (std::uint64_t, liquidations_total, = 0, "Liquidations so far")
    (std::uint64_t, gap_count, = 0, "Commands whose events never arrived")
    (bool, connected, = true, "The views have everything that the engine did")
    (std::optional<TimestampMs>, last_event_ms, {}, "Unix milliseconds; null before the first event")
    (std::uint64_t, uptime_seconds, = 0, "Whole seconds of the server's clock since this process began to serve")
    (NumberText, events_per_sec, {}, "Average of the last 60 complete seconds")
    (VenueHealth, health, = VenueHealth::healthy,
     "Healthy; Degraded while a part named in GET /status is; Unhealthy when one is down")
    (std::uint64_t, highest_sequence_seen, = 0, "Engine sequence")
    (std::uint64_t, unique_traders_24h, = 0, "Accounts with a fill in the last 24 hours")
    (std::uint64_t, unique_traders_7d, = 0, "Accounts with a fill in the last 7 days")
    (std::uint64_t, unique_traders_30d, = 0, "Accounts with a fill in the last 30 days"));

// The only timestamp in seconds. Complete seconds, at most the latest 3600, including those without a fill. (D-285)
SVC_RECORD(ThroughputSample,
    (std::int64_t, timestamp, = 0, "Unix seconds")
    (std::uint64_t, fills, = 0, "Fills in that second"));

enum class ServiceState : std::uint8_t { ok, degraded, down, starting };
SVC_WIRE_TEXTS(ServiceState, "ok", "degraded", "down", "starting");

SVC_RECORD(ServiceHealth,
    (ServiceState, status, = ServiceState::ok, "The worst of the parts")
    (TimestampMs, timestamp_ms, = 0, "Unix milliseconds")
    (JsonObjectText, services, {},
     "State by part: engine (degraded while a market is halted), indexer (down when the views miss commands), oracle "
     "(starting before its first price of a market, degraded when some are stale, down when all are), and on one of "
     "several nodes cluster (degraded while it lags behind the others, down while it takes no writes)"));

SVC_RECORD(MarketVolume,
    (std::string, market_id, {}, "Market")
    (DecimalText, volume, {}, "USDX"));

// (D-134)
SVC_RECORD(VenueVolume,
    (DecimalText, total_volume, {}, "USDX since coverage_start_ms")
    (std::vector<MarketVolume>, markets, {}, "By market")
    (TimestampMs, coverage_start_ms, = 0, "Unix milliseconds"));

SVC_RECORD(MarketOpenInterest,
    (std::string, market_id, {}, "Market")
    (DecimalText, long_oi_base, {}, "Base units")
    (DecimalText, short_oi_base, {}, "Base units")
    (DecimalText, long_oi_quote, {}, "USDX at mark")
    (DecimalText, short_oi_quote, {}, "USDX at mark")
    (DecimalText, gross_oi_two_sided_quote, {}, "Long and short together"));

SVC_RECORD(BalanceBucket,
    (DecimalText, from, {}, "Lower bound, USDX, inclusive")
    (std::optional<DecimalText>, below, {}, "Upper bound, USDX; null on the last")
    (std::uint64_t, accounts, = 0, "Accounts within"));

// (D-134)
SVC_RECORD(BalanceDistribution,
    (std::string, network, {}, "The serving network")
    (bool, testnet, = false, "Balances are play funds")
    (std::uint64_t, total_accounts, = 0, "Accounts counted: all that ever held money")
    (std::vector<BalanceBucket>, buckets, {}, "By powers of ten of equity; the first one includes debts")
    (std::string, note, {}, "How to read it"));

SVC_RECORD(ReferralStats,
    // No operation creates referral codes or binds accounts to them: zeros, and every account lacks one. (D-286)
    (std::uint64_t, codes_minted, = 0, "Codes handed out")
    (std::uint64_t, edges_bound, = 0, "Accounts bound to a code")
    (std::uint64_t, active_referred, = 0, "Of which traded")
    (NumberText, conversion_ratio, {}, "active_referred over edges_bound; 0 of none")
    (std::uint64_t, accounts_without_code, = 0, "Accounts without a code"));

// GET /metadata: versions, the serving network, and the map of networks with their targets.

enum class FundsClass : std::uint8_t { play, real };
SVC_WIRE_TEXTS(FundsClass, "play", "real");

// A null chain id means: refuse to sign.
SVC_RECORD(SigningDomainInfo,
    (std::string, name, {}, "Display name inside the EIP-712 domain")
    (std::string, version, = "1", "Domain version")
    (std::optional<std::uint64_t>, chain_id, {}, "Null: not known, so refuse to sign")
    (std::optional<std::string>, salt, {}, "keccak-256 of the network's name, 0x hex", .omit_when_empty()));

SVC_RECORD(NetworkTarget,
    (std::string, network, {}, "testnet, mainnet or local", .defaulted())
    (std::string, label, {}, "For people")
    (FundsClass, funds, = FundsClass::play, "play or real")
    (bool, faucet, = false, "Whether the faucet operations are served")
    (std::string, host, {}, "Host, with its port if there is one")
    (std::string, rest_base, {}, "REST base")
    (std::string, ws_url, {}, "WebSocket base")
    (std::string, ws_market_data_url, {}, "Public stream")
    (std::string, ws_authenticated_url, {}, "Account stream")
    (SigningDomainInfo, signing_domain, {}, "Registration domain; not that of actions")
    (std::optional<std::string>, description, {}, "One sentence", .omit_when_empty()));

SVC_RECORD(ApiVersionInfo,
    (std::string, header, {}, "Request header that carries the client's version")
    (std::string, min_supported, {}, "Oldest version accepted")
    (std::string, current, {}, "Latest version served")
    (std::optional<std::string>, deprecated_below, {}, "Older ones are announced to end")
    (std::optional<std::string>, sunset, {}, "When they end")
    (std::string, spec_url, {}, "The interface description")
    (std::string, docs_url, {}, "The guidance")
    (std::string, policy, {}, "The support window, in words"));

// Only the two versions are always present; older servers omit the rest.
SVC_RECORD(Metadata,
    (std::string, current_api_version, {}, "Latest version served")
    (std::string, min_api_version, {}, "Oldest version accepted")
    (std::optional<ApiVersionInfo>, api_version, {}, "Versions in detail", .omit_when_empty())
    (std::optional<std::string>, network, {}, "The serving network", .omit_when_empty())
    (std::optional<std::string>, deployment, {}, "Text that actions sign as `domain`", .omit_when_empty())
    (std::optional<std::string>, domain_name_owner, {},
     "Where several networks have one domain name: the only one that takes logins, withdrawals and unsalted "
     "registrations under it", .omit_when_empty())
    (std::optional<std::string>, ws_url, {}, "WebSocket base", .omit_when_empty())
    (std::optional<SigningDomainInfo>, signing_domain, {},
     "Registration domain of the serving network", .omit_when_empty())
    (std::optional<MemberMap<NetworkTarget>>, networks, {}, "Targets by network", .omit_when_empty()));

// The extension `x-svc-networks` of the interface description.
SVC_RECORD(NetworkMap,
    (std::string, description, {}, "What the map is for")
    (MemberMap<NetworkTarget>, networks, {}, "Targets by network")
    (std::string, signing_domain_note, {}, "Which signatures use these domains"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area venue{"venue"};
inline constexpr Area venue_at_edge{"venue", PathBase::edge};

SVC_OPERATIONS(VenueOperations,
    (GetMetadata, Empty, Metadata, venue_at_edge, get, "get_metadata", "/metadata",
     "Show versions, networks and the signing domain",
     "Only the two versions are always present. Where `chain_id` is null, sign nothing. "
     "`deployment` is the text that actions sign as `domain`.")
    (GetStats, Empty, StatsSnapshot, venue, get, "get_stats", "/stats", "Show venue statistics", twin)
    (ListStatsHistory, Empty, List<ThroughputSample>, venue, get, "list_stats_history", "/stats/history",
     "List fills per second, oldest first", twin)
    (GetStatus, Empty, ServiceHealth, venue, get, "get_status", "/status", "Show the health of the service")
    (GetBalanceDistribution, Empty, BalanceDistribution, venue, get, "get_balance_distribution",
     "/stats/balance-distribution", "Show how equity is spread over accounts")
    (GetVolume, Empty, VenueVolume, venue, get, "get_volume", "/stats/volume", "Show the volume traded")
    (GetOpenInterest, Empty, List<MarketOpenInterest>, venue, get, "get_open_interest", "/stats/open-interest",
     "Show open interest by market")
    (GetReferralStats, Empty, ReferralStats, venue, get, "get_referral_stats", "/stats/referrals",
     "Show the referral aggregate", refuses<bad_gateway, referral_store_not_configured>));

}  // namespace svc::api::ops
