// The limits of each tier (API: Limits, Tiers).
#pragma once

#include <cstdint>

#include "api/contract/admin.h"

namespace svc::api {

// Rates are tokens per second; a bucket holds exactly one second of tokens.
struct TierLimits {
  Tier tier{};
  std::uint32_t requests_per_second = 0;
  std::uint32_t orders_per_second = 0;
  std::uint32_t cancels_per_second = 0;
  std::uint32_t ws_connections = 0;
  std::uint32_t ws_subscriptions = 0;
  std::uint32_t ws_frames_per_second = 0;
  bool per_client_address = false;  // metered by address, reads and orders from one bucket, streams exempt
};

inline constexpr Tier default_tier = Tier::pro;

// The ceiling of an API key itself, fixed at its creation and independent of later tiers.
inline constexpr std::uint32_t default_key_ceiling_per_second = 20;

inline constexpr TierLimits tier_table[] = {
    {.tier = Tier::pro,
     .requests_per_second = 20,
     .orders_per_second = 20,
     .cancels_per_second = 20,
     .ws_connections = 5,
     .ws_subscriptions = 50,
     .ws_frames_per_second = 10},
    {.tier = Tier::market_maker,
     .requests_per_second = 2'000,
     .orders_per_second = 2'000,
     .cancels_per_second = 2'000,
     .ws_connections = 100,
     .ws_subscriptions = 1'000,
     .ws_frames_per_second = 50},
    // Gateway keys, never a trading account. Cancels are metered like the rest. (D-137)
    {.tier = Tier::unlimited,
     .requests_per_second = 50,
     .orders_per_second = 50,
     .cancels_per_second = 50,
     .per_client_address = true},
};

[[nodiscard]] constexpr const TierLimits& limits_of(Tier tier) {
  return tier_table[static_cast<std::size_t>(tier)];
}

static_assert(limits_of(Tier::pro).tier == Tier::pro && limits_of(Tier::market_maker).tier == Tier::market_maker &&
                  limits_of(Tier::unlimited).tier == Tier::unlimited,
              "the table is indexed by tier");

}  // namespace svc::api
