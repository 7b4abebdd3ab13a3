// Hashes an EIP-712 struct member by member, in the order of its type.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/address.h"
#include "base/hex.h"
#include "signing/hash.h"
#include "signing/uint256.h"

namespace svc::signing {

class StructEncoder {
 public:
  explicit StructEncoder(const Hash32& type_hash) { word(type_hash); }

  // 32 bytes as they are: a nested struct's hash, an array's hash, bytes32.
  StructEncoder& word(const Hash32& bytes) {
    hash_.update(bytes);
    return *this;
  }
  StructEncoder& text(std::string_view value) { return word(hash_of_text(value)); }
  StructEncoder& integer(const Uint256& value) { return word(value.big_endian); }
  StructEncoder& boolean(bool value) { return integer(value ? 1u : 0u); }
  StructEncoder& address(const Address& value) {
    static constexpr std::array<std::uint8_t, 12> padding{};
    hash_.update(padding);
    hash_.update(value.bytes);
    return *this;
  }

  [[nodiscard]] Hash32 finish() { return hash_.finish(); }

 private:
  // Most members of an order are absent, and absent signs as "".
  static Hash32 hash_of_text(std::string_view value) {
    static const Hash32 hash_of_nothing = keccak256(std::string_view{});
    return value.empty() ? hash_of_nothing : keccak256(value);
  }

  Keccak256 hash_;
};

}  // namespace svc::signing
