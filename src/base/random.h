#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc {

// Cryptographically strong randomness of the operating system; aborts if there is none. Only the edges of the program
// call these; everything else takes random bytes as an argument. At most 256 bytes at once.
void fill_random(std::span<std::uint8_t> bytes);
[[nodiscard]] std::uint64_t random_number();
// The digits of so many bytes.
[[nodiscard]] std::string random_hex(std::size_t bytes);

// One step of splitmix64; advances the state.
[[nodiscard]] std::uint64_t splitmix64(std::uint64_t& state);

// FNV-1a, 64 bits: stable across platforms and versions (persisted seeds depend on it).
[[nodiscard]] std::uint64_t hash64(std::string_view text);

// Reproducible randomness: xoshiro256** seeded by splitmix64, integers only.
//
// Each consumer draws from a named stream, so adding one consumer does not shift the numbers
// of another: stream = splitmix64(master_seed ^ hash64(name)).
class Prng {
 public:
  explicit Prng(std::uint64_t seed);
  Prng(std::uint64_t master_seed, std::string_view stream) : Prng(master_seed ^ hash64(stream)) {}

  [[nodiscard]] std::uint64_t next();
  // Uniform in [0, bound); bound > 0. No modulo bias.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  // Uniform in [low, high], both included.
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high);

  // The state of the stream.
  template <class Archive>
  void archive(Archive& archive) {
    archive(state_);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

// UUIDs formed from counters, so that a replayed engine produces the same ids.
//
// Shape: KKKK0000-HHHH-4000-8000-LLLLLLLLLLLL with K the kind, H the high 16 and L the low 48 bits of the counter.
// Version 4 and variant bits are set, so any UUID parser accepts them.
enum class UuidKind : std::uint16_t { order = 1, trade = 2, fill = 3, transfer = 4, deposit = 5 };
inline constexpr std::size_t uuid_chars = 36;
[[nodiscard]] std::string make_uuid(UuidKind kind, std::uint64_t counter);
// Writes the same text at `to`, and returns where it ends.
char* write_uuid(char* to, UuidKind kind, std::uint64_t counter);
template <UuidKind kind>
char* write_uuid(char* to, std::uint64_t counter) {
  return write_uuid(to, kind, counter);
}
// The counter of a UUID that make_uuid made for this kind; nullopt for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_uuid(UuidKind kind, std::string_view text);

}  // namespace svc
