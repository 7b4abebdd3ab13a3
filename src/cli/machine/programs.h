// The user's programs: starting them, and the exit code that a shell reports for them.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <termios.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace svc::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

// True for our own secrets and for names that look like a secret: SVC_API_SECRET, SVC_ADMIN_SECRET, SVC_PASSWORD,
// SVC_TOKEN, ... Names that end in _FILE or _COMMAND only tell where a secret is.
[[nodiscard]] bool holds_secret(std::string_view variable);

struct Start {
  std::vector<std::string> words;  // the program, looked for in PATH, and its arguments
  Variables variables{};           // added to ours or replacing them; these may hold secrets
  int input = -1;                  // descriptors for its standard input and output; -1: ours
  int output = -1;
  bool own_group = false;     // signals to the group reach its children too, and those of the terminal do not
  bool own_session = false;   // the same, and without a terminal
  bool dies_with_us = false;  // the kernel kills it as soon as this process ends in any way
};

// The texts as exec() takes them.
[[nodiscard]] std::vector<char*> pointers(std::vector<std::string>& texts);

// The words that run a line in a shell.
[[nodiscard]] std::vector<std::string> shell_words(const std::string& line);

// The program inherits only descriptors 0 to 2, so not the one that a password came from, and no variable of ours that
// holds a secret. None of its signals is blocked, and those that we handle are not ignored. The error is a sentence.
Result<pid_t, std::string> start(const Start& program);

// Starts this program again with these words: it keeps none of our streams, and is not waited for.
void start_apart(const std::vector<std::string>& words);

// Shows an http address in the user's browser, and does not wait for it. False if nothing can be started that does.
[[nodiscard]] bool show_page(const std::string& address);

// Waits for the process; returns its exit code, or 128 plus the signal.
int wait_for(pid_t process);
// The same by that time of steady_ms(); nullopt if it still runs then.
std::optional<int> exit_until(pid_t process, std::int64_t until_ms);

// What a signal prints before it ends this process: the request in flight, and what was done.

inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};
// Before one of these ends the process, what was done is told.
inline constexpr std::array told_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// While this exists, these signals are handled otherwise; afterwards as before.
class ChangedSignals {
 public:
  // Those of which `is_left` says so, by how they are handled now, are left alone.
  using IsLeft = bool (*)(const struct sigaction& now);
  ChangedSignals(std::span<const int> signals, const struct sigaction& action, IsLeft is_left = nullptr);
  ChangedSignals(std::span<const int> signals, void (*handler)(int), IsLeft is_left = nullptr);
  ChangedSignals(ChangedSignals&&) = delete;
  ~ChangedSignals();

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

struct SignalMessages {
  std::string interrupted_err, interrupted_out;  // SIGINT: for standard error and standard output
  std::string terminated_err, terminated_out;    // the others
};

// The modes of a terminal that a program has changed.
struct TerminalModes {
  int descriptor = -1;
  termios modes{};
};
// A signal that ends this process restores that terminal first; null: none. It must live until it is replaced.
void restore_on_signal(const TerminalModes* terminal);

// While this exists, SIGINT, SIGTERM, SIGHUP and SIGQUIT print these texts and then end the process as usual. Signals
// that are already handled or ignored are left alone. The newest of several prints; they must be destroyed in reverse
// order.
class SignalMessageGuard {
 public:
  explicit SignalMessageGuard(SignalMessages words);
  ~SignalMessageGuard();
  // Prints these instead from now on. Only of the newest.
  void replace(SignalMessages words);
  // Signals have no effect from now on: the process is about to end by itself, and its exit code tells the truth.
  void obey_none();
  SignalMessageGuard(SignalMessageGuard&&) = delete;

 private:
  std::unique_ptr<const SignalMessages> words_;
  std::unique_ptr<const SignalMessages> older_{};  // kept, because a signal handler may be reading it
  const SignalMessages* before_ = nullptr;
  std::array<bool, told_signals.size()> taken_{};
};

// While this exists, a SIGINT or SIGTERM whose handler only notes it ends this process: for what nobody can end
// otherwise. One that came before does nothing more. Not for several threads at a time. (D-1126)
struct NotedSignalsEnd : ChangedSignals {
  NotedSignalsEnd();
};

// While this exists, Ctrl-Z does not stop this process: it watches a program that would go on. Programs that are
// started meanwhile can be stopped.
struct NeverStopped : ChangedSignals {
  NeverStopped() : ChangedSignals(std::array{SIGTSTP}, SIG_IGN) {}
};

inline constexpr std::string_view enter_alternate_screen = "\x1b[?1049h", leave_alternate_screen = "\x1b[?1049l";

// While this exists, Ctrl-Z leaves the alternate screen of the terminal on standard output until this process goes on.
class ScreenLeftWhenStopped : ChangedSignals {
 public:
  ScreenLeftWhenStopped();
  // Whether it went on since the last call, and the screen is empty.
  [[nodiscard]] static bool went_on();
};

// A program that runs beside this one. Its output goes to our standard error, because standard output is ours.
class SupervisedProgram {
 public:
  virtual ~SupervisedProgram() = default;

  struct Seen {
    bool printed = false;         // it printed something since the last call
    std::optional<int> exit{};    // its exit code once it ended; 128 plus the signal
    std::optional<int> signal{};  // a signal that asks us to stop (SIGINT, SIGTERM, SIGHUP), not yet obeyed
  };
  [[nodiscard]] virtual Seen look() = 0;
  // nullopt if it is not a real process.
  [[nodiscard]] virtual std::optional<pid_t> group() const { return std::nullopt; }
  // Asks it to end, and kills it if it does not within a while.
  virtual void stop() = 0;
};

// The error is one line: no such program, no permission.
Result<std::unique_ptr<SupervisedProgram>, std::string> start_process(const std::vector<std::string>& words,
                                                                      const Variables& variables);

// Runs a program to its end with the given standard input and returns its standard output; its standard error is ours.
// The error tells the cause: an exit code other than 0, more output than bytes_max, or more time than timeout_ms.
struct HelperRun {
  std::vector<std::string> words;
  std::string input{};
  std::size_t bytes_max = 0;
  std::int64_t timeout_ms = 0;
};
Result<std::string, std::string> run_helper(const HelperRun& errand);

// Blocks SIGPIPE on this thread while writing: a program that closes its input must not end this one.
class NoPipeSignal {
 public:
  NoPipeSignal();
  ~NoPipeSignal();
  NoPipeSignal(NoPipeSignal&&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

// A second process that cleans up if this one is killed: a killed guard cannot do that itself.

inline constexpr std::string_view keeper_dismissal = "done";  // the line that ends it normally

class Keeper {
 public:
  Keeper(pid_t process, Descriptor line) : process_(process), line_(std::move(line)) {}

  // Tells it the process group to kill, once that runs.
  void set_group(pid_t group) const { tell(std::to_string(group)); }
  // Ends it normally, and waits for its end.
  void dismiss();

 private:
  void tell(std::string_view word) const;

  pid_t process_;
  Descriptor line_;  // its standard input
};

// Starts this program again with these words in a session of its own; its standard input ends with this process.
Result<std::unique_ptr<Keeper>, std::string> start_keeper(const std::vector<std::string>& words,
                                                          const Variables& variables);

// The environment variable of a program under guard; everything that it starts inherits it.
inline constexpr std::string_view guard_mark = "SVC_GUARD";

// Kills every process of this user with that mark in its environment, repeatedly until none is found. A process that
// clears or hides its environment (svc hides it), or runs as another user, is not found.
void kill_marked(const std::string& mark);

}  // namespace svc::cli
