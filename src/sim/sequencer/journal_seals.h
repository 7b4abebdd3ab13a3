// Checksums of what stands in a journal beside its entries. (docs/journal_format.md)
#pragma once

#include <cstdint>

#include "sim/sequencer/chain.h"
#include "sim/sequencer/journal.h"

namespace svc::sim {

[[nodiscard]] inline std::uint64_t seal_of(const StateMark& mark) {
  Chain chain(1);
  chain.add(mark.position);
  chain.add(mark.state_hash);
  return chain.value();
}

[[nodiscard]] inline std::uint64_t seal_of(const Snapshot& snapshot) {
  Chain chain(2);
  chain.add(snapshot.position);
  chain.add(snapshot.image);
  return chain.value();
}

// The link before the first entry: the facts are part of the chain.
[[nodiscard]] inline std::uint64_t first_link(const JournalFacts::Names& identity, const JournalFacts::Names& opening) {
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
