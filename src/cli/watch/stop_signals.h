// SIGINT and SIGTERM as questions instead of sudden ends, so that whoever follows something can say how far it came.
#pragma once

#include <csignal>
#include <optional>

#include "cli/environment.h"
#include "cli/exit_code.h"

namespace svc::cli {

// While one of these lives the signals are only noted; afterwards they do what they did before. One at a time, and
// none inside a shell: there the signals are the shell's, and Environment::interrupted tells.
class StopSignals {
 public:
  explicit StopSignals(const Environment& environment);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // interrupted or terminated, once a signal came.
  [[nodiscard]] std::optional<ExitCode> came() const;

 private:
  bool ours_;
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace svc::cli
