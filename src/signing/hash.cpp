#include "signing/hash.h"

#include <nettle/sha2.h>
#include <bit>
#include <cstring>

#include "base/encoding.h"

namespace svc::signing {

static_assert(std::endian::native == std::endian::little, "Digests are read as nettle stores them");

void Keccak256::update(std::span<const std::uint8_t> bytes) {
  sha3_256_update(&sponge_, bytes.size(), bytes.data());
}

// SHA-3 differs only in how it pads the last block, so the padding is absorbed like the text before it.
Hash32 Keccak256::finish() {
  std::array<std::uint8_t, SHA3_256_BLOCK_SIZE> padding{0x01};
  const std::size_t left = padding.size() - sponge_.index;
  padding[left - 1] |= 0x80;
  update(std::span(padding).first(left));
  Hash32 digest;
  std::memcpy(digest.data(), sponge_.state.a, digest.size());
  return digest;
}

Hash32 keccak256(std::span<const std::uint8_t> bytes) {
  Keccak256 hash;
  hash.update(bytes);
  return hash.finish();
}

Hash32 keccak256(std::string_view text) {
  return keccak256(as_bytes(text));
}

Hash32 sha256(std::span<const std::uint8_t> bytes) {
  sha256_ctx hash;
  Hash32 digest;
  sha256_init(&hash);
  sha256_update(&hash, bytes.size(), bytes.data());
  sha256_digest(&hash, digest.size(), digest.data());
  return digest;
}

Hash32 sha256(std::string_view text) {
  return sha256(as_bytes(text));
}

}  // namespace svc::signing
