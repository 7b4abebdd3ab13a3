// What a command ended with, on the two streams, in the format that was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/client/context.h"
#include "cli/terminal/render.h"

namespace svc::cli {

// What the flags and the terminal ask for. Exit 2 for an expression, a template or a zone that is none: found
// before the command runs, so that no write is sent whose answer could not be shown.
[[nodiscard]] Result<Presentation, Failure> presentation_of(const Globals& globals, const Environment& environment,
                                                            const ShellSession* shell_session = nullptr);

// Exit 2 for names of --fields and --template that the command cannot have. A dry run shows a plan instead, of which
// nothing is known here.
[[nodiscard]] Result<void, Failure> check_names(std::string_view command, const Globals& globals,
                                                const Presentation& presentation);

// Each returns the exit code of the process.
[[nodiscard]] int report_answer(Context& context, const Answer& answer, const Presentation& presentation);
[[nodiscard]] int report_failure(Context& context, const Failure& failure, const Presentation& presentation);
// The end of a stream of answers that went on: the last line of ndjson; nothing in other formats.
[[nodiscard]] int report_end(Context& context, const Failure* failure, ExitCode exit, const Presentation& presentation);
[[nodiscard]] int report_dry_run(Context& context, Json plan, const Presentation& presentation);

// Text to standard output; 141 if its reader went away, 1 if it could not be written.
[[nodiscard]] int print(Environment& environment, std::string_view text, ExitCode exit);

// How far something long has come, on standard error, for people: nothing without a terminal, nothing within the
// first second, and nothing left behind at the end.

inline constexpr std::int64_t progress_after_ms = 1'000;
inline constexpr std::int64_t progress_every_ms = 200;

class ProgressLine {
 public:
  // `what` is going on, in `units`: "reading", "rows".
  ProgressLine(Context& context, std::string what, std::string units);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `total` where it is known.
  void at(std::uint64_t done, std::optional<std::uint64_t> total = std::nullopt);

 private:
  Context& context_;
  std::string what_;
  std::string units_;
  bool wanted_;
  TimestampMs started_at_ms_;
  TimestampMs shown_at_ms_ = 0;
  bool shown_ = false;
};

}  // namespace svc::cli
