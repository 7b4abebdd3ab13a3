// Accounts that a test only has to tell apart.
#pragma once

#include "base/address.h"

namespace svc::sim {

[[nodiscard]] inline Address account_of(std::uint64_t number) {
  Address address;
  address.bytes.back() = static_cast<std::uint8_t>(number);
  return address;
}

}  // namespace svc::sim
