// What is logged and applied as one: after a crash all of it is there or none. (docs/journal_format.md)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/archive.h"
#include "sim/engine/commands.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/services/service_commands.h"

namespace svc::sim {

// Valid times of a unit: clocks end with the year 9999.
[[nodiscard]] constexpr bool is_log_time(TimestampMs at_ms) {
  return at_ms >= 0 && at_ms <= limits::clock_ms_max;
}

// Time passes, and nothing else happens.
struct TimeAlone {};

// A word to the simulated traders, in their own archive: bots on or off, a drill, a walk of a price. (D-390)
struct ActorOrder {
  std::string order{};
};

// Replaces the whole state by the image (exchange.h). (D-022)
struct Image {
  std::string bytes{};
};

// What an actor remembers under that key from now on.
struct ActorMemory {
  std::string key{};
  std::string value{};
};
using ActorMemories = std::vector<ActorMemory>;

// The order is part of the journal format: append, never reorder.
using UnitBody = std::variant<TimeAlone, CommandBody, ServiceCommand, ActorOrder, ClockAnchor, Image>;

// Which request of which process brought a unit to the node that writes. It tells that process what became of the
// request, and has no effect on the state.
struct UnitOrigin {
  std::uint64_t process = 0;  // drawn at its start; 0: the one that writes
  std::uint64_t request = 0;

  auto operator<=>(const UnitOrigin&) const = default;
};

struct Unit {
  // Spent in any case. If one of them was spent before, the body does not happen.
  SpentNonces nonces{};
  UnitBody body{};
  ActorMemories memories{};
  UnitOrigin origin{};  // kept beside the unit, by logs that several processes read
  Entitlements by{};    // or the body does not happen. Not logged: a unit whose body is logged was entitled to it

  SVC_KEEPS(nonces, body, memories);
};

// Whether all texts are valid UTF-8 and can be sent out, and all numbers are usual. Logs and tapes come from outside,
// so the writer takes nothing else either.
[[nodiscard]] bool is_usual(const CommandBody& command);
[[nodiscard]] bool is_usual(const Unit& unit);

}  // namespace svc::sim

// Compiled once, in unit.cpp.
namespace svc {

extern template std::string to_archive(const sim::Unit& unit);
extern template std::optional<sim::Unit> from_archive(std::string_view bytes);
extern template std::string to_archive(const sim::CommandBody& command);
extern template std::optional<sim::CommandBody> from_archive(std::string_view bytes);

}  // namespace svc
