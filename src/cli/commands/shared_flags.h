// Flags that a command takes for what it is, without declaring them: --watch of what shows how things stand, --sort of
// lists.
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

// --watch[=S]: how things stand, again and again.

struct RepeatFlag {
  std::optional<std::string> given;

  void declare(Arguments& arguments);
  // Of commands that are not repeated.
  static void refuse(Arguments& arguments);
  // Milliseconds between two runs; exit 2 with one JSON document, which cannot be printed twice.
  [[nodiscard]] Result<std::int64_t, Failure> understand(const Globals& globals) const;
};

// One of several runs: its exit code, and the failure behind it.
struct Round {
  int exit = 0;
  std::optional<Failure> failure{};
};

// Runs until a signal (exit 130 or 143), a failure that will not pass, or the end of the output's reader; the last
// round says which. On a terminal each run replaces what the one before it printed.
[[nodiscard]] Round run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<Round()>& once);

struct SharedFlags {
  RepeatFlag repeat;
  SortFlag sort;  // unused where the command sorts by itself, before it cuts its rows

  // After the command has declared its own.
  void declare(const CommandRow& row, Arguments& arguments);
};

}  // namespace svc::cli
