// Runs command lines for a shell: the same parser and commands as outside, with the shell's flags put
// before every line and its output going where the shell says.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/machine/environment.h"
#include "cli/shell/kept_connections.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

struct Captured {
  int exit = 0;
  std::string out;
  std::string err;
};

class Runner {
 public:
  // Both must outlive the runner.
  Runner(const Environment& outside, ShellState& state)
      : outside_(outside), state_(state), kept_(outside.connect, *outside.clock) {}

  // Shows the answer and remembers it: rows for `x`, the data for ":last.". `input` is what the command finds on
  // standard input.
  int run(const std::vector<std::string>& words, const std::string& input = {});
  // The same into `out`, which is no terminal.
  int run_into(const std::vector<std::string>& words, const std::function<Written(std::string_view)>& out);
  // Neither shown nor remembered. Safe on any thread while no line is executed.
  [[nodiscard]] Captured capture(const std::vector<std::string>& words) const;
  // A dry run that may read what the line's terms refer to: prices, positions, free margin.
  [[nodiscard]] Captured dry_run(const std::vector<std::string>& words) const;

  // As capture, into `out` as it comes, for what goes on until it is interrupted.
  int follow(const std::vector<std::string>& words, const std::function<Written(std::string_view)>& out) const;

  // True when whatever runs should end early.
  void interrupted_by(std::function<bool()> interrupted) {
    interrupted_ = std::move(interrupted);
    signals_are_taken_ = true;
  }
  [[nodiscard]] bool interrupted() const { return interrupted_(); }
  // How wide the terminal is now; it changes while a shell is open.
  void measured_by(std::function<std::size_t()> columns) { columns_ = std::move(columns); }

 private:
  [[nodiscard]] std::vector<std::string> whole(const std::vector<std::string>& words) const;
  [[nodiscard]] Environment inside() const;
  [[nodiscard]] Captured capture_in(Environment environment, const std::vector<std::string>& words) const;
  int run_in(Environment& environment, const std::vector<std::string>& words);

  const Environment& outside_;
  ShellState& state_;
  KeptConnections kept_;
  std::function<bool()> interrupted_ = [] { return false; };
  bool signals_are_taken_ = false;
  std::function<std::size_t()> columns_;
};

// Programs that a shell starts: what a line's output is piped into, and \!.

// `sh -c COMMAND` with its standard input in our hands, or with ours. Signals are as a program expects them.
class Child {
 public:
  enum class Input : std::uint8_t { piped, shared };
  // nullopt if no process can be made.
  [[nodiscard]] static std::optional<Child> start(const std::string& command, Input input);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // reader_gone once the program has closed its input.
  [[nodiscard]] Written write(std::string_view text);
  // Ends its input and waits for it: its exit code, 128 and the signal if one ended it.
  int finish();

 private:
  Child(pid_t process, int input) : process_(process), input_(input) {}
  pid_t process_;
  int input_;  // -1: shared, or closed
};

}  // namespace svc::cli
