// Runs command lines for a shell: with the same parser and commands as outside, the shell's flags before each line, and
// the output where the shell wants it.
#pragma once

#include "cli/client/context.h"
#include "cli/commands/command_table.h"
#include "cli/machine/environment.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

// Connects like the given function, and uses an idle connection of the same route again, without a handshake; only
// within `kept_ms_max`, because servers close idle ones and a write that meets the closing has an unknown outcome.
// Thread-safe; `clock` must outlive everything connected through it.
inline constexpr std::int64_t kept_ms_max = 5'000;
[[nodiscard]] Connect keeping_connections(Connect connect, const Clock& clock);

struct Captured {
  int exit = 0;
  std::string out;
  std::string err;
};

// The document of a run with --json; of one that failed its error, after what it is about.
Result<Json> document_of(const Captured& seen, const std::string& about);

// A line as its command reads it, if that is known: what a flag takes as its value is no flag, whatever it begins with.
class TypedLine {
 public:
  explicit TypedLine(const std::vector<std::string>& words);
  [[nodiscard]] const LineFlags& flags() const { return command_ ? *command_ : bare_; }

 private:
  LineFlags bare_;
  std::optional<CommandFlags> command_;
};

class Runner {
 public:
  // Both must outlive the runner.
  Runner(const Environment& outside, ShellState& state, RunLine run_line)
      : outside_(outside),
        state_(state),
        run_line_(run_line),
        connect_(keeping_connections(outside.connect, *outside.clock)) {}

  using Out = std::function<Written(std::string_view)>;

  // Shows the answer and remembers it: rows for `x`, data for ":last.". `input` is the command's standard input; `out`,
  // if given, takes its output, and is not a terminal.
  int run(const std::vector<std::string>& words, const std::string& input = {}, const Out& out = {});
  // What the shell reads for itself is whole, and sent, whatever its lines' flags are.
  enum class For : std::uint8_t { user, shell };
  // Neither shows nor remembers the answer. Safe on any thread while no line is executed.
  [[nodiscard]] Captured capture(const std::vector<std::string>& words, For reader = For::shell) const {
    return capture_in(inside(), words, reader);
  }
  // A dry run that may read what the line's terms depend on: prices, positions, free margin.
  [[nodiscard]] Captured dry_run(const std::vector<std::string>& words) const;

  // Like capture, with output to `out` as it comes; for commands that run until interrupted.
  int follow(const std::vector<std::string>& words, const Out& out) const;

  // The words of a line with the flags that hold for every line.
  [[nodiscard]] std::vector<std::string> whole(const std::vector<std::string>& words, For reader = For::user) const;

  // Called when a line begins to send a write, with what a signal will tell then.
  std::function<void(SignalMessages&)> when_writing;
  // Called when somebody has answered a question of the running line, before the answer counts.
  std::function<void()> when_answered;
  // Tells when the running command should end early; empty: signals are not taken here.
  std::function<bool()> interrupts;
  [[nodiscard]] bool interrupted() const { return interrupts && interrupts(); }
  // Sleeps until then, or until the running command should end.
  void pause(std::int64_t ms) const { static_cast<void>(inside().pause(ms)); }

 private:
  [[nodiscard]] Environment inside() const;
  [[nodiscard]] Captured capture_in(Environment environment, const std::vector<std::string>& words, For reader) const;
  // Runs without effects on the shell's state; only what the shell is pinned to applies.
  [[nodiscard]] int run_unseen(Environment& environment, const std::vector<std::string>& words, For reader) const;

  const Environment& outside_;
  ShellState& state_;
  RunLine run_line_;
  Connect connect_;
};

}  // namespace svc::cli
