// Runs command lines for a shell: the same parser and commands as outside, with the shell's flags put
// before every line and its output going where the shell says.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
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

}  // namespace svc::cli
