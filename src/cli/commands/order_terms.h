// The terms of an order as flags, and the request they make.
#pragma once

#include <array>

#include "api/contract/orders.h"
#include "api/values.h"
#include "cli/commands/plain_write.h"

// Prices and sizes that name the market or the account instead of a number:
//
//   price   bid, ask, mid, mark, index or last, then maybe +/- a distance: mid-5bps, bid+1t (ticks), ask-0.1%, mark+25
//   size    500usdx (by value), 50%pos or 50% (of the open position), max@3x (what the free margin carries at 3x)

namespace svc::cli {

// Whether a price or a size is such a term; false: a plain number above zero. Exit 2 for what is neither; `flag` is
// named in the message.
Result<bool> is_relative_price(std::string_view flag, const std::string& text);
Result<bool> is_relative_size(std::string_view flag, const std::string& text);

// `size`, `price` and `trigger_price` are numbers or relative terms.
struct OrderTerms {
  std::string market;
  std::optional<api::Side> side;
  std::optional<api::OrderType> type;
  std::optional<api::TimeInForce> tif;
  std::optional<api::StpMode> stp;
  std::optional<std::string> size, notional, price, trigger_price, stop_price;
  std::optional<std::uint64_t> trailing_bps, limit_offset_bps, max_slippage_bps;
  bool post_only = false;
  bool reduce_only = false;
  bool force = false;  // skips check_trailing()

  // Flags that `place`, `buy` and `sell` share.
  void declare(Arguments& arguments);
};

// Under which name a term stands in a command or a file, and whether it is given.
struct GivenTerm {
  std::string_view name;
  bool is_given = false;
};
// The terms that only some types have, in this order: price, trigger price, trailing offset, limit offset, slippage.
using TermsOfType = std::array<GivenTerm, 5>;
// "needs --price" or "takes no --price"; nullopt if an order of the type may have these terms. A service ignores a term
// that the type does not take.
[[nodiscard]] std::optional<std::string> misfit(api::OrderType type, const TermsOfType& terms);

// The order of these terms; relative ones are left for resolve(). Exit 2 names a flag that is missing or that the type
// does not take.
Result<api::OrderRequest> order_of(const OrderTerms& terms, std::string client_id);

// The terms as typed if one of them is relative to the market; else empty.
[[nodiscard]] std::string typed_terms(const OrderTerms& terms, const api::OrderRequest& order);

// Exit 14 for a trailing offset that fires at once, or never. (D-735)
Result<void> check_trailing(const api::OrderRequest& order);

// The words after `svc` that ask for this order.
[[nodiscard]] std::vector<std::string> words_of(const api::OrderRequest& order);

// Computes relative terms, exactly: prices on ticks (never worse than typed; triggers to the nearest), sizes in whole
// lots, rounded down. An order that closes a part of the position becomes reduce-only. Notices show the results. Exit 2
// in a dry run, which reads nothing; exit 14 without a price that is new enough. A size by free margin leaves room for
// the taker's fee and for the loss against the mark price. (D-443)
Result<void> resolve(Context& context, Exchange& exchange, const OrderTerms& terms, api::OrderRequest& order);
// One relative price in the same way.
Result<std::string> resolve_price(Context& context, Exchange& exchange, const api::MarketId& market,
                                  const std::string& text, Rounding rounding);

// Knows where to look the order up if the answer is lost.
[[nodiscard]] Call placing_call(Context& context, const api::OrderRequest& order, ActionChoice action);

// The terms that shrink a position: the other side, reduce-only, at market; exit 10 if they cannot be read.
Result<OrderTerms> closing_terms(const Json& position);
// The same for so many per cent of the position in a market, in whole lots; exit 5 without one.
Result<OrderTerms> closing_terms(Context& context, Exchange& exchange, const api::MarketId& market,
                                 const Decimal& percent);

// Called with each order that closes a position or a part of it. An error ends the closing, and is returned.
using EachClosing = std::function<Result<void>(const api::OrderRequest&, const Result<Reply>&)>;
// Closes a position on these terms. If the market refuses the size, reads its largest order and closes in parts, until
// an order fails or is not filled whole. (D-787)
Result<void> close_position(Context& context, Exchange& exchange, OrderTerms terms, ActionChoice action,
                            const EachClosing& each);

// Whether a record of a position has a size; one that cannot be read counts as open.
[[nodiscard]] bool is_open(const Json& position);

}  // namespace svc::cli
