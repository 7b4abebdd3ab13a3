// Programs of the user that a command starts: a bot under guard, a signer, whatever knows a password.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/machine/start.h"

namespace svc::cli {

// Runs beside us. What it prints goes to our standard error: standard output is ours.
class Companion {
 public:
  virtual ~Companion() = default;

  struct Seen {
    bool spoke = false;         // it printed something since the last look
    std::optional<int> exit{};  // it ended; 128 and the signal's number if one ended it
    std::optional<int> signal{};  // that asked us to stop (SIGINT, SIGTERM, SIGHUP); we have not yet
  };
  [[nodiscard]] virtual Seen look() = 0;
  // Its process group; nullopt if it is no process.
  [[nodiscard]] virtual std::optional<pid_t> group() const { return std::nullopt; }
  // Asks it to end, and ends it if it does not within a while.
  virtual void stop() = 0;
};

// The error is one line: no such program, no permission.
[[nodiscard]] Result<std::unique_ptr<Companion>, std::string> start_process(const std::vector<std::string>& words,
                                                                            const Variables& variables);

// Runs it to its end: its standard input is given, its standard output is the answer, its standard error is ours.
// The error says how it failed: an exit code other than 0, more than bytes_max, longer than timeout_ms.
struct Errand {
  std::vector<std::string> words;
  std::string input{};
  std::size_t bytes_max = 0;
  std::int64_t timeout_ms = 0;
};
[[nodiscard]] Result<std::string, std::string> run_errand(const Errand& errand);

}  // namespace svc::cli
