// Why a command did not do what was asked. Whoever detects it returns it; run.cpp prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/exit_code.h"
#include "cli/json.h"

namespace svc::cli {

struct Failure {
  ExitCode exit = ExitCode::internal;
  std::string code{};     // the server's code as it stands, or ours in snake case
  std::string message{};  // one line; says what was expected
  bool retryable = false;
  std::optional<std::int64_t> retry_after_ms{};
  Json details{};                      // null or an object
  std::vector<std::string> actions{};  // commands to run next
  std::optional<std::string> raw{};    // the server's bytes, if it was the server that refused
};

[[nodiscard]] inline Failure usage_error(std::string message) {
  return {.exit = ExitCode::usage, .code = "usage", .message = std::move(message)};
}
[[nodiscard]] inline Failure guard(std::string code, std::string message) {
  return {.exit = ExitCode::local_guard, .code = std::move(code), .message = std::move(message)};
}
[[nodiscard]] inline Failure internal_error(std::string message) {
  return {.exit = ExitCode::internal, .code = "internal", .message = std::move(message)};
}

// The user asked to see what would be sent, and not to send it: success, with nothing after it.
struct DryRun {
  Json plan;
};

// What ends a command early.
struct Stop {
  std::variant<Failure, DryRun> why;

  Stop(Failure failure) : why(std::move(failure)) {}
  Stop(DryRun dry_run) : why(std::move(dry_run)) {}
};

}  // namespace svc::cli
