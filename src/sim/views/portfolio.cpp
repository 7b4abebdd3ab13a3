#include "sim/views/portfolio.h"

#include <algorithm>

namespace svc::sim {

void Portfolio::fold(const engine::BalanceChanged& event) {
  opened_ = true;
  balance_ = event.balance;
  if (event.cause == engine::BalanceCause::funds || event.cause == engine::BalanceCause::transfer)
    funded_ += event.delta;
}

void Portfolio::fold(const engine::Fill& event) {
  opened_ = true;
  volume_ += event.quote.value;
}

Usdx Portfolio::fold(const engine::PositionChanged& event) {
  opened_ = true;
  Held& held = held_[event.market];
  const Usdx realized = event.realized_total - held.realized_total;
  held = {.size = event.size, .cost = event.cost, .isolated = event.isolated, .realized_total = event.realized_total};
  return realized;
}

bool Portfolio::holds_position() const {
  return std::ranges::any_of(held_, [](const auto& row) { return row.second.size != Lots{}; });
}

i128 Portfolio::collateral() const {
  i128 total = balance_.value;
  for (const auto& [market, held] : held_) total += held.isolated.value;
  return total;
}

PortfolioFigures Portfolio::figures(const LotValues& lot_values) const {
  i128 equity = collateral();
  for (const auto& [market, held] : held_) equity += held.size.value * lot_values[market.value] - held.cost.value;
  return {.equity = equity, .funded = funded_.value, .volume = volume_};
}

}  // namespace svc::sim
