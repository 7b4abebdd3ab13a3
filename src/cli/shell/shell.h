// An interactive shell on one network: the command line without its first word, plus what a person who stays
// wants. It knows nothing of the terminal; line_editor.h does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/machine/environment.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

class Shell {
 public:
  Shell(const Environment& outside, ShellState state, RunLine run_line);

  // Runs one line and returns the exit code of what it ran; 0 for an empty one.
  int execute(std::string_view text);
  // Line by line until the end, \q, or, unless told otherwise, the first failure; the last exit code.
  enum class OnFailure : std::uint8_t { stop, keep_going };
  int execute_lines(std::string_view text, OnFailure on_failure);

  // Whoever comes next has to prove who he is before he writes, and to agree anew where funds are real.
  void lock();

  [[nodiscard]] bool ended() const { return ended_; }
  void end() { ended_ = true; }
  // Whoever said \q did not mean what would be lost.
  void stay() { ended_ = false; }

  [[nodiscard]] ShellState& state() { return state_; }
  [[nodiscard]] Runner& runner() { return runner_; }
  [[nodiscard]] const Environment& environment() const { return outside_; }
  // What was typed before, if a history is kept.
  void keep_history(History history) { history_ = std::move(history); }
  [[nodiscard]] History* history() { return history_ ? &*history_ : nullptr; }

  // Where answers go: the file of \o, or standard output.
  Written out(std::string_view text);
  void say(std::string_view text) { outside_.err(text); }
  // The command that the words stand for, with the market in use; refused if it would leave this shell.
  [[nodiscard]] Result<std::vector<std::string>, Failure> meant_by(std::vector<std::string> words) const;
  // That the shell ends while entries are held back.
  [[nodiscard]] Failure staged_not_sent(ExitCode exit) const;
  // Prints why, and gives its exit code.
  int refuse(const Failure& failure);

 private:
  // A signal that ends the shell says what is held back.
  void watch_staged();
  int execute_words(std::vector<std::string> words, const std::optional<std::string>& pipe);
  int run_piped(const std::vector<std::string>& words, const std::string& command);
  int use_market(const std::vector<std::string>& words);
  [[nodiscard]] Result<void, Failure> stays_here(const std::vector<std::string>& words) const;

  const Environment& outside_;
  ShellState state_;
  Runner runner_;
  std::optional<History> history_;
  bool ended_ = false;
  std::size_t watched_ = 0;  // staged entries that a signal would tell of
  std::shared_ptr<void> says_watched_;
  int depth_ = 0;  // of \i in \i
};

}  // namespace svc::cli
