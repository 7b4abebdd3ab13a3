// secp256k1 keys and recoverable signatures over 32-byte digests.
//
// Signatures are deterministic (RFC 6979) and have a low s (EIP-2): one key and one digest give one signature. All
// functions may be called from several threads at once.
#pragma once

#include <optional>
#include <string>

#include "base/address.h"
#include "base/secret.h"
#include "signing/hash.h"

namespace svc::signing {

// r (32 bytes), s (32), v (1: 27 or 28).
struct Signature {
  std::array<std::uint8_t, 65> bytes{};

  bool operator==(const Signature&) const = default;
};

// Whether s is at most half the order of the group: a higher one is the twin of a lower one. (EIP-2)
[[nodiscard]] bool has_low_s(std::span<const std::uint8_t, 65> signature);

// 130 hex digits of any case, 0x optional. v of 0 and 1 becomes 27 and 28; any other v, or a high s, is refused.
[[nodiscard]] std::optional<Signature> parse_signature(std::string_view text);
// 0x and 130 lower-case hex digits.
[[nodiscard]] std::string to_string(const Signature& signature);

class PrivateKey {
 public:
  // 64 hex digits of any case, 0x optional. nullopt otherwise, or unless 0 < key < n.
  [[nodiscard]] static std::optional<PrivateKey> from_hex(std::string_view text);
  // nullopt unless there are 32 bytes and 0 < key < n.
  [[nodiscard]] static std::optional<PrivateKey> from_bytes(std::span<const std::uint8_t> bytes);

  [[nodiscard]] const Address& address() const { return address_; }
  [[nodiscard]] Signature sign(const Hash32& digest) const;

  // 0x02 or 0x03, then x.
  [[nodiscard]] const std::array<std::uint8_t, 33>& compressed_public_key() const { return public_key_; }
  // This key plus `addend` modulo the group's order; nullopt if that is not a key, or `addend` is not below the
  // order.
  [[nodiscard]] std::optional<PrivateKey> tweaked(std::span<const std::uint8_t, 32> addend) const;

  // For sealing and export only.
  [[nodiscard]] std::span<const std::uint8_t, 32> reveal() const { return bytes_; }
  // 0x and 64 lower-case hex digits.
  [[nodiscard]] Secret to_hex() const { return Secret(to_hex_0x(bytes_)); }

 private:
  PrivateKey() = default;

  Wiped<std::array<std::uint8_t, 32>> bytes_;
  std::array<std::uint8_t, 33> public_key_{};
  Address address_;
};

// The signer; nullopt if the signature is invalid: v not 27 or 28, high s, r or s out of range.
[[nodiscard]] std::optional<Address> recover(const Hash32& digest, const Signature& signature);

// 0x and 40 hex digits whose letter case carries a checksum (EIP-55), as wallets show addresses.
[[nodiscard]] std::string checksum_address(const Address& address);
// True if the letters of the text (0x and 40 hex digits) are all of one case, so it has no checksum, or its
// checksum is right.
[[nodiscard]] bool checksum_holds(std::string_view text);

// Text signed by a wallet (EIP-191 personal_sign):
// keccak256(0x19 "Ethereum Signed Message:" LF, byte length in decimal, text).
[[nodiscard]] Hash32 personal_message_digest(std::string_view text);
// The only text that POST /auth/login accepts: "Sign in to <domain name>".
[[nodiscard]] std::string login_message(std::string_view domain_name);

}  // namespace svc::signing
