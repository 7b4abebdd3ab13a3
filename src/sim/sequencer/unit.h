// What is logged as one piece and happens as one: a command of the engine, if there is one, and what
// services changed with it. After a crash all of it is there or none. (docs/journal_format.md)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/archive.h"
#include "sim/engine/commands.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

using CommandBody = decltype(engine::Command::body);

struct Unit {
  std::optional<CommandBody> command{};
  RecordBatch records{};
  RecordBatch records_if_applied{};  // count only if the engine accepts the command
  // In place of all this: everything becomes what the image says, whatever was before (exchange.h). (D-022)
  std::optional<std::string> image{};
};

// Whether what the command calls things can be told to others. A log and a tape come from outside.
[[nodiscard]] bool has_good_texts(const CommandBody& command);

// Appends the unit's bytes.
void write_unit(ArchiveWriter& writer, const Unit& unit);
// nullopt unless the bytes hold exactly one unit.
[[nodiscard]] std::optional<Unit> read_unit(std::string_view bytes);

}  // namespace svc::sim
