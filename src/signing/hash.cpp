#include "signing/hash.h"

#include <nettle/sha2.h>
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/encoding.h"

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
  // Texts longer than a block are hashed alone; the others are collected in groups of four.
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

#if defined(__x86_64__)
#include <sys/platform/x86.h>
#endif

// The vector type below is used only in this file, so its calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace svc::signing {
namespace {

// Four words of four states, in one register where available.
using FourWords = std::uint64_t __attribute__((vector_size(32)));

constexpr std::uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

// Inlined into each variant below, and compiled for the instructions of each.
#define SVC_INLINE __attribute__((always_inline)) inline

template <int bits, class Word>
SVC_INLINE Word rotate(Word word) {
  return (word << bits) | (word >> (64 - bits));
}

// One row of chi: five words in, five words of the next round out.
template <int row, class Word>
SVC_INLINE void chi(Word (&e)[25], Word b0, Word b1, Word b2, Word b3, Word b4) {
  e[5 * row + 0] = b0 ^ (~b1 & b2);
  e[5 * row + 1] = b1 ^ (~b2 & b3);
  e[5 * row + 2] = b2 ^ (~b3 & b4);
  e[5 * row + 3] = b3 ^ (~b4 & b0);
  e[5 * row + 4] = b4 ^ (~b0 & b1);
}

// Unrolled, because the compiler keeps words in registers only if every index is a literal.
template <class Word>
SVC_INLINE void round(const Word (&a)[25], Word (&e)[25], std::uint64_t constant) {
  const Word c0 = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];
  const Word c1 = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];
  const Word c2 = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];
  const Word c3 = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];
  const Word c4 = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];
  const Word d0 = c4 ^ rotate<1>(c1);
  const Word d1 = c0 ^ rotate<1>(c2);
  const Word d2 = c1 ^ rotate<1>(c3);
  const Word d3 = c2 ^ rotate<1>(c4);
  const Word d4 = c3 ^ rotate<1>(c0);
  chi<0, Word>(e, a[0] ^ d0, rotate<44>(a[6] ^ d1), rotate<43>(a[12] ^ d2), rotate<21>(a[18] ^ d3),
               rotate<14>(a[24] ^ d4));
  e[0] ^= constant;
  chi<1, Word>(e, rotate<28>(a[3] ^ d3), rotate<20>(a[9] ^ d4), rotate<3>(a[10] ^ d0), rotate<45>(a[16] ^ d1),
               rotate<61>(a[22] ^ d2));
  chi<2, Word>(e, rotate<1>(a[1] ^ d1), rotate<6>(a[7] ^ d2), rotate<25>(a[13] ^ d3), rotate<8>(a[19] ^ d4),
               rotate<18>(a[20] ^ d0));
  chi<3, Word>(e, rotate<27>(a[4] ^ d4), rotate<36>(a[5] ^ d0), rotate<10>(a[11] ^ d1), rotate<15>(a[17] ^ d2),
               rotate<56>(a[23] ^ d3));
  chi<4, Word>(e, rotate<62>(a[2] ^ d2), rotate<55>(a[8] ^ d3), rotate<39>(a[14] ^ d4), rotate<41>(a[15] ^ d0),
               rotate<2>(a[21] ^ d1));
}

template <class Word>
SVC_INLINE void permute_words(void* state) {
  Word a[25];
  Word e[25];
  std::memcpy(a, state, sizeof a);
  for (int i = 0; i < 24; i += 2) {
    round<Word>(a, e, round_constants[i]);
    round<Word>(e, a, round_constants[i + 1]);
  }
  std::memcpy(state, a, sizeof a);
}

using Permutation = void (*)(void*);

void one_plain(void* state) {
  permute_words<std::uint64_t>(state);
}
void four_plain(void* states) {
  permute_words<FourWords>(states);
}

#if defined(__x86_64__)
__attribute__((target("bmi,bmi2"))) void one_bmi(void* state) {
  permute_words<std::uint64_t>(state);
}
__attribute__((target("avx2"))) void four_avx2(void* states) {
  permute_words<FourWords>(states);
}
__attribute__((target("avx512f,avx512vl"))) void four_avx512(void* states) {
  permute_words<FourWords>(states);
}

// The C library already knows the processor's features. The compiler's own check would run at every start of the
// program, and is slow in virtual machines.
Permutation choose_one() {
  return CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) ? one_bmi : one_plain;
}
Permutation choose_four() {
  if (CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512VL)) return four_avx512;
  return CPU_FEATURE_ACTIVE(AVX2) ? four_avx2 : four_plain;
}
#else
Permutation choose_one() {
  return one_plain;
}
Permutation choose_four() {
  return four_plain;
}
#endif

#undef SVC_INLINE

}  // namespace

void permute(KeccakState& state) {
  static const Permutation chosen = choose_one();
  chosen(state.data());
}

void permute(FourKeccakStates& states) {
  static const Permutation chosen = choose_four();
  chosen(states.words.data());
}

}  // namespace svc::signing
