// The last look before something that can cost money leaves this machine. Each rule ends the command with exit
// 14 and its name; what makes the account safer passes all of them.
//
// Rules, in this order
//   dev_target             money to an account whose key everybody knows
//   address_not_listed     money to an address that is not on the allow-list; address_cooling_down: not yet
//   order_notional_max     an order of a larger value than allowed
//   price_band             a price further from mark than allowed, on the side that costs
//   daily_loss_max         what trading lost in 24 hours, with what open positions are down
//   daily_orders_max       orders sent today
//   duplicate_intent       the same thing asked for a moment ago (--allow-duplicate)
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/context.h"
#include "cli/exchange/call.h"
#include "cli/guards/guard_terms.h"
#include "cli/guards/ledger.h"

namespace svc::cli {
class Exchange;
}

namespace svc::cli::guards {

// What was admitted and is to be taken back if it is proved that nothing came of it.
struct Admission {
  std::optional<Intent> entered{};
};

[[nodiscard]] Result<Admission, Stop> admit(Context& context, Exchange& exchange, const Call& call,
                                            std::string_view account);
// What the orders of a call are worth together, each by its own price or by mark, whichever is more, in 1e-6 USDX;
// nullopt if that cannot be told. Asks the server for mark prices.
[[nodiscard]] std::optional<std::int64_t> worth_of(Exchange& exchange, const Call& call);

// A refused or unsent request does not count.
void take_back(Context& context, std::string_view network, const Admission& admission);
// Of a batch that was answered the refused orders do not count as asked for.
void take_back_refused(Context& context, std::string_view network, const Admission& admission, const Json& results);

}  // namespace svc::cli::guards
