#include "cli/commands/shared_flags.h"

#include "cli/client/watch_loop.h"
#include "cli/commands/output_shape.h"

namespace svc::cli {

void SharedFlags::declare(const CommandRow& row, Arguments& arguments) {
  if (row.repeats != Repeats::yes)
    return arguments.refused("--watch", "only commands that show how things stand are repeated");
  if (arguments.find_flag("--sort") == nullptr && prints_list(row.path)) sort.declare(arguments);
  static_assert(watch_limits::repeat_ms_default == 2'000);
  arguments.text_or("--watch", repeat, "2", "S", "show it again every S seconds (default 2) until Ctrl-C");
}

Result<std::int64_t, Failure> SharedFlags::pause_ms(const Globals& globals) const {
  if (globals.format == Format::json)
    return unexpected(usage_error("--watch and one JSON document exclude each other; use -o ndjson"));
  if (globals.dry_run) return unexpected(usage_error("--watch and --dry-run exclude each other"));
  const auto ms = parse_scaled(*repeat, 3);
  if (!ms || *ms < watch_limits::repeat_ms_min || *ms > limits::request_timeout_ms_max)
    return unexpected(usage_error("--watch must be seconds from 0.1 to ", limits::request_timeout_ms_max / 1'000,
                                  ", not \"", *repeat, "\""));
  return *ms;
}

namespace {

// On a terminal each picture replaces the one before, on a screen of its own; the last one stays at the end.
class SamePlace {
 public:
  explicit SamePlace(Environment& environment)
      : environment_(environment),
        out_(environment.out),
        err_(environment.err),
        moves_(environment.out_is_terminal && environment.terminal_draws()) {
    if (!moves_) return;
    environment_.out = [this](std::string_view text) {
      picture_ += text;
      return Written::whole;
    };
    environment_.err = [this](std::string_view text) { trouble_ += text; };
    static_cast<void>(out_("\x1b[?1049h"));
  }
  ~SamePlace() {
    if (!moves_) return;
    environment_.out = out_;
    environment_.err = err_;
    static_cast<void>(out_("\x1b[?1049l" + picture_));
    err_(trouble_);
  }
  SamePlace(const SamePlace&) = delete;
  SamePlace& operator=(const SamePlace&) = delete;

  Round show(const std::function<Round()>& once) {
    if (!moves_) return once();
    picture_.clear();
    trouble_.clear();
    Round round = once();
    std::string text = "\x1b[H";
    for (const char c : picture_ + trouble_) text += c == '\n' ? std::string("\x1b[K\n") : std::string(1, c);
    if (out_(text + "\x1b[J") != Written::whole) round.exit = static_cast<int>(ExitCode::broken_pipe);
    return round;
  }

 private:
  Environment& environment_;
  std::function<Written(std::string_view)> out_;
  std::function<void(std::string_view)> err_;
  bool moves_;
  std::string picture_{};
  std::string trouble_{};
};

bool may_pass(int exit) {
  return exit == code_of(ExitCode::success) || exit == code_of(ExitCode::unavailable) ||
         exit == code_of(ExitCode::rate_limited);
}

}  // namespace

Round run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<Round()>& once) {
  const StopSignals signals(context.environment());
  Environment& environment = context.environment();
  SamePlace place(environment);
  for (;;) {
    Round round = place.show(once);
    if (!may_pass(round.exit)) return round;
    for (std::int64_t left_ms = pause_ms;; left_ms -= watch_limits::look_ms) {
      if (const auto signal = signals.came()) return {code_of(*signal), stopped_by(*signal)};
      if (environment.out("") == Written::reader_gone) return {.exit = code_of(ExitCode::broken_pipe)};
      if (left_ms <= 0) break;
      environment.sleep_ms(std::min(left_ms, watch_limits::look_ms));
    }
  }
}

}  // namespace svc::cli
