#include "sim/views/views.h"

#include <mutex>
#include <variant>

namespace svc::sim {

void VenueView::fold(const Stamp& stamp, const engine::Event& event) {
  totals_.sequence = stamp.sequence;
  totals_.last_event_ms = stamp.at_ms;
  ++totals_.events;
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (requires(MarketView & view) { view.fold(stamp, body); })
          markets_[body.market.value].fold(stamp, body);
        if constexpr (std::is_same_v<Body, engine::OrderChanged>) accounts_[body.order.account].fold(stamp, body);
        if constexpr (std::is_same_v<Body, engine::PositionClosed> || std::is_same_v<Body, engine::FundingPaid>)
          accounts_[body.account].fold(stamp, body);
        if constexpr (std::is_same_v<Body, engine::Fill>) {
          accounts_[body.account].fold(stamp, body);
          ++totals_.fills;
        }
        if constexpr (std::is_same_v<Body, engine::FundsMoved>)
          accounts_[body.account].add_funds({.id = ++funds_rows_,
                                             .kind = body.kind,
                                             .amount = body.amount,
                                             .sequence = stamp.sequence,
                                             .at_ms = stamp.at_ms});
        if constexpr (std::is_same_v<Body, engine::Deleveraged>) {
          accounts_[body.target].fold(stamp, body);
          for (const engine::AdlClosure& closure : body.closures) accounts_[closure.account].fold(stamp, body);
        }
        if constexpr (std::is_same_v<Body, engine::LiquidationStarted>) ++totals_.liquidations;
      },
      event);
}

const AccountView& VenueView::account(const Address& address) const {
  static const AccountView nothing;
  const auto found = accounts_.find(address);
  return found == accounts_.end() ? nothing : found->second;
}

void Views::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  const std::lock_guard one_by_one(door_);
  const std::unique_lock lock(mutex_);
  for (const engine::Event& event : events) venue_.fold(stamp, event);
}

}  // namespace svc::sim
