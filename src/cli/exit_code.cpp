#include "cli/exit_code.h"

#include "base/assert.h"

namespace svc::cli {

const std::array<ExitMeaning, 23>& exit_meanings() {
  static constexpr std::array<ExitMeaning, 23> meanings{{
      {ExitCode::success, "success", "success", "-"},
      {ExitCode::internal, "internal", "the service or the program failed", "no"},
      {ExitCode::usage, "usage", "unknown flag, invalid value or missing setting", "no"},
      {ExitCode::confirmation, "confirmation", "input or a confirmation is required, or was declined", "no"},
      {ExitCode::authentication, "authentication", "the credentials were refused or are locked", "no"},
      {ExitCode::not_found, "not_found", "not found, or not yours", "no, except NoOpenPosition right after a fill"},
      {ExitCode::conflict, "conflict", "conflicts with what the service already has", "no"},
      {ExitCode::invalid, "invalid", "the service rejected the request as invalid", "no"},
      {ExitCode::forbidden, "forbidden", "permanently forbidden", "never"},
      {ExitCode::rate_limited, "rate_limited", "rate limited, after waiting as far as allowed",
       "yes, after retry_after_ms"},
      {ExitCode::unavailable, "unavailable", "temporarily unavailable; nothing happened", "yes"},
      {ExitCode::outcome_unknown, "ambiguous",
       "a write was sent and nothing proves what became of it; look before sending again", "no: reconcile"},
      {ExitCode::insufficient_funds, "insufficient_funds", "insufficient margin or balance", "no"},
      {ExitCode::market_halted, "market_halted", "the market is halted", "later"},
      {ExitCode::local_guard, "local_guard", "refused here, before sending, by a safety rule", "no"},
      {ExitCode::partial, "partial", "a batch succeeded in part", "the failed lines only"},
      {ExitCode::version, "version", "the version is not supported or the endpoint is retired", "after an upgrade"},
      {ExitCode::wait_ended, "wait_ended", "waiting took too long; the state is known", "yes"},
      {ExitCode::stream_gap, "stream_gap", "a stream lost events", "yes"},
      {ExitCode::not_filled, "not_filled", "an order that had to fill at once did not; nothing of it rests", "yes"},
      {ExitCode::interrupted, "interrupted", "interrupted from the keyboard", "-"},
      {ExitCode::broken_pipe, "broken_pipe", "the reader of the output went away", "-"},
      {ExitCode::terminated, "terminated", "terminated by a signal", "-"},
  }};
  return meanings;
}

const ExitMeaning& meaning_of(ExitCode code) {
  for (const ExitMeaning& meaning : exit_meanings()) {
    if (meaning.code == code) return meaning;
  }
  SVC_ASSERT(false);
}

}  // namespace svc::cli
