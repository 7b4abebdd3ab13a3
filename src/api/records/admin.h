// Account tiers as the operator sets them.
#pragma once

#include "api/record.h"
#include "api/records/page.h"
#include "api/records/tier.h"
#include "base/address.h"

namespace svc::api {

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
