#include "signing/hash.h"

#include <nettle/sha2.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/hex.h"
#include "signing/keccak_permutation.h"

namespace svc::signing {
namespace {

static_assert(std::endian::native == std::endian::little, "Keccak lanes are read as stored");

constexpr std::size_t rate_bytes = 136;

// At most four texts, each shorter than a block.
void digest_four(std::span<const std::string_view> texts, std::span<Hash32> digests) {
  FourKeccakStates states;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::array<std::uint64_t, rate_bytes / 8> block{};
    auto* bytes = reinterpret_cast<std::uint8_t*>(block.data());
    std::copy(texts[i].begin(), texts[i].end(), bytes);
    bytes[texts[i].size()] ^= 0x01;
    bytes[rate_bytes - 1] ^= 0x80;
    for (std::size_t word = 0; word < block.size(); ++word) states.words[word][i] = block[word];
  }
  permute(states);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::array<std::uint64_t, 4> words;
    for (std::size_t word = 0; word < words.size(); ++word) words[word] = states.words[word][i];
    std::memcpy(digests[i].data(), words.data(), digests[i].size());
  }
}

}  // namespace

void Keccak256::update(std::span<const std::uint8_t> bytes) {
  auto* bytes_of_state = reinterpret_cast<std::uint8_t*>(state_.data());
  const std::uint8_t* next = bytes.data();
  std::size_t left = bytes.size();
  while (left > 0) {
    if (filled_ % 8 == 0 && left >= 8) {
      std::uint64_t lane;
      std::memcpy(&lane, next, 8);
      state_[filled_ / 8] ^= lane;
      filled_ += 8, next += 8, left -= 8;
    } else {
      bytes_of_state[filled_] ^= *next;
      ++filled_, ++next, --left;
    }
    if (filled_ == rate_bytes) {
      permute(state_);
      filled_ = 0;
    }
  }
}

Hash32 Keccak256::finish() {
  auto* bytes_of_state = reinterpret_cast<std::uint8_t*>(state_.data());
  bytes_of_state[filled_] ^= 0x01;
  bytes_of_state[rate_bytes - 1] ^= 0x80;
  permute(state_);
  Hash32 digest;
  std::memcpy(digest.data(), state_.data(), digest.size());
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

void keccak256_each(std::span<const std::string_view> texts, std::span<Hash32> digests) {
  SVC_ASSERT(texts.size() == digests.size());
  // Texts that fit no block go alone; the others wait until there are four.
  std::array<std::string_view, 4> waiting;
  std::array<std::size_t, 4> places{};
  std::size_t count = 0;
  const auto flush = [&] {
    std::array<Hash32, 4> hashed;
    digest_four(std::span(waiting).first(count), hashed);
    for (std::size_t i = 0; i < count; ++i) digests[places[i]] = hashed[i];
    count = 0;
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].size() >= rate_bytes) {
      digests[i] = keccak256(texts[i]);
      continue;
    }
    waiting[count] = texts[i];
    places[count++] = i;
    if (count == waiting.size()) flush();
  }
  if (count == 1) digests[places[0]] = keccak256(waiting[0]);
  if (count > 1) flush();
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
