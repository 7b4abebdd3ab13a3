// The tiers of an account by name; their numbers are in api/tiers.h.
#pragma once

#include <cstdint>

#include "api/record.h"

namespace svc::api {

enum class Tier : std::uint8_t { pro, market_maker, unlimited };

// Clients compare tier names without case, so do we.
inline constexpr std::string_view tier_texts[] = {"Pro", "MarketMaker", "Unlimited"};
inline constexpr std::string_view tier_lower_texts[] = {"pro", "marketmaker", "unlimited"};
constexpr EnumNames enum_names(Tier) {
  return {"Tier", tier_texts, true};
}
inline constexpr EnumNames tier_lower{"TierLower", tier_lower_texts, true};

}  // namespace svc::api
