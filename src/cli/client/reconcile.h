// Finds out what became of a write whose answer was lost.
#pragma once

#include "cli/client/context.h"
#include "cli/client/proof.h"
#include "cli/store/outbox.h"

namespace svc::cli::outbox {

// Requires that the network was looked up: the folder of the log is known since then.
[[nodiscard]] Outbox outbox_of(Context& context, std::string_view network);

enum class Patience : std::uint8_t {
  once,           // one look
  briefly,        // repeatedly, for brief_ms
  half_a_minute,  // repeatedly, for search_ms from the sending
  until_proved,   // repeatedly, until the signature has certainly expired or patience_ms is over; if it does not
                  // expire, for search_ms from the sending
};

// The failure says why nothing could be proved: the operation leaves no mark, the look-ups failed, or the state before
// the write is not known. The verdict is not recorded yet: the user is told first, and a run that ends in between looks
// it up again.
Result<Finding> reconcile(Context& context, Connection& connection, OpenEntry& entry,
                          const std::optional<Secret>& admin_secret, Patience patience);

// Closes the entry if the verdict is final.
void note_found(Context& context, OpenEntry& entry, const Finding& finding);

// Orders that may still arrive at the service: their runs were cut off, or got no answer, less than under_way_ms ago.
Result<std::vector<Found>> arriving_orders(Context& context, const Network& network);
// Says so if there are any of the account of this run: a cancel does not reach them.
void tell_of_arriving_orders(Context& context, const Network& network);

// Looks once at the entries that earlier runs left open for the account of `coming`, at most settled_at_start_max of
// them, and reports the result. What cannot be settled stays open. `remember` is called with those that were accepted,
// before they are closed. Returns those of the last hour, sent to this server, whose outcome is still not known.
// `admin_secret` is that of the coming write.
std::vector<Entry> settle_earlier(Context& context, Connection& connection, const Entry& coming,
                                  const std::optional<Secret>& admin_secret,
                                  const std::function<void(const Entry&)>& remember);

}  // namespace svc::cli::outbox
