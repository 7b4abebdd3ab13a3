// Why a command failed. Whoever detects the failure returns it; run.cpp prints it.
//
// Every room of the command line sees this header, and by it results, optional values, texts, ranges and functions.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/find.h"
#include "cli/terminal/json.h"
#include "cli/terminal/text.h"

namespace svc::cli {

enum class ExitCode : std::uint8_t {
#define X(name, number, category, meaning, may_retry) name = number,
#include "cli/terminal/exit_codes.def"
#undef X
};
[[nodiscard]] inline ExitCode exit_of_signal(int signal) {
  return signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated;
}

struct ExitMeaning {
  ExitCode code;
  std::string_view category;  // the `category` of an error in JSON output
  std::string_view meaning;
  std::string_view may_retry;  // may a script run the same command again?
};

// The process's exit status.
[[nodiscard]] constexpr int code_of(ExitCode code) {
  return static_cast<int>(code);
}

// By a signal, or because nobody reads on.
[[nodiscard]] constexpr bool was_stopped(ExitCode exit) {
  return exit == ExitCode::interrupted || exit == ExitCode::terminated || exit == ExitCode::broken_pipe;
}

// Every code once, in numeric order; for `svc explain` and the error output.
inline constexpr ExitMeaning exit_meanings[] = {
#define X(name, number, category, meaning, may_retry) {ExitCode::name, category, meaning, may_retry},
#include "cli/terminal/exit_codes.def"
#undef X
};
inline constexpr ExitMeaning meaning_of_program{ExitCode::internal, "program_exit",
                                                "of the program that the command ran", "-"};
[[nodiscard]] constexpr const ExitMeaning& meaning_of(ExitCode code) {
  const ExitMeaning* known = found_in(exit_meanings, code, &ExitMeaning::code);
  return known == nullptr ? meaning_of_program : *known;
}

struct Failure {
  using IsPlainError = void;  // `return usage_error("...");` needs no wrapping

  ExitCode exit = ExitCode::internal;
  std::string code{};     // the server's code unchanged, or one of ours in snake case
  std::string message{};  // one line; tells what was expected
  std::string cause{};    // the message without its last part, "; nothing happened"; empty: it has no such part
  bool retryable = false;
  std::optional<std::int64_t> retry_after_ms{};
  Json details{};                      // null or an object; of a dry run the plan
  std::vector<std::string> actions{};  // commands to run next
  std::optional<std::string> raw{};    // the server's bytes, if the server refused
  bool plan = false;                   // of dry_run()
  bool of_program = false;             // the exit code is that of a program that the command ran

  [[nodiscard]] Failure to_try(std::vector<std::string> commands) && {
    actions = std::move(commands);
    return std::move(*this);
  }
  [[nodiscard]] Failure with_details(Json members) && {
    details = std::move(members);
    return std::move(*this);
  }
  // The same command may be run again.
  [[nodiscard]] Failure as_retryable() && {
    retryable = true;
    return std::move(*this);
  }
  [[nodiscard]] bool is_plan() const { return plan; }
  [[nodiscard]] const std::string& why() const { return cause.empty() ? message : cause; }
};

// The same of its exit code, which says nothing of ours if it is a program's.
[[nodiscard]] inline const ExitMeaning& meaning_of(const Failure& failure) {
  return failure.of_program ? meaning_of_program : meaning_of(failure.exit);
}

// In this program an operation fails with a Failure unless it says otherwise.
template <class T, class E = Failure>
using Result = ::svc::Result<T, E>;

// Codes of this program's errors and warnings, not of the service's.
struct LocalCode {
  std::string_view code;  // as in `error.code`, or the `code` of a warning
  ExitCode exit;          // usually; of a warning: success
  std::string_view meaning;
  std::string_view what_to_do;
  std::string_view retry{};  // if not as the exit code says
};
inline constexpr LocalCode local_codes[] = {
#define X(code, exit, ...) {#code, ExitCode::exit, __VA_ARGS__},
#include "cli/terminal/local_codes.def"
#undef X
};
// Null if none is called that.
[[nodiscard]] constexpr const LocalCode* find_local_code(std::string_view code) {
  return found_in(local_codes, code, &LocalCode::code);
}
// One that the table has: any other does not compile.
struct KnownCode {
  const LocalCode* row;

  template <std::convertible_to<std::string_view> Text>
  consteval KnownCode(const Text& code) : row(find_local_code(code)) {
    if (row == nullptr) throw "no row in local_codes.def";
  }
};

// The message is made of the parts. (text.h)
template <class... Parts>
[[nodiscard]] Failure failed(ExitCode exit, std::string_view code, const Parts&... parts) {
  return {.exit = exit, .code = std::string(code), .message = concat(parts...)};
}
template <class... Parts>
[[nodiscard]] Failure failed(KnownCode code, const Parts&... parts) {
  return failed(code.row->exit, code.row->code, parts...);
}
template <class... Parts>
[[nodiscard]] Failure absent(std::string_view code, const Parts&... parts) {
  return failed(ExitCode::not_found, code, parts...);
}
template <class... Parts>
[[nodiscard]] Failure usage_error(const Parts&... parts) {
  return failed("usage", parts...);
}
template <class... Parts>
[[nodiscard]] Failure guard(std::string_view code, const Parts&... parts) {
  return failed(ExitCode::local_guard, code, parts...);
}
template <class... Parts>
[[nodiscard]] Failure internal_error(const Parts&... parts) {
  return failed("internal", parts...);
}

// The end of a dry run, before anything is sent: a success, with the plan in `details`.
[[nodiscard]] inline Failure dry_run(Json plan) {
  return {.exit = ExitCode::success,
          .code = "dry_run",
          .message = "nothing is sent in a dry run",
          .details = std::move(plan),
          .plan = true};
}
// Why there is no value; null pointer if there is one, and at the end of a dry run.
template <class R>
[[nodiscard]] auto failure_in(R& result) -> decltype(&result.error()) {
  return result || result.error().is_plan() ? nullptr : &result.error();
}

}  // namespace svc::cli
