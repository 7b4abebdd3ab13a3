// Hierarchical keys (BIP-32), private side only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "signing/key.h"

namespace svc::signing {

// Added to a child's number to make it hardened.
inline constexpr std::uint32_t hardened = 0x8000'0000u;

class HdKey {
 public:
  // nullopt if the seed gives no key (odds of one in 2^127).
  [[nodiscard]] static std::optional<HdKey> from_seed(std::span<const std::uint8_t> seed);

  [[nodiscard]] std::optional<HdKey> child(std::uint32_t number) const;
  [[nodiscard]] const PrivateKey& key() const { return key_; }

  HdKey(const HdKey&) = default;
  HdKey& operator=(const HdKey&) = default;
  ~HdKey();

 private:
  HdKey(PrivateKey key, std::span<const std::uint8_t> chain_code);

  PrivateKey key_;
  std::array<std::uint8_t, 32> chain_code_{};
};

}  // namespace svc::signing
