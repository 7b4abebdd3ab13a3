// The venue as a whole: health, throughput, volume, open interest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/record.h"
#include "api/records/page.h"
#include "api/values.h"
#include "base/clock.h"

namespace svc::api {

enum class VenueHealth : std::uint8_t { healthy, degraded, unhealthy };
inline constexpr std::string_view venue_health_texts[] = {"Healthy", "Degraded", "Unhealthy"};
constexpr EnumNames enum_names(VenueHealth) {
  return {"VenueHealth", venue_health_texts};
}

struct StatsSnapshot {
  std::uint64_t events_received = 0;
  std::uint64_t fills_total = 0;
  std::uint64_t liquidations_total = 0;
  std::uint64_t gap_count = 0;
  bool connected = true;
  std::optional<TimestampMs> last_event_ms{};
  std::uint64_t uptime_seconds = 0;
  NumberText events_per_sec{};
  VenueHealth health = VenueHealth::healthy;
  std::uint64_t highest_sequence_seen = 0;
  std::uint64_t unique_traders_24h = 0;
  std::uint64_t unique_traders_7d = 0;
  std::uint64_t unique_traders_30d = 0;

  static constexpr FieldInfo fields[] = {
      field<&StatsSnapshot::events_received>("events_received", "Engine events so far"),
      field<&StatsSnapshot::fills_total>("fills_total", "Fills so far; a trade is two"),
      field<&StatsSnapshot::liquidations_total>("liquidations_total", "Liquidations so far"),
      field<&StatsSnapshot::gap_count>("gap_count", "Commands whose events never arrived"),
      field<&StatsSnapshot::connected>("connected", "The views have everything that the engine did"),
      field<&StatsSnapshot::last_event_ms>("last_event_ms", "Unix milliseconds; null before the first event"),
      field<&StatsSnapshot::uptime_seconds>("uptime_seconds", "Whole seconds since this process began to serve"),
      field<&StatsSnapshot::events_per_sec>("events_per_sec", "Average of the last 60 complete seconds"),
      field<&StatsSnapshot::health>("health",
                                    "Healthy; Degraded while a part named in GET /status is; Unhealthy when one is "
                                    "down"),
      field<&StatsSnapshot::highest_sequence_seen>("highest_sequence_seen", "Engine sequence"),
      field<&StatsSnapshot::unique_traders_24h>("unique_traders_24h", "Accounts with a fill in the last 24 hours"),
      field<&StatsSnapshot::unique_traders_7d>("unique_traders_7d", "Accounts with a fill in the last 7 days"),
      field<&StatsSnapshot::unique_traders_30d>("unique_traders_30d", "Accounts with a fill in the last 30 days")};
};

// The one timestamp in seconds. Complete seconds, the latest 3600 at most, those without a fill included. (D-285)
struct ThroughputSample {
  std::int64_t timestamp = 0;
  std::uint64_t fills = 0;

  static constexpr FieldInfo fields[] = {field<&ThroughputSample::timestamp>("timestamp", "Unix seconds"),
                                         field<&ThroughputSample::fills>("fills", "Fills in that second")};
};

enum class ServiceState : std::uint8_t { ok, degraded, down, starting };
inline constexpr std::string_view service_state_texts[] = {"ok", "degraded", "down", "starting"};
constexpr EnumNames enum_names(ServiceState) {
  return {"ServiceState", service_state_texts};
}

struct ServiceHealth {
  ServiceState status = ServiceState::ok;
  TimestampMs timestamp_ms = 0;
  JsonObjectText services{};

  static constexpr FieldInfo fields[] = {
      field<&ServiceHealth::status>("status", "The worst of the parts"),
      field<&ServiceHealth::timestamp_ms>("timestamp_ms", "Unix milliseconds"),
      field<&ServiceHealth::services>("services",
                                      "State by part: engine (degraded while a market is halted), indexer (down when "
                                      "the views miss commands), oracle (starting before its first price of a market, "
                                      "degraded when some are stale, down when all are)")};
};

struct MarketVolume {
  std::string market_id{};
  DecimalText volume{};

  static constexpr FieldInfo fields[] = {field<&MarketVolume::market_id>("market_id", "Market"),
                                         field<&MarketVolume::volume>("volume", "USDX")};
};

// (D-134)
struct VenueVolume {
  DecimalText total_volume{};
  std::vector<MarketVolume> markets{};
  TimestampMs coverage_start_ms = 0;

  static constexpr FieldInfo fields[] = {
      field<&VenueVolume::total_volume>("total_volume", "USDX since coverage_start_ms"),
      field<&VenueVolume::markets>("markets", "By market"),
      field<&VenueVolume::coverage_start_ms>("coverage_start_ms", "Unix milliseconds")};
};

struct MarketOpenInterest {
  std::string market_id{};
  DecimalText long_oi_base{};
  DecimalText short_oi_base{};
  DecimalText long_oi_quote{};
  DecimalText short_oi_quote{};
  DecimalText gross_oi_two_sided_quote{};

  static constexpr FieldInfo fields[] = {
      field<&MarketOpenInterest::market_id>("market_id", "Market"),
      field<&MarketOpenInterest::long_oi_base>("long_oi_base", "Base units"),
      field<&MarketOpenInterest::short_oi_base>("short_oi_base", "Base units"),
      field<&MarketOpenInterest::long_oi_quote>("long_oi_quote", "USDX at mark"),
      field<&MarketOpenInterest::short_oi_quote>("short_oi_quote", "USDX at mark"),
      field<&MarketOpenInterest::gross_oi_two_sided_quote>("gross_oi_two_sided_quote", "Long and short together")};
};

struct BalanceBucket {
  DecimalText from{};
  std::optional<DecimalText> below{};
  std::uint64_t accounts = 0;

  static constexpr FieldInfo fields[] = {field<&BalanceBucket::from>("from", "Lower bound, USDX, inclusive"),
                                         field<&BalanceBucket::below>("below", "Upper bound, USDX; null on the last"),
                                         field<&BalanceBucket::accounts>("accounts", "Accounts within")};
};

// (D-134)
struct BalanceDistribution {
  std::string network{};
  bool testnet = false;
  std::uint64_t total_accounts = 0;
  std::vector<BalanceBucket> buckets{};
  std::string note{};

  static constexpr FieldInfo fields[] = {
      field<&BalanceDistribution::network>("network", "The serving network"),
      field<&BalanceDistribution::testnet>("testnet", "Balances are play funds"),
      field<&BalanceDistribution::total_accounts>("total_accounts", "Accounts counted: all that ever held money"),
      field<&BalanceDistribution::buckets>("buckets", "By powers of ten of equity; the first one includes debts"),
      field<&BalanceDistribution::note>("note", "How to read it")};
};

struct ReferralStats {
  std::uint64_t codes_minted = 0;
  std::uint64_t edges_bound = 0;
  std::uint64_t active_referred = 0;
  NumberText conversion_ratio{};
  std::uint64_t accounts_without_code = 0;

  static constexpr FieldInfo fields[] = {
      // No operation hands out codes or binds accounts to them: zeros, and every account lacks one. (D-286)
      field<&ReferralStats::codes_minted>("codes_minted", "Codes handed out"),
      field<&ReferralStats::edges_bound>("edges_bound", "Accounts bound to a code"),
      field<&ReferralStats::active_referred>("active_referred", "Of which traded"),
      field<&ReferralStats::conversion_ratio>("conversion_ratio", "active_referred over edges_bound; 0 of none"),
      field<&ReferralStats::accounts_without_code>("accounts_without_code", "Accounts without a code")};
};

}  // namespace svc::api
