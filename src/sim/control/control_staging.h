// What would otherwise need other people or a long wait: a trade, the fill of an order, a liquidation, a deleveraging.
//
// None of it bends a rule: two accounts of the house trade on the book like anybody, and distress comes from a mark
// price at which it is due. (D-532)
#pragma once

#include <map>
#include <string>

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlStaging {
 public:
  explicit ControlStaging(ControlledVenue venue) : venue_(std::move(venue)) {}

  // {"quantity"}, "price" (else the mark), "side" of the taker (else Buy). The market is the segment before the last.
  [[nodiscard]] ControlAnswer trade(const api::HttpRequest& request) const;
  // {} or {"quantity"}: the order rests, and somebody takes it. Who stands before it fills first.
  [[nodiscard]] ControlAnswer fill(const api::HttpRequest& request) const;
  // {} or {"market_id"}: the mark moves to where the position is liquidated, one tick beyond its last healthy one.
  [[nodiscard]] ControlAnswer liquidate(const api::HttpRequest& request) const;
  // Likewise, to where its bucket is worth nothing; those whose resting orders would take it leave the book first.
  [[nodiscard]] ControlAnswer deleverage(const api::HttpRequest& request) const;

 private:
  using Sizes = std::map<Address, Lots>;  // of everybody's position in a market
  struct Before {
    engine::MarketIndex market;
    Sizes sizes;
    std::uint64_t trades = 0;
    std::uint64_t deleveragings = 0;
  };
  struct Position {
    Address account;
    engine::PositionRow row;
  };

  [[nodiscard]] Result<engine::MarketIndex, api::ApiError> market_named(const std::string& id) const;
  [[nodiscard]] Result<Position, api::ApiError> position_of(const api::HttpRequest& request) const;
  [[nodiscard]] Before look(engine::MarketIndex market) const;
  // What has changed since.
  [[nodiscard]] std::string report(const Before& before) const;
  [[nodiscard]] Result<void, api::ApiError> apply(CommandBody command) const;
  // With enough play money for the order, whatever it holds.
  [[nodiscard]] Result<void, api::ApiError> place(const Address& house, const engine::OrderParams& order) const;
  [[nodiscard]] Result<void, api::ApiError> set_mark(engine::MarketIndex market, Ticks mark) const;

  ControlledVenue venue_;
};

}  // namespace svc::sim
