// The terms of an order as flags, and the request they make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/orders.h"
#include "api/values.h"
#include "base/decimal.h"
#include "base/result.h"
#include "cli/client/exchange.h"
#include "cli/commands/plain_write.h"
#include "cli/terminal/failure.h"

// Prices and sizes that name the market or the account instead of a number:
//
//   price   bid, ask, mid, mark, index or last, then maybe +/- a distance: mid-5bps, bid+1t (ticks), ask-0.1%, mark+25
//   size    500usdx (by value), 50%pos or 50% (of the open position), max@3x (what the free margin carries at 3x)

namespace svc::cli {

enum class PriceAnchor : std::uint8_t { bid, ask, mid, mark, index, last };
[[nodiscard]] std::string_view to_string(PriceAnchor anchor);

struct RelativePrice {
  enum class Unit : std::uint8_t { usdx, ticks, bps, percent };
  PriceAnchor anchor = PriceAnchor::mid;
  Decimal distance{};  // signed
  Unit unit = Unit::usdx;
};

struct RelativeSize {
  enum class Kind : std::uint8_t { value, position, leverage };
  Kind kind = Kind::value;
  Decimal amount{};  // USDX, per cent, or times
};

// nullopt: a plain number above zero. Exit 2 for what is neither; `flag` is named in the message.
[[nodiscard]] Result<std::optional<RelativePrice>, Failure> parse_price_term(std::string_view flag,
                                                                             const std::string& text);
[[nodiscard]] Result<std::optional<RelativeSize>, Failure> parse_size_term(std::string_view flag,
                                                                           const std::string& text);

// What the terms of an order may refer to: the market's steps and prices, the account's position and margin. Each is
// read once, when first needed. A dry run reads nothing (exit 2).
class TermReader {
 public:
  TermReader(Context& context, Exchange& exchange, api::MarketId market)
      : context_(context), exchange_(exchange), market_(std::move(market)) {}

  struct Steps {
    Decimal tick;
    Decimal lot;
    std::int64_t leverage_max = 0;
  };
  [[nodiscard]] Result<Steps, Failure> steps();

  // Exit 14 if the price is older than a few seconds by the server's clock, or if that side of the book is empty.
  [[nodiscard]] Result<Decimal, Failure> price(PriceAnchor anchor);

  // The open position's record; exit 5 without one.
  [[nodiscard]] Result<Json, Failure> position();
  [[nodiscard]] Result<Decimal, Failure> free_margin();

  // A price relative to the market, rounded to a tick; a notice shows the arithmetic.
  [[nodiscard]] Result<std::string, Failure> resolve(std::string_view what, const std::string& text,
                                                     const RelativePrice& price, Rounding rounding);
  // A size in whole lots, rounded down. `price`: the limit of the order, if it has one. A size by free margin leaves
  // room for the taker's fee and for the loss against the mark price. (D-443)
  [[nodiscard]] Result<std::string, Failure> resolve(const std::string& text, const RelativeSize& size, api::Side side,
                                                     const std::optional<std::string>& price);

  [[nodiscard]] const std::string& market() const { return market_.text; }

 private:
  [[nodiscard]] Result<const Json*, Failure> fresh(std::optional<Json>& kept, const Call& call);
  [[nodiscard]] Result<void, Failure> may_ask() const;
  // Exit 2 if the market is set to a lower leverage.
  [[nodiscard]] Result<void, Failure> check_leverage(const std::string& text, const Decimal& leverage);
  [[nodiscard]] Result<Decimal, Failure> taker_bps();
  // The worst price at which an order of this size fills; the last level if the book is not deep enough.
  [[nodiscard]] Result<Decimal, Failure> worst_price(api::Side side, const Decimal& size);
  // How much of `leverage` times the free margin a unit takes.
  [[nodiscard]] Result<Decimal, Failure> unit_cost(api::Side side, const Decimal& leverage, const Decimal& price,
                                                   const Decimal& mark);

  Context& context_;
  Exchange& exchange_;
  api::MarketId market_;
  std::optional<Steps> steps_;
  std::optional<Json> book_, ticker_, position_;
};

// `size`, `price` and `trigger_price` are numbers or relative terms.
struct OrderTerms {
  std::string market;
  std::optional<std::string> side, type, size, notional, price, tif, trigger_price, stop_price, stp;
  std::optional<std::uint64_t> trailing_bps, limit_offset_bps, max_slippage_bps;
  bool post_only = false;
  bool reduce_only = false;
  bool force = false;  // skips check_trailing()

  // Flags that `place`, `buy` and `sell` share.
  void declare(Arguments& arguments);
};

// The order of these terms; relative ones are left for resolve(). Exit 2 names a flag that is missing or that the type
// does not take.
[[nodiscard]] Result<api::OrderRequest, Failure> order_of(const OrderTerms& terms, std::string client_id);

// Exit 14 for a trailing offset that fires at once, or never. (D-735)
[[nodiscard]] Result<void, Failure> check_trailing(const api::OrderRequest& order);

// The words after `svc` that ask for this order.
[[nodiscard]] std::vector<std::string> words_of(const api::OrderRequest& order);

// Computes relative terms, exactly: prices on ticks (never worse than typed; triggers to the nearest), sizes in whole
// lots, rounded down. An order that closes a part of the position becomes reduce-only. Notices show the results. Exit 2
// in a dry run, which reads nothing.
[[nodiscard]] Result<void, Failure> resolve(TermReader& reader, const OrderTerms& terms, api::OrderRequest& order);

// Knows where to look the order up if the answer is lost.
[[nodiscard]] Call placing_call(Context& context, const api::OrderRequest& order, ActionChoice action);

// The terms that shrink a position: the other side, reduce-only, at market.
[[nodiscard]] OrderTerms closing_terms(const Json& position);

// Called with each order that closes a position or a part of it. An error ends the closing, and is returned.
using EachClosing = std::function<Result<void, Failure>(const api::OrderRequest&, const Result<Reply, Failure>&)>;
// Closes a position on these terms. If the market refuses the size, reads its largest order and closes in parts, until
// an order fails or is not filled whole. (D-787)
[[nodiscard]] Result<void, Failure> close_position(Context& context, Exchange& exchange, OrderTerms terms,
                                                   ActionChoice action, const EachClosing& each);

// Whether a record of a position has a size.
[[nodiscard]] bool is_open(const Json& position);

}  // namespace svc::cli
