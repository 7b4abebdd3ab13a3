// The terms of an order as flags, and the request they make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/records/orders.h"
#include "cli/commands/term_reader.h"
#include "cli/commands/write_flags.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

// `size`, `price` and `trigger_price` are numbers or terms of relative_terms.h.
struct OrderTerms {
  std::string market;
  std::optional<std::string> side, type, size, notional, price, tif, trigger_price, stop_price, stp;
  std::optional<std::uint64_t> trailing_bps, limit_offset_bps, max_slippage_bps;
  bool post_only = false;
  bool reduce_only = false;
  bool force = false;  // what check_trailing() refuses is meant

  // Flags that `place`, `buy` and `sell` share.
  void declare(Arguments& arguments);
};

// What the words mean; terms that refer to the market or the account are left for resolve(). Exit 2 names the
// flag that is missing or does not belong to the type.
[[nodiscard]] Result<api::OrderRequest, Failure> order_of(const OrderTerms& terms, std::string client_id);

// Exit 14 for a trailing offset that fires at the first price, or never can. (D-735)
[[nodiscard]] Result<void, Failure> check_trailing(const api::OrderRequest& order);

// The words after `svc` that ask for this order.
[[nodiscard]] std::vector<std::string> words_of(const api::OrderRequest& order);

// Fills in what is relative: prices on ticks (never worse than what was typed; triggers to the nearest), sizes
// in whole lots, rounded down; a part of the position that is sold out of it, or bought back, becomes reduce-only. Exact,
// and told on standard error. Exit 2 in a dry run, which reads nothing.
[[nodiscard]] Result<void, Stop> resolve(TermReader& reader, const OrderTerms& terms, api::OrderRequest& order);

}  // namespace svc::cli
