// What an unsuccessful answer, or a missing one, means for the user.
#pragma once

#include "api/error_catalog.h"
#include "api/http/http_client.h"
#include "base/clock.h"
#include "cli/client/call.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// The number in a header; nullopt if it has anything else.
template <class Int>
[[nodiscard]] std::optional<Int> number_in(const api::HttpResponse& response, std::string_view header) {
  const auto text = response.headers.find(header);
  return text ? parse_integer<Int>(*text) : std::nullopt;
}

// The exit code for a category of the service's errors.
[[nodiscard]] ExitCode exit_of(api::Category category);

// By the server's code; by the status only if the catalogue does not know the code.
[[nodiscard]] Failure failure_of(const Call& call, const api::HttpResponse& response, std::string_view network);

// Exit 11 for a write that was sent and not answered, exit 10 for everything else.
[[nodiscard]] Failure failure_of(const Call& call, const api::TransportError& error, TimestampMs sent_at_ms);
// Exit 10 for that reason: it can be tried again, for nothing has changed.
[[nodiscard]] Failure nothing_happened(std::string_view code, std::string cause);
// For a request that changes nothing.
[[nodiscard]] Failure unanswered_read(const api::TransportError& error);

// The same for an answer that cannot be parsed, such as half a JSON document.
[[nodiscard]] Failure unreadable(const Call& call, TimestampMs sent_at_ms);
// The failure of a read whose answer has a member that cannot be used, such as the size of a position.
[[nodiscard]] Failure unreadable_member(std::string_view member, std::string_view of_what);

// Whether an answer with this code leaves it open what became of a write.
[[nodiscard]] bool may_leave_write_open(api::ErrorCode code);

// True if no byte of the request left this machine.
[[nodiscard]] bool nothing_was_sent(const Failure& failure);

// True for a refusal that the second copy of an accepted request gets too: its nonce is spent, its client id taken, its
// order gone, or the budget used up by the first copy. The refusal stands only if a look-up finds nothing. (D-800)
// `meets_first_copy`: no nonce of its own stops a second copy before it meets what the first one did.
// `was_repeated`: this command sent it before, so what it deletes may be gone.
[[nodiscard]] bool may_follow_acceptance(const Call& call, const api::HttpResponse& response, bool meets_first_copy,
                                         bool was_repeated);

[[nodiscard]] constexpr bool is_success(int status) {
  return status >= 200 && status < 300;
}
// True for a status with which an overloaded service turns requests away unread.
[[nodiscard]] bool is_busy(int status);

// Exit 11, for a refusal that may have followed acceptance if nothing could be looked up.
[[nodiscard]] Failure doubted(const Call& call, const Failure& refused);

// The exit code of one refused item of a batch or of a frame of a stream, by its error code.
[[nodiscard]] ExitCode exit_of_code(std::string_view code);

// Whether a failed request may be sent again.

enum class Retry : std::uint8_t {
  no,
  after_header,  // when the server said: a 429, which proves that nothing was done
  after_pause,   // at most --retries times
};

// Reads: after a 429, a 502 or 503, and after a failed connection. Writes: only if the first was provably not accepted
// (nothing was sent, a 429, a rolled-back margin change), or if the server guarantees that a second copy has no effect
// (an idempotency key).
[[nodiscard]] Retry allowed_retry(const Call& call, const Failure& failure);

}  // namespace svc::cli
