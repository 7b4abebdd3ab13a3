#pragma once

#include <cstdint>

#include "api/contract/scalars.h"
#include "api/operation.h"
#include "api/record.h"
#include "base/address.h"

// The account tiers by name; api/tiers.h has their numbers.

namespace svc::api {

enum class Tier : std::uint8_t { pro, market_maker, unlimited };

// Clients compare tier names without case, and so does the server.
inline constexpr std::string_view tier_texts[] = {"Pro", "MarketMaker", "Unlimited"};
inline constexpr std::string_view tier_lower_texts[] = {"pro", "marketmaker", "unlimited"};
constexpr EnumNames enum_names(Tier) {
  return {"Tier", tier_texts, true};
}
inline constexpr EnumNames tier_lower{"TierLower", tier_lower_texts, true};

// Account tiers as the operator sets them.

struct TierOverride {
  Address address{};
  Tier tier = Tier::pro;

  static constexpr FieldInfo fields[] = {field<&TierOverride::address>("address", "Account"),
                                         field<&TierOverride::tier>("tier", "Tier")};
};

struct TierRef {
  Address address{};

  static constexpr FieldInfo fields[] = {field<&TierRef::address>("address", "Account").path()};
};

}  // namespace svc::api

// Account tiers; these operations require the operator's secret.

namespace svc::api::ops {

struct ListTiers {
  using Request = Empty;
  using Response = List<TierOverride>;
  static constexpr OperationError errors[] = {ErrorCode::forbidden};
  static constexpr Operation op{.name = "list_tiers",
                                .group = "admin",
                                .method = Method::get,
                                .path = "/admin/tiers",
                                .summary = "List tier overrides",
                                .auth = Auth::admin,
                                .errors = errors};
};

struct SetTier {
  using Request = TierOverride;
  using Response = TierOverride;
  static constexpr OperationError errors[] = {ErrorCode::forbidden, ErrorCode::unprocessable};
  static constexpr Operation op{.name = "set_tier",
                                .group = "admin",
                                .method = Method::put,
                                .path = "/admin/tiers",
                                .summary = "Set the tier of an account",
                                .detail =
                                    "Unlimited is for gateways, never for a trading account: an account with funds, "
                                    "positions or orders is `unprocessable`, and one that has the tier takes no "
                                    "deposit, credit or transfer.",
                                .auth = Auth::admin,
                                .errors = errors};
};

struct ResetTier {
  using Request = TierRef;
  using Response = TierOverride;
  static constexpr OperationError errors[] = {ErrorCode::forbidden, ErrorCode::not_found};
  static constexpr Operation op{.name = "reset_tier",
                                .group = "admin",
                                .method = Method::del,
                                .path = "/admin/tiers/{address}",
                                .summary = "Put an account back to the default tier",
                                .auth = Auth::admin,
                                .errors = errors};
};

}  // namespace svc::api::ops
