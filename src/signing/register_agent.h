// The struct by which an account's owner makes a key its agent (POST /agents/register). Signed under a
// registration domain; see domain.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/address.h"
#include "signing/hash.h"

namespace svc::signing {

struct RegisterAgent {
  static constexpr std::string_view type = "RegisterAgent(address agent,uint64 expiresAt,uint64 nonce)";

  Address agent;
  std::uint64_t expires_at_ms = 0;
  std::uint64_t nonce = 0;
};

[[nodiscard]] Hash32 struct_hash(const RegisterAgent& registration);

}  // namespace svc::signing
