// Flags that a command has without declaring them: --watch if it may be repeated, --sort if it prints a list.
#pragma once

#include "cli/commands/listing.h"

namespace svc::cli {

// The outcome of one run: its exit code, and the failure if there is one.
struct Round {
  int exit = 0;
  std::optional<Failure> failure{};
};

// Runs until a signal (exit 130 or 143), a permanent failure, or the end of the output's reader, and returns the last
// round. On a terminal each run replaces the output of the one before.
[[nodiscard]] Round run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<Round()>& once);

struct SharedFlags {
  std::optional<std::string> repeat;  // --watch[=S]: run it again and again
  SortFlag sort;                      // unused if the command sorts before it limits its rows

  // To be called after the command has declared its own. --watch is refused if the command cannot be repeated.
  void declare(const CommandRow& row, Arguments& arguments);
  // Milliseconds between two runs; exit 2 with one JSON document, which cannot be printed twice.
  [[nodiscard]] Result<std::int64_t, Failure> pause_ms(const Globals& globals) const;
};

}  // namespace svc::cli
