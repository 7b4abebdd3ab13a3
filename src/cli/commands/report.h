// Prints the outcome of a command in the format that was asked for.
#pragma once

#include "cli/client/context.h"
#include "cli/terminal/render.h"

namespace svc::cli {

[[nodiscard]] bool wants_color(const Globals& globals, const Environment& environment);

// How to print, from the flags and the terminal. Exit 2 for an invalid expression, template or zone, before the command
// runs: no write is sent whose answer could not be shown.
Result<Presentation> presentation_of(const Globals& globals, const Environment& environment,
                                     const ShellSession* shell_session = nullptr);

// Exit 2 for names of --fields and --template that the command does not have. The names of a dry run's plan are not
// known here.
Result<void> check_names(std::string_view command, const Globals& globals, const Presentation& presentation);

// Each returns the exit code of the process.
[[nodiscard]] int report_answer(Context& context, const Answer& answer, const Presentation& presentation);
[[nodiscard]] int report_failure(Context& context, const Failure& failure, const Presentation& presentation);
// The end of a stream of answers: the last line of ndjson; nothing in other formats.
[[nodiscard]] int report_end(Context& context, const std::optional<Failure>& failure, ExitCode exit,
                             const Presentation& presentation);
[[nodiscard]] int report_dry_run(Context& context, Json plan, const Presentation& presentation);

// Text to standard output; 141 if its reader went away, 1 if it could not be written.
[[nodiscard]] int print(Environment& environment, std::string_view text, ExitCode exit);
// Prints a text or a failure of a line whose command is not known. Only its words tell the output format.
[[nodiscard]] int print_early(Environment& environment, const std::vector<std::string>& words, const Answer& answer,
                              std::string schema);

// Progress on standard error, for people: nothing without a terminal or within the first second. It is erased at the
// end.
class ProgressLine {
 public:
  // `what` is going on, in `units`: "reading", "rows".
  ProgressLine(Context& context, std::string what, std::string units);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `total` if it is known.
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
