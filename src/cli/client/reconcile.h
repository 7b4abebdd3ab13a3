// Finding out what became of a write whose answer was lost.
#pragma once

#include <optional>

#include "cli/client/context.h"
#include "cli/client/proof.h"
#include "cli/store/outbox.h"

namespace svc::cli::outbox {

enum class Patience : std::uint8_t {
  once,           // one look
  briefly,        // again and again, for brief_ms
  half_a_minute,  // again and again, for search_ms from when it was sent
  until_proved,   // again and again, until the signature has certainly expired or patience_ms is over
};

struct Settled {
  Finding finding;
  TimestampMs looked_at_ms = 0;  // our clock
};

// The failure says why nothing could be proved: the operation leaves no mark, the look-ups failed, what was
// there before is not known. What was found is not written down yet: who is told of it comes first, for a run that ends
// in between finds it once more.
[[nodiscard]] Result<Settled, Stop> reconcile(Context& context, Exchange& exchange, OpenEntry& entry,
                                              const std::optional<Secret>& admin_secret, Patience patience);

// Closes the entry if the verdict is final.
void note_found(Context& context, OpenEntry& entry, const Settled& settled);

// Looks once at what earlier runs left behind for this account, and says what was found. Entries that cannot be
// settled stay; at most settled_at_start_max are looked at.
void settle_earlier(Context& context, Exchange& exchange, std::string_view account);

}  // namespace svc::cli::outbox
