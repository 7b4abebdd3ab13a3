// Every error code of the API, once, and the error bodies. Gateway, client, `svc explain` and docs read this
// catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/result.h"
#include "base/text.h"

namespace svc::api {

enum class ErrorCode : std::uint8_t {
#define X(enumerator, spelling, status, category, retry, meaning) enumerator,
#include "api/error_codes.def"
#undef X
};

// What scripts distinguish; each is one exit code of the command line.
enum class Category : std::uint8_t {
  auth,
  not_found,
  conflict,
  invalid,
  forbidden,
  rate_limited,
  unavailable,  // temporary, and nothing happened
  ambiguous,    // a write was sent and its outcome is unknown
  insufficient,
  halted,
  version,
  internal,
};

enum class Retry : std::uint8_t {
  never,         // the same request will be refused again
  after_header,  // after `retry-after`
  soon,          // transient: after a short pause
  later,         // when the named state has changed
};

[[nodiscard]] std::string_view to_string(Retry retry);

struct ErrorInfo {
  ErrorCode code{};
  std::string_view spelling;  // as this program sends it
  std::uint16_t status = 0;   // where an operation declares no other
  Category category{};
  Retry retry{};
  std::string_view meaning;
  bool is_of_frames = false;  // sent as a frame of a stream, never as an answer
};

[[nodiscard]] const ErrorInfo& info(ErrorCode code);
[[nodiscard]] std::span<const ErrorInfo> error_catalog();
[[nodiscard]] inline std::string_view spelling(ErrorCode code) {
  return info(code).spelling;
}

// Ignores case and underscores: deployments differ in both ("RateLimitExceeded").
[[nodiscard]] std::optional<ErrorCode> find_error(std::string_view spelling);

// The most likely meaning of an unknown code with this status. The API redirects nobody and gives a 408 a code: without
// one they are of a proxy in between.
[[nodiscard]] Category category_of_status(int status);

// A refusal, ready to be rendered.
struct ApiError {
  ErrorCode code = ErrorCode::internal_error;
  std::string message;
  std::string members;       // further JSON members without braces: `"bucket":"key","tier":"Pro"`
  std::uint16_t status = 0;  // 0: the catalogue's, or the one that the operation declares

  ApiError() = default;
  ApiError(ErrorCode error_code) : code(error_code), message(info(error_code).meaning) {}
  ApiError(ErrorCode error_code, std::string text)
      : code(error_code), message(shortened(std::move(text), limits::error_message_bytes_max)) {}

  // Appends a member to the body.
  ApiError& with(std::string_view name, std::string_view text);
};

// The result of a function that refuses with this text.
[[nodiscard]] inline Unexpected<ApiError> refused(ErrorCode code, std::string why) {
  return {ApiError(code, std::move(why))};
}

enum class Envelope : std::uint8_t {
  flat,     // {"code","message"}
  trading,  // {"code","error","message"}, code and error alike: orders, margin, leverage
  bridge,   // {"error":{"code","message","details"?}}
};

// The envelope of a code in an operation's answers. 413, 414, 426, 429 and 431 are flat everywhere. (What is too large
// is refused before the operation is known.)
[[nodiscard]] Envelope envelope_of(ErrorCode code, Envelope of_operation);

// The body. In every envelope the 401 is exactly {"code":"unauthorized"}, the fail-closed 502 contains only its
// code, and the 426 and 429 have the bodies specified by the API, with their members.
[[nodiscard]] std::string render(const ApiError& error, Envelope of_operation);

}  // namespace svc::api
