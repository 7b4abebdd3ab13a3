#include "cli/watch/stop_signals.h"

namespace svc::cli {
namespace {

volatile std::sig_atomic_t last_signal = 0;

extern "C" void note_signal(int signal) {
  last_signal = signal;
}

}  // namespace

StopSignals::StopSignals(const Environment& environment) : ours_(!environment.signals_are_taken) {
  if (!ours_) return;
  last_signal = 0;
  struct sigaction note {};
  note.sa_handler = note_signal;  // without SA_RESTART: waits end early
  ::sigemptyset(&note.sa_mask);
  ::sigaction(SIGINT, &note, &interrupt_);
  ::sigaction(SIGTERM, &note, &terminate_);
}

StopSignals::~StopSignals() {
  if (!ours_) return;
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

std::optional<ExitCode> StopSignals::came() const {
  if (!ours_) return std::nullopt;
  if (last_signal == SIGINT) return ExitCode::interrupted;
  if (last_signal == SIGTERM) return ExitCode::terminated;
  return std::nullopt;
}

}  // namespace svc::cli
