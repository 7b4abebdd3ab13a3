// The last check before anything that can cost money is sent. Each rule ends the command with exit 14 and the rule's
// name; calls that make the account safer pass all of them.
//
// Rules, in this order
//   body_unreadable        on real funds, a body that is no JSON, or that two programs read in two ways
//   dev_target             money to an account whose key everybody knows
//   address_not_listed     money to an address that is not on the allow-list; address_cooling_down: not yet
//   order_unreadable       an order that the rules below cannot judge; order_not_shown, with exit 10: not yet
//   order_notional_max     an order of a larger value than allowed
//   price_band             a price further from mark than allowed, on the costly side
//   daily_loss_max         the trading loss of 24 hours, including that of open positions
//   daily_orders_max       orders sent today
//   duplicate_intent       the same request as a moment ago, or as one whose answer was lost (--allow-duplicate)
#pragma once

#include "api/contract/orders.h"
#include "base/decimal.h"
#include "cli/client/call.h"
#include "cli/client/connection.h"
#include "cli/client/context.h"
#include "cli/client/reconcile.h"
#include "cli/store/config.h"
#include "cli/store/intent_ledger.h"
#include "cli/store/network.h"
#include "cli/terminal/failure.h"

namespace svc::cli::guards {

// The intent to take back if it provably had no effect; nullopt if none was entered.
using Admission = std::optional<Intent>;

Result<Admission> admit(Context& context, Connection& connection, const Call& call, std::string_view account);

// Exit 14 if the body of a write cannot be read, or a service may read it in another way than the guards.
Result<void> check_body(const Call& call);

// Whether its repeat within the hour is taken for a mistake: it costs money, is not reduce-only, and has no id that the
// user chose.
[[nodiscard]] bool is_looked_at_for_repeats(const Call& call);

// It was found to be accepted, or its answer was not shown: later runs refuse its repeats as well.
void remember_found(Context& context, std::string_view network, const outbox::Entry& entry);
// The repeat of a costly write of the last hour whose answer was lost, and that was accepted, or may have been, is
// refused, unless --allow-duplicate is given. If either write has an id of the user's own, or both have the same, the
// id says which write it is, and nothing is refused. (D-607)
// `coming` tells the account and the key of the call, `unknown` the earlier writes whose outcome is not known.
Result<void> check_repeated(Context& context, std::string_view network, const Call& call, const outbox::Entry& coming,
                            const std::vector<outbox::Entry>& unknown);

// Exit 14 if the log has an earlier write under the user's idempotency key, and the service may have forgotten the key
// since. Measured by the server's clock.
Result<void> check_key_age(Context& context, std::string_view network, const outbox::Entry& coming);

// The total worth of a call's orders in 1e-6 USDX; nullopt if not known. Reads mark prices from the server.
[[nodiscard]] std::optional<std::int64_t> worth_of(Connection& connection, const Call& call);

// A refused or unsent request does not count; of a batch only the orders with these hashes do.
void take_back(Context& context, std::string_view network, const Admission& admission,
               const std::string& hashes_that_stay = {});
// The refused orders of an answered batch do not count as sent.
void take_back_refused(Context& context, std::string_view network, const Admission& admission, const Json& results);

// What the order asks for, without its ids and with one spelling of each number: equal for orders that are the same.
[[nodiscard]] std::string order_terms(const api::OrderRequest& order);

// The orders that a request places, as the guards see them.

struct IntendedOrder {
  std::string market;
  bool buys = false;
  bool reduces = false;
  std::optional<Decimal> quantity;
  std::optional<Decimal> price;  // nullopt: a market order
  std::optional<Decimal> trigger{};
  bool takes_book = false;            // at once
  std::optional<Failure> unjudged{};  // why no rule can judge it; nullopt if they can
  std::optional<std::int64_t> slippage_bps_max{};
};

// The price of the level that fills the last of such a size; the last level if the book is not deep enough. nullopt: it
// has none on that side.
[[nodiscard]] Result<std::optional<Decimal>> worst_price(const Json& book, bool buys, const Decimal& size);

// What an order with a quantity is worth in 1e-6 USDX, rounded up, by its price. One without a price is worth as much
// as at mark, or at its trigger if that is higher; a sell below mark trades at the book's prices, and is worth what it
// is at mark. nullopt beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> worth_micro_usdx(const IntendedOrder& order, const Decimal& mark);

// True if the price is further from mark than the band allows: above it for a buy, below it for a sell.
[[nodiscard]] bool beyond_band(const IntendedOrder& order, const Decimal& mark, std::int64_t band_bps);

// Exit 14 if anybody could take what arrives at that address.
Result<void> refuse_dev_target(const Network& network, const Address& address);

}  // namespace svc::cli::guards
