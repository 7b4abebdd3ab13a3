// Which requests may follow a failure of the same request.
#pragma once

#include "cli/exchange/call.h"
#include "cli/failure.h"

namespace svc::cli {

enum class Again : std::uint8_t {
  no,
  after_header,  // the server said when: a 429, which proves that nothing was done
  after_pause,   // at most --retries times
};

// Reads: after a 429, a 502 or 503, and when the connection failed. Writes: only where it is proved that the
// first was not accepted (no byte left, a 429, a rolled-back margin change), or where the server itself proves
// that the second does nothing more (an idempotency key).
[[nodiscard]] Again may_follow(const Call& call, const Failure& failure);

}  // namespace svc::cli
