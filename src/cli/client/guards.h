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
#include "cli/client/context.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/store/kept_document.h"
#include "cli/store/network.h"
#include "cli/terminal/failure.h"

namespace svc::cli {
class Exchange;
}

namespace svc::cli::guards {

// What the guards remember: orders sent today, and what was asked for a moment ago. One locked file per network.

inline constexpr std::size_t intent_digits = 16;

struct Intent {
  std::string account;
  // Of what is asked, without ids, nonces and signatures: intent_digits each, one for each order, one after the other.
  std::string hashes;
  std::int64_t orders = 0;
  TimestampMs at_ms = 0;
};

struct Standing {
  std::int64_t orders_today = 0;                   // UTC day, before this intent
  std::optional<TimestampMs> same_intent_at_ms{};  // the latest one within the window that has something in common
};

class Ledger {
 public:
  Ledger(const Paths& paths, std::string_view network)
      : file_(paths.guard_ledger(network), 1, "file", "without it the guards cannot count. Remove it to start again") {}

  // Looks and enters the intent in one step, so that of ten processes with the same order one passes. `admits`
  // decides; if it refuses, nothing is entered.
  using Admits = std::function<Result<void, Failure>(const Standing&)>;
  [[nodiscard]] Result<void, Failure> enter(const Intent& intent, std::int64_t window_ms, const Admits& admits) const;

  // It is proved that nothing came of the intent, but for the orders of which the hashes stay: the rest may be asked
  // for again.
  [[nodiscard]] Result<void, Failure> take_back(const Intent& intent, const std::string& hashes_that_stay) const;

 private:
  KeptDocument file_;
};

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

// The orders that a request would bring about, as far as the guards look at them.

struct IntendedOrder {
  std::string market;
  bool buys = false;
  bool reduces = false;
  std::optional<Decimal> quantity;
  std::optional<Decimal> price;  // nullopt: at market
};

// Of placing, of a batch, and of an amendment, whose missing terms are read from the open order. Empty for
// everything else.
[[nodiscard]] Result<std::vector<IntendedOrder>, Stop> intended_orders(Exchange& exchange, const Call& call);

// quantity x price in 1e-6 USDX, rounded up; nullopt beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> notional_micro_usdx(const Decimal& quantity, const Decimal& price);

// True if a buy above mark, or a sell below it, is further away than the band.
[[nodiscard]] bool beyond_band(const IntendedOrder& order, const Decimal& mark, std::int64_t band_bps);

}  // namespace svc::cli::guards

// Writes that may move real money need the network on the command line and a confirmation.

namespace svc::cli {

// Play funds, reads and dry runs pass. On real funds (unknown counts as real) a write needs -n on the
// command line (exit 14) and --confirm NETWORK or the name typed at a prompt (exit 3); --yes is not
// enough. Cancels and reduce-only orders need only -n: the way out is never blocked.
//
// In a shell the name that was typed for an order holds for those after it, as long as each is worth no more than
// `shell.notional`; everything else, and every larger order, is asked about again.
struct ShellOrders {
  std::optional<std::int64_t> notional_micro_usdx_max;  // nullopt: any
  // What the orders of the call are worth; nullopt if that cannot be told.
  std::function<std::optional<std::int64_t>()> worth_micro_usdx;
};
[[nodiscard]] Result<void, Failure> guard_real_funds(Context& context, const Network& network, const Call& call,
                                                     const ShellOrders& shell);

// A host that does not say which network it serves may be any, with real funds as well: what is signed for it, and
// every secret sent to it, needs -n on the command line (exit 14) and --confirm NETWORK or the name typed (exit 3).
// (D-635)
[[nodiscard]] Result<void, Failure> guard_silent_host(Context& context, const Network& network);

}  // namespace svc::cli
