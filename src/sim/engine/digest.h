// What the hashes of states and images are made of.
#pragma once

#include <cstdint>
#include <string_view>

namespace svc::engine {

// A 64-bit fold over values in a given order, the same on every platform. Not cryptographic: it tells two states
// apart but does not resist an adversary.
class Digest {
 public:
  explicit constexpr Digest(std::uint64_t seed = 0) : value_(seed ^ golden) {}

  constexpr void add(std::uint64_t bits) {
    value_ ^= bits + golden + (value_ << 6);
    value_ *= multiplier;
    value_ ^= value_ >> 32;
  }
  constexpr void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  // Eight bytes at a time, lowest first: for long texts.
  constexpr void add_bytes(std::string_view bytes) {
    add(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      const std::size_t size = bytes.size() - at < 8 ? bytes.size() - at : 8;
      for (std::size_t i = 0; i < size; ++i)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
      add(word);
    }
  }

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  static constexpr std::uint64_t multiplier = 0xD6E8FEB86659FD93;

  std::uint64_t value_;
};

[[nodiscard]] constexpr std::uint64_t digest_of(std::string_view bytes) {
  Digest digest;
  digest.add_bytes(bytes);
  return digest.value();
}

}  // namespace svc::engine
