// What the terms of an order may refer to: the market's steps and prices, the account's position and
// margin. Each is read once, when first asked for, and never in a dry run, which asks nobody (exit 2).
#pragma once

#include <optional>
#include <string>

#include "api/market_id.h"
#include "api/records/order_terms.h"
#include "base/decimal.h"
#include "cli/commands/relative_terms.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

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
  // The worst price that an order of this size takes on its way through the book; the last one if it is not deep enough.
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

}  // namespace svc::cli
