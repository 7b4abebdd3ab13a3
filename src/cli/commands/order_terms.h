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

// What the terms of an order may refer to: the market's steps and prices, the account's position and
// margin. Each is read once, when first asked for, and never in a dry run, which asks nobody (exit 2).

class TermReader {
 public:
  TermReader(Context& context, Exchange& exchange, api::MarketId market)
      : context_(context), exchange_(exchange), market_(std::move(market)) {}

  struct Steps {
    Decimal tick;
    Decimal lot;
  };
  [[nodiscard]] Result<Steps, Stop> steps();

  // Exit 14 for a price older than a few seconds by the server's own clock, and for a side of the book that
  // is empty: nobody would know what the order means.
  [[nodiscard]] Result<Decimal, Stop> price(PriceAnchor anchor);

  // The open position's record; exit 5 without one.
  [[nodiscard]] Result<Json, Stop> position();
  [[nodiscard]] Result<Decimal, Stop> free_margin();

  // A price relative to the market, rounded to a tick, with the arithmetic told on standard error.
  [[nodiscard]] Result<std::string, Stop> resolve(std::string_view what, const std::string& text,
                                                  const RelativePrice& price, Rounding rounding);
  // A size in whole lots, rounded down. `price`: what a unit costs, of orders with a limit. What the free margin
  // carries leaves room for the taker's fee and for how far from the mark the order may trade. (D-443)
  [[nodiscard]] Result<std::string, Stop> resolve(const std::string& text, const RelativeSize& size, api::Side side,
                                                  const std::optional<std::string>& price);

  [[nodiscard]] const std::string& market() const { return market_.text; }

 private:
  [[nodiscard]] Result<const Json*, Stop> fresh(std::optional<Json>& kept, const Call& call);
  [[nodiscard]] Result<void, Stop> may_ask() const;
  // Exit 2 if margin is taken by a lower leverage than that.
  [[nodiscard]] Result<void, Stop> check_leverage(const std::string& text, const Decimal& leverage);
  [[nodiscard]] Result<Decimal, Stop> taker_bps();
  // The worst price that an order of this size takes on its way through the book; the last one if it is not deep
  // enough.
  [[nodiscard]] Result<Decimal, Stop> worst_price(api::Side side, const Decimal& size);
  // What a unit binds of `leverage` times the free margin.
  [[nodiscard]] Result<Decimal, Stop> unit_cost(api::Side side, const Decimal& leverage, const Decimal& price,
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
// in whole lots, rounded down; a part of the position that is sold out of it, or bought back, becomes reduce-only.
// Exact, and told on standard error. Exit 2 in a dry run, which reads nothing.
[[nodiscard]] Result<void, Stop> resolve(TermReader& reader, const OrderTerms& terms, api::OrderRequest& order);

}  // namespace svc::cli
