#include "base/random.h"

#include <unistd.h>

#include <bit>
#include <charconv>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/secret.h"
#include "base/text.h"

namespace svc {

void fill_random(std::span<std::uint8_t> bytes) {
  SVC_ASSERT(::getentropy(bytes.data(), bytes.size()) == 0);
}

std::uint64_t random_number() {
  std::array<std::uint8_t, 8> bytes{};
  fill_random(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

std::string random_hex(std::size_t bytes) {
  Bytes drawn(bytes);
  fill_random(drawn);
  std::string digits = to_hex(drawn);
  wipe(drawn.data(), drawn.size());
  return digits;
}

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t hash64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

Prng::Prng(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix64(seed);
}

std::uint64_t Prng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Prng::below(std::uint64_t bound) {
  SVC_ASSERT(bound > 0);
  const std::uint64_t reject_below = -bound % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t draw = next();
    if (draw >= reject_below) return draw % bound;
  }
}

std::int64_t Prng::between(std::int64_t low, std::int64_t high) {
  SVC_ASSERT(low <= high);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = span == 0 ? next() : below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

// The kind, zeros, the counter's upper 16 bits, version and variant, its lower 48 bits.
char* write_uuid(char* to, UuidKind kind, std::uint64_t counter) {
  constexpr std::string_view of_zero = "00000000-0000-4000-8000-000000000000";
  constexpr int lower_bits = 48;
  of_zero.copy(to, of_zero.size());
  write_hex_before(to + 4, static_cast<std::uint64_t>(kind));
  write_hex_before(to + 13, counter >> lower_bits);
  write_hex_before(to + uuid_chars, counter & ((std::uint64_t{1} << lower_bits) - 1));
  return to + uuid_chars;
}

std::string make_uuid(UuidKind kind, std::uint64_t counter) {
  std::string text(uuid_chars, '\0');
  write_uuid(text.data(), kind, counter);
  return text;
}

std::optional<std::uint64_t> parse_uuid(UuidKind kind, std::string_view text) {
  if (text.size() != uuid_chars) return std::nullopt;
  const std::string lower = lower_case(text);
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::from_chars(lower.data() + 9, lower.data() + 13, high, 16);
  std::from_chars(lower.data() + 24, lower.data() + 36, low, 16);
  const std::uint64_t counter = high << 48 | low;
  if (make_uuid(kind, counter) != lower) return std::nullopt;
  return counter;
}

}  // namespace svc
