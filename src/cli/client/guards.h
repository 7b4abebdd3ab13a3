// The last check before anything that can cost money is sent. Each rule ends the command with exit 14 and the rule's
// name; calls that make the account safer pass all of them.
//
// Rules, in this order
//   dev_target             money to an account whose key everybody knows
//   address_not_listed     money to an address that is not on the allow-list; address_cooling_down: not yet
//   order_notional_max     an order of a larger value than allowed
//   price_band             a price further from mark than allowed, on the costly side
//   daily_loss_max         the trading loss of 24 hours, including that of open positions
//   daily_orders_max       orders sent today
//   duplicate_intent       the same request as a moment ago, or as one whose answer was lost (--allow-duplicate)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/result.h"
#include "cli/client/call.h"
#include "cli/client/connection.h"
#include "cli/client/context.h"
#include "cli/client/reconcile.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/store/kept_document.h"
#include "cli/store/network.h"
#include "cli/terminal/failure.h"

namespace svc::cli::guards {

// What the guards remember: the orders sent today, and the latest requests. One locked file per network.

inline constexpr std::size_t intent_digits = 16;

struct Intent {
  std::string account;
  // One hash of intent_digits per order, without ids, nonces and signatures, concatenated.
  std::string hashes;
  std::int64_t orders = 0;
  TimestampMs at_ms = 0;
};

struct Standing {
  std::int64_t orders_today = 0;                   // UTC day, before this intent
  std::optional<TimestampMs> same_intent_at_ms{};  // the latest overlapping intent within the window
};

class Ledger {
 public:
  Ledger(const Paths& paths, std::string_view network)
      : file_(paths.guard_ledger(network), 1, "file", "without it the guards cannot count. Remove it to start again") {}

  // Checks and records the intent in one step, so that of ten processes with the same order one passes. Nothing is
  // recorded if `admits` refuses.
  using Admits = std::function<Result<void, Failure>(const Standing&)>;
  Result<void, Failure> enter(const Intent& intent, std::int64_t window_ms, const Admits& admits) const;

  // Only the orders of these hashes took effect, provably: the others may be sent again.
  Result<void, Failure> take_back(const Intent& intent, const std::string& hashes_that_stay) const;

 private:
  KeptDocument file_;
};

// The intent to take back if it provably had no effect.
struct Admission {
  std::optional<Intent> entered{};
};

Result<Admission, Failure> admit(Context& context, Connection& connection, const Call& call, std::string_view account);

// It was found to be accepted, or its answer was not shown: later runs refuse its repeats as well.
void remember_found(Context& context, std::string_view network, const outbox::Entry& entry);
// The repeat of a costly write of the last hour whose answer was lost, and that was accepted, or may have been, is
// refused, unless --allow-duplicate is given. If either write has an id of the user's own, or both have the same, the
// id says which write it is, and nothing is refused. (D-607)
// `coming` tells the account and the key of the call, `unknown` the earlier writes whose outcome is not known.
Result<void, Failure> check_repeated(Context& context, std::string_view network, const Call& call,
                                     const outbox::Entry& coming, const std::vector<outbox::Entry>& unknown);

// The total worth of a call's orders in 1e-6 USDX; nullopt if not known. Reads mark prices from the server.
[[nodiscard]] std::optional<std::int64_t> worth_of(Connection& connection, const Call& call);

// A refused or unsent request does not count; of a batch only the orders with these hashes do.
void take_back(Context& context, std::string_view network, const Admission& admission,
               const std::string& hashes_that_stay = {});
// The refused orders of an answered batch do not count as sent.
void take_back_refused(Context& context, std::string_view network, const Admission& admission, const Json& results);

// The orders that a request places, as the guards see them.

struct IntendedOrder {
  std::string market;
  bool buys = false;
  bool reduces = false;
  std::optional<Decimal> quantity;
  std::optional<Decimal> price;  // nullopt: a market order
};

// What an order with a quantity is worth in 1e-6 USDX, rounded up, by its limit price; a market order by mark, and so
// is a sell below mark, which trades at the book's prices. nullopt beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> worth_micro_usdx(const IntendedOrder& order, const Decimal& mark);

// True if the price is further from mark than the band allows: above it for a buy, below it for a sell.
[[nodiscard]] bool beyond_band(const IntendedOrder& order, const Decimal& mark, std::int64_t band_bps);

}  // namespace svc::cli::guards

namespace svc::cli {

// Writes that may move real money need the network on the command line and a confirmation.

// Play funds, reads and dry runs pass. On real funds (unknown counts as real) a write needs -n on the
// command line (exit 14) and --confirm NETWORK or the name typed at a prompt (exit 3); --yes is not
// enough. Cancels and reduce-only orders need only -n: the way out is never blocked.
//
// In a shell, the network name typed for one order covers the following orders of at most `notional_micro_usdx_max`.
// Everything else, and every larger order, is confirmed each time.
struct ShellOrders {
  std::optional<std::int64_t> notional_micro_usdx_max;  // nullopt: any
  // The value of the call's orders; nullopt if not known.
  std::function<std::optional<std::int64_t>()> worth_micro_usdx;
};
Result<void, Failure> guard_real_funds(Context& context, const Network& network, const Call& call,
                                       const ShellOrders& shell);

// A host that does not say which network it serves may hold real funds: signing for it, or sending it a secret, needs
// -n on the command line (exit 14) and --confirm NETWORK or the name typed (exit 3). (D-635)
Result<void, Failure> guard_silent_host(Context& context, const Network& network);

}  // namespace svc::cli
