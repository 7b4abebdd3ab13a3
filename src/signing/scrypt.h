// scrypt (RFC 7914): a key from a password, at a cost in memory and time.
//
// By libsodium: OpenSSL refuses an n of 2^(16 r) and above, which some keystore files have, among them
// the published example. (D-008)
#pragma once

#include <cstdint>
#include <span>

#include "base/secret.h"

namespace svc::signing {

// Cost of guessing a password. Memory is 128 * r * n bytes.
struct ScryptCost {
  std::uint64_t n = 1 << 17;
  std::uint32_t r = 8;
  std::uint32_t p = 1;
};

inline constexpr ScryptCost scrypt_real_money{};              // about half a second, 128 MiB
inline constexpr ScryptCost scrypt_local_only{.n = 1 << 13};  // about 30 ms, 8 MiB

// n a power of two above 1, r and p not zero, memory and n * r * p within limits.h.
[[nodiscard]] bool is_acceptable(const ScryptCost& cost);

// Each parameter as it is or raised to that of `least`; where that is more than is accepted, `least`.
[[nodiscard]] ScryptCost raised(const ScryptCost& cost, const ScryptCost& least);

// Fills `key`. The cost must be acceptable. False if the machine lacks the memory.
[[nodiscard]] bool scrypt(const Secret& password, std::span<const std::uint8_t> salt, const ScryptCost& cost,
                          std::span<std::uint8_t> key);

}  // namespace svc::signing
