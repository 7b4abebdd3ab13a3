#include "signing/key.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>

#include "base/assert.h"
#include "base/encoding.h"

namespace svc::signing {
namespace {

constexpr std::uint8_t v_offset = 27;

// Created on first use and never changed afterwards, so any thread may read it.
const secp256k1_context* context() {
  static const secp256k1_context* made = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
  return made;
}

Address address_of(const secp256k1_pubkey& key) {
  std::array<std::uint8_t, 65> point;  // 0x04, x, y
  std::size_t size = point.size();
  secp256k1_ec_pubkey_serialize(context(), point.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
  const Hash32 digest = keccak256(std::span(point).subspan<1>());
  Address address;
  std::copy(digest.begin() + 12, digest.end(), address.bytes.begin());
  return address;
}

bool is_valid(const Signature& signature) {
  const std::uint8_t v = signature.bytes[64];
  return (v == v_offset || v == v_offset + 1) && has_low_s(signature.bytes);
}

}  // namespace

bool has_low_s(std::span<const std::uint8_t, 65> signature) {
  const auto s = signature.subspan<32, 32>();
  // (n - 1) / 2: above it, n - s would sign the same digest, so one signature would have two forms.
  static constexpr std::array<std::uint8_t, 32> half_order = {
      0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0x5d, 0x57, 0x6e, 0x73, 0x57, 0xa4, 0x50, 0x1d, 0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0};
  return !std::lexicographical_compare(half_order.begin(), half_order.end(), s.begin(), s.end());
}

std::optional<Signature> parse_signature(std::string_view text) {
  const auto bytes = from_hex_exact<65>(strip_0x(text));
  if (!bytes) return std::nullopt;
  Signature signature{*bytes};
  std::uint8_t& v = signature.bytes[64];
  if (v == 0 || v == 1) v = static_cast<std::uint8_t>(v + v_offset);
  return is_valid(signature) ? std::optional(signature) : std::nullopt;
}

std::string to_string(const Signature& signature) {
  return to_hex_0x(signature.bytes);
}

std::optional<PrivateKey> PrivateKey::from_hex(std::string_view text) {
  auto bytes = from_hex_exact<32>(strip_0x(text));
  if (!bytes) return std::nullopt;
  auto key = from_bytes(*bytes);
  wipe(bytes->data(), bytes->size());
  return key;
}

std::optional<PrivateKey> PrivateKey::from_bytes(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != 32) return std::nullopt;
  secp256k1_pubkey point;
  if (secp256k1_ec_pubkey_create(context(), &point, bytes.data()) != 1) return std::nullopt;
  PrivateKey key;
  std::copy(bytes.begin(), bytes.end(), key.bytes_.begin());
  std::size_t size = key.public_key_.size();
  secp256k1_ec_pubkey_serialize(context(), key.public_key_.data(), &size, &point, SECP256K1_EC_COMPRESSED);
  key.address_ = address_of(point);
  return key;
}

Signature PrivateKey::sign(const Hash32& digest) const {
  secp256k1_ecdsa_recoverable_signature made;
  // The library's default nonce is RFC 6979, and it always gives the low s.
  SVC_ASSERT(secp256k1_ecdsa_sign_recoverable(context(), &made, digest.data(), bytes_.data(), nullptr, nullptr) == 1);
  Signature signature;
  int recovery_id = 0;
  secp256k1_ecdsa_recoverable_signature_serialize_compact(context(), signature.bytes.data(), &recovery_id, &made);
  // Ids 2 and 3 need r above the field's excess over n: odds of one in 2^127, and no wallet can express them.
  SVC_ASSERT(recovery_id == 0 || recovery_id == 1);
  signature.bytes[64] = static_cast<std::uint8_t>(recovery_id + v_offset);
  return signature;
}

std::optional<PrivateKey> PrivateKey::tweaked(std::span<const std::uint8_t, 32> addend) const {
  auto bytes = bytes_;
  if (secp256k1_ec_seckey_tweak_add(context(), bytes.data(), addend.data()) != 1) return std::nullopt;
  return from_bytes(bytes);
}

std::optional<Address> recover(const Hash32& digest, const Signature& signature) {
  if (!is_valid(signature)) return std::nullopt;
  secp256k1_ecdsa_recoverable_signature parsed;
  const int recovery_id = signature.bytes[64] - v_offset;
  if (secp256k1_ecdsa_recoverable_signature_parse_compact(context(), &parsed, signature.bytes.data(), recovery_id) != 1)
    return std::nullopt;
  secp256k1_pubkey point;
  if (secp256k1_ecdsa_recover(context(), &point, &parsed, digest.data()) != 1) return std::nullopt;
  return address_of(point);
}

std::string checksum_address(const Address& address) {
  std::string text = to_string(address);
  const Hash32 hash = keccak256(std::string_view(text).substr(2));
  for (std::size_t i = 0; i < 40; ++i) {
    const int nibble = i % 2 == 0 ? hash[i / 2] >> 4 : hash[i / 2] & 15;
    if (nibble >= 8) text[i + 2] = upper_letter(text[i + 2]);
  }
  return text;
}

bool checksum_holds(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return false;
  const std::string_view digits = text.substr(2);
  const bool has_lower = digits.find_first_of("abcdef") != std::string_view::npos;
  const bool has_upper = digits.find_first_of("ABCDEF") != std::string_view::npos;
  return !(has_lower && has_upper) || checksum_address(*address) == text;
}

Hash32 personal_message_digest(std::string_view text) {
  Keccak256 hash;
  hash.update(
      as_bytes("\x19"
               "Ethereum Signed Message:\n"));
  hash.update(as_bytes(std::to_string(text.size())));
  hash.update(as_bytes(text));
  return hash.finish();
}

std::string login_message(std::string_view domain_name) {
  return "Sign in to " + std::string(domain_name);
}

}  // namespace svc::signing
