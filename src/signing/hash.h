// Digests of 32 bytes: Keccak-256 (the Ethereum one, padding 0x01) and SHA-256.
#pragma once

#include <nettle/sha3.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/secret.h"

namespace svc::signing {

using Hash32 = std::array<std::uint8_t, 32>;

[[nodiscard]] Hash32 keccak256(std::span<const std::uint8_t> bytes);
[[nodiscard]] Hash32 keccak256(std::string_view text);

[[nodiscard]] Hash32 sha256(std::span<const std::uint8_t> bytes);
[[nodiscard]] Hash32 sha256(std::string_view text);

// Keccak-256 of pieces: update as often as wanted, then finish once.
class Keccak256 {
 public:
  Keccak256() { sha3_256_init(&sponge_); }
  void update(std::span<const std::uint8_t> bytes);
  // The object must not be used afterwards.
  [[nodiscard]] Hash32 finish();

 private:
  Wiped<sha3_256_ctx> sponge_;  // it hashes keys, too
};

}  // namespace svc::signing
