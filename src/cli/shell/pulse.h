// Keeps what a shell shows of the account fresh, in the background: the status line, and the words that complete.
//
// Asks through the same commands that are typed, so it costs what they cost: about one request a second, and
// nothing while nobody types.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "cli/environment.h"
#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"
#include "cli/shell/status_line.h"
#include "cli/shell/suggestions.h"

namespace svc::cli {

class Pulse {
 public:
  // `changed` is called on the pulse's own thread.
  Pulse(const Environment& environment, const ShellState& state, std::function<void()> changed);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  // Reads now: a command has changed something, or somebody is typing again.
  void hurry();
  [[nodiscard]] Known known() const;
  [[nodiscard]] StatusFacts facts() const;
  // The account that is acted for, once known.
  [[nodiscard]] std::optional<std::string> account() const;
  // The stream said something at that time.
  void heard(TimestampMs at_ms);

 private:
  void beat();
  [[nodiscard]] std::optional<Json> ask(std::vector<std::string> words) const;
  void read_markets();
  void read_account();

  const Environment& environment_;
  ShellState state_;  // of its own: the shell's changes under its hands
  Runner runner_;
  std::function<void()> changed_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // the members below: guarded by mutex_
  bool due_ = true;
  Known known_;
  StatusFacts facts_;
  std::optional<std::string> account_;
  std::thread thread_;
};

}  // namespace svc::cli
