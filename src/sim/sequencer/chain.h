// The checksum that ties each entry of a journal to all before it. A change within eight bytes is always
// noticed, any other but for one chance in 2^64. Not cryptographic: it finds damage, not forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace svc::sim {

class Chain {
 public:
  explicit constexpr Chain(std::uint64_t start) : value_(start) {}

  constexpr void add(std::uint64_t word) {
    value_ = (value_ ^ word) * odd;  // for a given word, and for a given value, nothing is lost
    value_ ^= value_ >> 32;
  }
  constexpr void add(std::string_view bytes) {
    add(bytes.size());
    while (!bytes.empty()) {
      std::uint64_t word = 0;
      const std::size_t taken = bytes.size() < 8 ? bytes.size() : 8;
      for (std::size_t i = 0; i < taken; ++i)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
      add(word);
      bytes.remove_prefix(taken);
    }
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t odd = 0x9FB21C651E98DF25;

  std::uint64_t value_;
};

// The link of an entry, given the one before it.
[[nodiscard]] constexpr std::uint64_t next_link(std::uint64_t link, std::uint64_t position, TimestampMs at_ms,
                                                std::string_view unit) {
  Chain chain(link);
  chain.add(position);
  chain.add(static_cast<std::uint64_t>(at_ms));
  chain.add(unit);
  return chain.value();
}

}  // namespace svc::sim
