// --wait of a batch: many orders at once, by asking for all that are open.
#pragma once

#include <optional>

#include "cli/exchange/exchange.h"
#include "cli/watch/order_waiter.h"

namespace svc::cli {

// Waits for the orders of `rows` ({"order", "fills", ...}; rows without an order are passed over) and puts what became
// of them there. The failure, if any: exit 17 when the time ran out, 6 for an order that ended otherwise, 130.
[[nodiscard]] std::optional<Failure> wait_for_rows(Context& context, Exchange& exchange, const WaitFlags::Wish& wish,
                                                   Json& rows);

}  // namespace svc::cli
