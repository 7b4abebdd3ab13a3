// Programs of the user: starting one, and what its end says to a shell.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Ours, and a secret by its name: SVC_API_SECRET, SVC_ADMIN_SECRET, SVC_PASSWORD, SVC_TOKEN, ... A name that ends in
// _FILE or _COMMAND says where one is and is none.
[[nodiscard]] bool holds_secret(std::string_view variable);

struct Start {
  std::vector<std::string> words;  // the program, looked for in PATH, and its arguments
  Variables variables{};           // besides ours, or instead of ours; also such as hold a secret
  int input = -1;                  // descriptors that become its standard input and output; -1: ours
  int output = -1;
  bool own_group = false;     // signals to it reach what it starts, and those of the terminal do not
  bool own_session = false;   // the same, and it has no terminal
  bool dies_with_us = false;  // killed by the kernel as soon as this process is gone, however it ended
};

// The words that let a shell run a line.
[[nodiscard]] std::vector<std::string> shell_words(const std::string& line);

// The program gets none of our descriptors but 0 to 2, such as the one that a password came from, and no variable of
// ours that holds a secret. It has no signal blocked, and none ignored of those that we handle. The error is a
// sentence.
[[nodiscard]] Result<pid_t, std::string> start(const Start& program);

// Waits until it has ended; then its exit code, or 128 and the signal.
int wait_for(pid_t process);
[[nodiscard]] int exit_code_of(int status);

// What a signal that ends this process says first: a request is on its way, and nobody would know of it.

struct SignalMessages {
  std::string interrupted_err, interrupted_out;  // SIGINT: for standard error and standard output
  std::string terminated_err, terminated_out;    // SIGTERM, SIGHUP
};

// While it lives, SIGINT, SIGTERM and SIGHUP say these words and then end the process as they would have. A signal that
// somebody handles or ignores already is left alone. Of several the newest speaks, and they go in the reverse order.
class SignalMessageGuard {
 public:
  explicit SignalMessageGuard(SignalMessages words);
  ~SignalMessageGuard();
  SignalMessageGuard(const SignalMessageGuard&) = delete;
  SignalMessageGuard& operator=(const SignalMessageGuard&) = delete;

 private:
  static constexpr std::array<int, 3> signals_{SIGINT, SIGTERM, SIGHUP};
  SignalMessages words_;
  const SignalMessages* before_ = nullptr;
  std::array<bool, 3> taken_{};
};

// Programs that are asked or watched: a bot under guard, a signer, whatever knows a password.

// Runs beside us. What it prints goes to our standard error: standard output is ours.
class SupervisedProgram {
 public:
  virtual ~SupervisedProgram() = default;

  struct Seen {
    bool spoke = false;           // it printed something since the last look
    std::optional<int> exit{};    // it ended; 128 and the signal's number if one ended it
    std::optional<int> signal{};  // that asked us to stop (SIGINT, SIGTERM, SIGHUP); we have not yet
  };
  [[nodiscard]] virtual Seen look() = 0;
  // Its process group; nullopt if it is no process.
  [[nodiscard]] virtual std::optional<pid_t> group() const { return std::nullopt; }
  // Asks it to end, and ends it if it does not within a while.
  virtual void stop() = 0;
};

// The error is one line: no such program, no permission.
[[nodiscard]] Result<std::unique_ptr<SupervisedProgram>, std::string> start_process(
    const std::vector<std::string>& words, const Variables& variables);

// Runs it to its end: its standard input is given, its standard output is the answer, its standard error is ours.
// The error says how it failed: an exit code other than 0, more than bytes_max, longer than timeout_ms.
struct HelperRun {
  std::vector<std::string> words;
  std::string input{};
  std::size_t bytes_max = 0;
  std::int64_t timeout_ms = 0;
};
[[nodiscard]] Result<std::string, std::string> run_helper(const HelperRun& errand);

}  // namespace svc::cli
