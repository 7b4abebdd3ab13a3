// How a command ended, for scripts. The numbers are a contract: append only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace svc::cli {

enum class ExitCode : std::uint8_t {
  success = 0,
  internal = 1,
  usage = 2,
  confirmation = 3,
  authentication = 4,
  not_found = 5,
  conflict = 6,
  invalid = 7,
  forbidden = 8,
  rate_limited = 9,
  unavailable = 10,
  outcome_unknown = 11,
  insufficient_funds = 12,
  market_halted = 13,
  local_guard = 14,
  partial = 15,
  version = 16,
  wait_ended = 17,
  stream_gap = 18,
  not_filled = 19,
  interrupted = 130,
  broken_pipe = 141,
  terminated = 143,
};

struct ExitMeaning {
  ExitCode code;
  std::string_view category;  // the `category` of an error in JSON output
  std::string_view meaning;
  std::string_view may_retry;  // may a script run the same command again?
};

// The number a process ends with.
[[nodiscard]] constexpr int code_of(ExitCode code) {
  return static_cast<int>(code);
}

// Every code once, in numeric order. `svc explain` and the error output read it.
[[nodiscard]] const std::array<ExitMeaning, 23>& exit_meanings();
[[nodiscard]] const ExitMeaning& meaning_of(ExitCode code);

}  // namespace svc::cli
