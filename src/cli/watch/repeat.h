// --watch[=S]: how things stand, again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/context.h"

namespace svc::cli {

struct RepeatFlag {
  std::optional<std::string> given;

  void declare(Arguments& arguments);
  // Milliseconds between two runs; exit 2 with one JSON document, which cannot be printed twice.
  [[nodiscard]] Result<std::int64_t, Failure> understand(const Globals& globals) const;
};

// Runs until a signal (exit 130 or 143), a failure that will not pass, or the end of the output's reader. On a terminal each
// run replaces what the one before it printed.
[[nodiscard]] int run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<int()>& once);

}  // namespace svc::cli
