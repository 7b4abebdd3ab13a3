// Account tiers; the operator's secret is required.
#pragma once

#include "api/operation.h"
#include "api/records/admin.h"

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
