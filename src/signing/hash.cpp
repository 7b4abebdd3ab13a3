#include "signing/hash.h"

#include <openssl/evp.h>

#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/hex.h"

namespace svc::signing {
namespace {

static_assert(std::endian::native == std::endian::little, "Keccak lanes are read as stored");

constexpr std::array<std::uint64_t, 24> round_constants = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

// One row of chi: five lanes in, five lanes of the next round out.
#define SVC_KECCAK_ROW(out, row, b0, b1, b2, b3, b4) \
  out[5 * row + 0] = b0 ^ (~b1 & b2);                \
  out[5 * row + 1] = b1 ^ (~b2 & b3);                \
  out[5 * row + 2] = b2 ^ (~b3 & b4);                \
  out[5 * row + 3] = b3 ^ (~b4 & b0);                \
  out[5 * row + 4] = b4 ^ (~b0 & b1)

// Written out, because the compiler keeps the lanes in registers only if every index is a literal.
inline void keccak_round(const std::uint64_t (&a)[25], std::uint64_t (&e)[25], std::uint64_t constant) {
  const std::uint64_t c0 = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];
  const std::uint64_t c1 = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];
  const std::uint64_t c2 = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];
  const std::uint64_t c3 = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];
  const std::uint64_t c4 = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];
  const std::uint64_t d0 = c4 ^ std::rotl(c1, 1);
  const std::uint64_t d1 = c0 ^ std::rotl(c2, 1);
  const std::uint64_t d2 = c1 ^ std::rotl(c3, 1);
  const std::uint64_t d3 = c2 ^ std::rotl(c4, 1);
  const std::uint64_t d4 = c3 ^ std::rotl(c0, 1);
  {
    const std::uint64_t b0 = a[0] ^ d0, b1 = std::rotl(a[6] ^ d1, 44), b2 = std::rotl(a[12] ^ d2, 43),
                        b3 = std::rotl(a[18] ^ d3, 21), b4 = std::rotl(a[24] ^ d4, 14);
    SVC_KECCAK_ROW(e, 0, b0, b1, b2, b3, b4);
    e[0] ^= constant;
  }
  {
    const std::uint64_t b0 = std::rotl(a[3] ^ d3, 28), b1 = std::rotl(a[9] ^ d4, 20), b2 = std::rotl(a[10] ^ d0, 3),
                        b3 = std::rotl(a[16] ^ d1, 45), b4 = std::rotl(a[22] ^ d2, 61);
    SVC_KECCAK_ROW(e, 1, b0, b1, b2, b3, b4);
  }
  {
    const std::uint64_t b0 = std::rotl(a[1] ^ d1, 1), b1 = std::rotl(a[7] ^ d2, 6), b2 = std::rotl(a[13] ^ d3, 25),
                        b3 = std::rotl(a[19] ^ d4, 8), b4 = std::rotl(a[20] ^ d0, 18);
    SVC_KECCAK_ROW(e, 2, b0, b1, b2, b3, b4);
  }
  {
    const std::uint64_t b0 = std::rotl(a[4] ^ d4, 27), b1 = std::rotl(a[5] ^ d0, 36), b2 = std::rotl(a[11] ^ d1, 10),
                        b3 = std::rotl(a[17] ^ d2, 15), b4 = std::rotl(a[23] ^ d3, 56);
    SVC_KECCAK_ROW(e, 3, b0, b1, b2, b3, b4);
  }
  {
    const std::uint64_t b0 = std::rotl(a[2] ^ d2, 62), b1 = std::rotl(a[8] ^ d3, 55), b2 = std::rotl(a[14] ^ d4, 39),
                        b3 = std::rotl(a[15] ^ d0, 41), b4 = std::rotl(a[21] ^ d1, 2);
    SVC_KECCAK_ROW(e, 4, b0, b1, b2, b3, b4);
  }
}

#undef SVC_KECCAK_ROW

void permute(std::array<std::uint64_t, 25>& lanes) {
  std::uint64_t a[25];
  std::uint64_t e[25];
  std::memcpy(a, lanes.data(), sizeof a);
  for (std::size_t round = 0; round < round_constants.size(); round += 2) {
    keccak_round(a, e, round_constants[round]);
    keccak_round(e, a, round_constants[round + 1]);
  }
  std::memcpy(lanes.data(), a, sizeof a);
}

}  // namespace

void Keccak256::update(std::span<const std::uint8_t> bytes) {
  auto* state = reinterpret_cast<std::uint8_t*>(lanes_.data());
  const std::uint8_t* next = bytes.data();
  std::size_t left = bytes.size();
  while (left > 0) {
    if (filled_ % 8 == 0 && left >= 8) {
      std::uint64_t lane;
      std::memcpy(&lane, next, 8);
      lanes_[filled_ / 8] ^= lane;
      filled_ += 8, next += 8, left -= 8;
    } else {
      state[filled_] = static_cast<std::uint8_t>(state[filled_] ^ *next);
      ++filled_, ++next, --left;
    }
    if (filled_ == rate_bytes) {
      permute(lanes_);
      filled_ = 0;
    }
  }
}

Hash32 Keccak256::finish() {
  auto* state = reinterpret_cast<std::uint8_t*>(lanes_.data());
  state[filled_] = static_cast<std::uint8_t>(state[filled_] ^ 0x01);
  state[rate_bytes - 1] = static_cast<std::uint8_t>(state[rate_bytes - 1] ^ 0x80);
  permute(lanes_);
  Hash32 digest;
  std::memcpy(digest.data(), lanes_.data(), digest.size());
  return digest;
}

Hash32 keccak256(std::span<const std::uint8_t> bytes) {
  Keccak256 hash;
  hash.update(bytes);
  return hash.finish();
}

Hash32 keccak256(std::string_view text) { return keccak256(as_bytes(text)); }

Hash32 sha256(std::span<const std::uint8_t> bytes) {
  // Fetched once: looking an algorithm up by name costs more than hashing a short text.
  static const EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Hash32 digest;
  unsigned int size = 0;
  SVC_ASSERT(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, algorithm, nullptr) == 1);
  SVC_ASSERT(size == digest.size());
  return digest;
}

Hash32 sha256(std::string_view text) { return sha256(as_bytes(text)); }

}  // namespace svc::signing
