// Runs command lines for a shell: the same parser and commands as outside, with the shell's flags put
// before every line and its output going where the shell says.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client/context.h"
#include "cli/machine/environment.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

// Connections that outlive the command that opened them, so that the next one need not wait for a handshake.
//
// A kept connection serves again only within `kept_ms_max`: servers close idle ones, and a write that meets the closing
// would have an unknown outcome.

inline constexpr std::int64_t kept_ms_max = 5'000;

class KeptConnections {
 public:
  // `clock` must outlive this object and everything connected through it.
  KeptConnections(Connect connect, const Clock& clock);

  // Connects like the one given, or hands out a connection of the same route that nobody uses. Safe on any thread.
  [[nodiscard]] Connect connect() const;

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

struct Captured {
  int exit = 0;
  std::string out;
  std::string err;
};

class Runner {
 public:
  // Both must outlive the runner. `run_line` is the program's own way in.
  Runner(const Environment& outside, ShellState& state, RunLine run_line)
      : outside_(outside), state_(state), run_line_(run_line), kept_(outside.connect, *outside.clock) {}

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
  // Neither seen nor remembered by the shell: it keeps to what that keeps to, and no more.
  [[nodiscard]] int run_unseen(Environment& environment, const std::vector<std::string>& words) const;

  const Environment& outside_;
  ShellState& state_;
  RunLine run_line_;
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
