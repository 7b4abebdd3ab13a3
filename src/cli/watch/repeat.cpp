#include "cli/watch/repeat.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/limits.h"
#include "cli/watch/stop_signals.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

bool may_pass(int exit) {
  return exit == static_cast<int>(ExitCode::success) || exit == static_cast<int>(ExitCode::unavailable) ||
         exit == static_cast<int>(ExitCode::rate_limited);
}

}  // namespace

void RepeatFlag::declare(Arguments& arguments) {
  static_assert(watch_limits::repeat_ms_default == 2'000);
  arguments.text_or("--watch", given, "2", "S", "show it again every S seconds (default 2) until Ctrl-C");
}

Result<std::int64_t, Failure> RepeatFlag::understand(const Globals& globals) const {
  if (globals.format == Format::json) {
    return unexpected(usage_error("--watch and one JSON document exclude each other; use -o ndjson"));
  }
  if (globals.dry_run) return unexpected(usage_error("--watch and --dry-run exclude each other"));
  const auto ms = parse_scaled(*given, 3);
  if (!ms || *ms < watch_limits::repeat_ms_min || *ms > limits::request_timeout_ms_max) {
    return unexpected(usage_error("--watch must be seconds from 0.1 to " +
                                  std::to_string(limits::request_timeout_ms_max / 1'000) + ", not \"" + *given + "\""));
  }
  return *ms;
}

int run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<int()>& once) {
  const StopSignals signals;
  Environment& environment = context.environment();
  for (;;) {
    if (environment.out_is_terminal) static_cast<void>(environment.out("\x1b[H\x1b[2J\x1b[3J"));
    const int exit = once();
    if (!may_pass(exit)) return exit;
    for (std::int64_t left_ms = pause_ms; left_ms > 0; left_ms -= watch_limits::look_ms) {
      if (const auto signal = signals.came()) return static_cast<int>(*signal);
      if (environment.interrupted()) return static_cast<int>(ExitCode::interrupted);
      environment.sleep_ms(std::min(left_ms, watch_limits::look_ms));
    }
  }
}

}  // namespace svc::cli
