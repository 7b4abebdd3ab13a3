// Flags that a command has without declaring them: --watch if it may be repeated, --sort if it prints a list.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/commands/listing.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// --watch[=S]: run it again and again.
struct RepeatFlag {
  std::optional<std::string> given;

  void declare(Arguments& arguments);
  // For commands that cannot be repeated.
  static void refuse(Arguments& arguments);
  // Milliseconds between two runs; exit 2 with one JSON document, which cannot be printed twice.
  [[nodiscard]] Result<std::int64_t, Failure> understand(const Globals& globals) const;
};

// The outcome of one run: its exit code, and the failure if there is one.
struct Round {
  int exit = 0;
  std::optional<Failure> failure{};
};

// Runs until a signal (exit 130 or 143), a permanent failure, or the end of the output's reader, and returns the last
// round. On a terminal each run replaces the output of the one before.
[[nodiscard]] Round run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<Round()>& once);

struct SharedFlags {
  RepeatFlag repeat;
  SortFlag sort;  // unused if the command sorts before it limits its rows

  // To be called after the command has declared its own.
  void declare(const CommandRow& row, Arguments& arguments);
};

}  // namespace svc::cli
