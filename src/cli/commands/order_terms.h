// The terms of an order as flags, and the request they make.
#pragma once

#include <optional>
#include <string>

#include "api/records/orders.h"
#include "base/decimal.h"
#include "cli/commands/write_flags.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

struct OrderTerms {
  std::string market;
  std::optional<std::string> side, type, size, notional, price, tif, trigger_price, stop_price, stp;
  std::optional<std::uint64_t> trailing_bps, limit_offset_bps, max_slippage_bps;
  bool post_only = false;
  bool reduce_only = false;

  // Flags that `place`, `buy` and `sell` share.
  void declare(Arguments& arguments);
};

// What the words mean, but for the size of a --notional. Exit 2 names the flag that is missing or does
// not belong to the type.
[[nodiscard]] Result<api::OrderRequest, Failure> order_of(const OrderTerms& terms, std::string client_id);

// Turns --notional into a size: whole lots, rounded down, at the limit price or else the mark price.
// Reads the market; exact. Exit 2 in a dry run, which reads nothing.
[[nodiscard]] Result<void, Stop> resolve_notional(Context& context, Exchange& exchange, const OrderTerms& terms,
                                                  api::OrderRequest& order);

// How many whole lots a notional buys at a price, rounded down; nullopt beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> lots_for(const Decimal& notional, const Decimal& price, const Decimal& lot);

}  // namespace svc::cli
