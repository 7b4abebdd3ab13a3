// What an answer that is no success, or no answer at all, means for the user.
#pragma once

#include "api/error_catalog.h"
#include "api/http_client.h"
#include "base/clock.h"
#include "cli/client/call.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// The exit code of what the service refused for such a reason.
[[nodiscard]] ExitCode exit_of(api::Category category);

// The server's code decides; the status only where there is no code that the catalogue knows.
[[nodiscard]] Failure failure_of(const Call& call, const api::HttpResponse& response, std::string_view network);

// A write that left this machine and was not answered is exit 11, everything else exit 10.
[[nodiscard]] Failure failure_of(const Call& call, const api::TransportError& error, TimestampMs sent_at_ms);

// The same for an answer that cannot be read, such as half a JSON document.
[[nodiscard]] Failure unreadable(const Call& call, TimestampMs sent_at_ms);

// How often a write left, and with what.
enum class Sending : std::uint8_t { once, once_with_nonce, again };

// True for a refusal that the second copy of an accepted request gets as well: its nonce is spent, its client id taken,
// its order gone, or the budget used up by the first copy. It stands only if a look finds nothing. (D-800)
[[nodiscard]] bool may_follow_acceptance(const Call& call, const api::HttpResponse& response, Sending sending);

// A status by which a service that is at its limit turns requests away unread.
[[nodiscard]] bool is_busy(int status);

// A refusal that may have followed acceptance, and nothing could be looked up: exit 11.
[[nodiscard]] Failure doubted(const Call& call, const Failure& refused);

// How one item of a batch was refused: its code, as text.
[[nodiscard]] ExitCode exit_of_code(std::string_view code);

// Which requests may follow a failure of the same request.

enum class Retry : std::uint8_t {
  no,
  after_header,  // the server said when: a 429, which proves that nothing was done
  after_pause,   // at most --retries times
};

// Reads: after a 429, a 502 or 503, and when the connection failed. Writes: only where it is proved that the
// first was not accepted (no byte left, a 429, a rolled-back margin change), or where the server itself proves
// that the second does nothing more (an idempotency key).
[[nodiscard]] Retry allowed_retry(const Call& call, const Failure& failure);

}  // namespace svc::cli
