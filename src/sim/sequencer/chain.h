// Checksums of a log: the chain of its entries, and the seals of what stands beside them. (docs/journal_format.md)
#pragma once

#include "sim/sequencer/command_log.h"

namespace svc::sim {

// The checksum that ties each entry of a log to all before it. A change within eight bytes is always
// noticed, any other but for one chance in 2^64. Not cryptographic: it finds damage, not forgery.
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

template <class... Part>
[[nodiscard]] constexpr std::uint64_t chained(std::uint64_t start, const Part&... parts) {
  Chain chain(start);
  (chain.add(parts), ...);
  return chain.value();
}

// The link of an entry, given the one before it.
[[nodiscard]] constexpr std::uint64_t next_link(std::uint64_t link, std::uint64_t position, TimestampMs at_ms,
                                                std::string_view unit) {
  return chained(link, position, static_cast<std::uint64_t>(at_ms), unit);
}

// Checksums of what stands in a log beside its entries. (docs/journal_format.md)
[[nodiscard]] inline std::uint64_t seal_of(const StateMark& mark) {
  return chained(1, mark.position, mark.state_hash);
}
[[nodiscard]] inline std::uint64_t seal_of(const Snapshot& snapshot) {
  return chained(2, snapshot.position, snapshot.image);
}

// The link before the first entry: the facts are part of the chain.
[[nodiscard]] inline std::uint64_t first_link(const LogFacts::Names& identity, const LogFacts::Names& opening) {
  Chain chain(3);
  for (const auto* names : {&identity, &opening}) {
    chain.add(names->size());
    for (const auto& [name, value] : *names) {
      chain.add(name);
      chain.add(value);
    }
  }
  return chain.value();
}

}  // namespace svc::sim
