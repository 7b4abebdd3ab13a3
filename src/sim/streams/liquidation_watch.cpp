#include "sim/streams/liquidation_watch.h"

namespace svc::sim {

std::vector<BucketHealth> buckets_of(const engine::AccountFigures& figures, std::span<const engine::PositionRow> rows) {
  BucketHealth cross{.market = std::nullopt, .equity = figures.balance.value, .maintenance = 0};
  std::vector<BucketHealth> buckets;
  bool has_cross = false;
  for (const engine::PositionRow& row : rows) {
    if (row.mode == engine::MarginMode::isolated) {
      buckets.push_back({.market = row.market,
                         .equity = static_cast<i128>(row.isolated.value) + row.unrealized_pnl.value,
                         .maintenance = row.maintenance_margin.value});
      continue;
    }
    has_cross = true;
    cross.equity += row.unrealized_pnl.value;
    cross.maintenance += row.maintenance_margin.value;
  }
  if (has_cross) buckets.insert(buckets.begin(), cross);
  return buckets;
}

std::optional<api::AlertSeverity> severity_of(const BucketHealth& health) {
  if (health.maintenance == 0 || 2 * health.equity > 3 * health.maintenance) return std::nullopt;
  if (5 * health.equity > 6 * health.maintenance) return api::AlertSeverity::warning;
  if (20 * health.equity > 21 * health.maintenance) return api::AlertSeverity::critical;
  return api::AlertSeverity::imminent;
}

std::vector<AlertBands::Alert> AlertBands::update(std::span<const BucketHealth> buckets) {
  std::vector<Alert> alerts;
  std::map<std::optional<engine::MarketIndex>, api::AlertSeverity> now;
  for (const BucketHealth& health : buckets) {
    const auto severity = severity_of(health);
    if (!severity) continue;
    const auto before = bands_.find(health.market);
    const bool worse = before == bands_.end() || *severity > before->second;
    if (worse && looked_) alerts.push_back({health, *severity});
    now.emplace(health.market, *severity);
  }
  bands_ = std::move(now);
  looked_ = true;
  return alerts;
}

void LiquidationGatherer::close(const Stamp& stamp, const Address& account, engine::Side side,
                                const ForcedClosure& part) {
  Gathered& gathered = by_account_[account];
  gathered.stamp = stamp;
  ForcedClosure& closure = gathered.closures[part.market];
  closure.market = part.market;
  closure.lots += part.lots;
  closure.quote += part.quote;
  closure.amount += part.amount;
  const i128 unit = engine::quote_unit(markets_.spec(part.market));
  const i128 at_mark = unit * marks_[part.market.value].value * part.lots.value;
  gathered.effect += engine::sign(side) * (at_mark - part.quote.value);
}

void LiquidationGatherer::fold(const Stamp& stamp, const engine::Fill& event) {
  if (!event.is_liquidation || event.is_maker) return;
  close(stamp, event.account, event.side,
        {.market = event.market,
         .lots = event.quantity,
         .quote = event.quote,
         .amount = event.realized_pnl - event.liquidation_fee});
  by_account_[event.account].effect -= event.liquidation_fee.value;
}

void LiquidationGatherer::fold(const Stamp& stamp, const engine::InsuranceChanged& event) {
  if (event.cause != engine::FundCause::shortfall && event.cause != engine::FundCause::bad_debt) return;
  Gathered& gathered = by_account_[event.account];
  gathered.stamp = stamp;
  gathered.effect -= event.delta.value;
}

// A position goes over at the bankruptcy price, free of fees.
void LiquidationGatherer::fold(const Stamp& stamp, const engine::Deleveraged& event) {
  Lots lots{};
  for (const engine::AdlClosure& closed : event.closures) lots += closed.quantity;
  if (lots == Lots{} || event.bankruptcy_lots == Lots{}) return;
  const Usdx quote{mul_div(event.bankruptcy_quote.value, lots.value, event.bankruptcy_lots.value, Rounding::half_up)};
  close(stamp, event.target, engine::opposite(event.target_side),
        {.market = event.market, .lots = lots, .quote = quote, .amount = event.realized});
}

std::vector<Liquidation> LiquidationGatherer::take() {
  std::vector<Liquidation> all;
  for (auto& [account, gathered] : by_account_) {
    if (gathered.closures.empty()) continue;
    Liquidation& liquidation = all.emplace_back();
    liquidation.stamp = gathered.stamp;
    liquidation.account = account;
    liquidation.effect = gathered.effect;
    for (const auto& [market, closed] : gathered.closures) liquidation.closures.push_back(closed);
  }
  by_account_.clear();
  return all;
}

}  // namespace svc::sim
