#pragma once

#include "api/contract/declaration.h"

// The account tiers by name; api/tiers.h has their numbers.

namespace svc::api {

enum class Tier : std::uint8_t { pro, market_maker, unlimited };

// Clients compare tier names without case, and so does the server.
inline constexpr std::string_view tier_texts[] = {"Pro", "MarketMaker", "Unlimited"};
inline constexpr std::string_view tier_lower_texts[] = {"pro", "marketmaker", "unlimited"};
constexpr EnumNames enum_names(Tier) {
  return {.texts = tier_texts, .any_case = true};
}

SVC_RECORD(TierOverride,
    (Address, address, {}, "Account")
    (Tier, tier, = Tier::pro, "Tier"));

SVC_RECORD(TierRef, (Address, address, {}, "Account", .path()));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area admin{"admin"};

SVC_OPERATIONS(AdminOperations,
    (ListTiers, Empty, List<TierOverride>, admin, get, "list_tiers", "/admin/tiers", "List tier overrides", Auth::admin)
    (SetTier, TierOverride, TierOverride, admin, put, "set_tier", "/admin/tiers", "Set the tier of an account",
     "Unlimited is for gateways, never for a trading account: an account with funds, positions or orders is "
     "`unprocessable`, and one that has the tier takes no deposit, credit or transfer.", Auth::admin,
     refuses<unprocessable>)
    (ResetTier, TierRef, TierOverride, admin, del, "reset_tier", "/admin/tiers/{address}",
     "Put an account back to the default tier", Auth::admin, refuses<not_found>));

}  // namespace svc::api::ops
