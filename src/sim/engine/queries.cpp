#include "sim/engine/queries.h"

#include "sim/engine/funding.h"
#include "sim/engine/liquidation.h"
#include "sim/engine/margin.h"

namespace svc::engine {
namespace {

std::optional<Ticks> price_or_none(Ticks price) {
  if (price == Ticks{}) return std::nullopt;
  return price;
}

PositionChanged totals_of(const Account& account, const Market& market, const Holding& holding) {
  const Position& position = holding.position;
  return {.account = account.address,
          .market = market.index,
          .size = position.size,
          .cost = position.cost,
          .isolated = position.isolated,
          .mode = holding.mode,
          .realized_pnl = position.episode.realized,
          .fees = position.episode.fees,
          .funding = position.episode.funding,
          .realized_total = position.life.realized,
          .fees_total = position.life.fees,
          .funding_total = position.life.funding,
          .opened_ms = position.opened_ms};
}

}  // namespace

AccountFigures figures_of(const State& state, const Account& account) {
  AccountFigures figures;
  i128 collateral = account.balance.value;
  i128 unrealized = 0;
  i128 initial = 0;
  i128 maintenance = 0;
  i128 reserved = 0;
  for (const Market& market : state.markets) {
    const Holding& holding = account.holdings[market.index.value];
    const Position& position = holding.position;
    reserved += order_margin(market, holding);
    figures.open_orders += static_cast<std::uint32_t>(holding.open_orders());
    if (!holding.has_position()) continue;
    ++figures.open_positions;
    collateral += position.isolated.value;
    unrealized += holding.valuation.unrealized;
    initial += holding.valuation.initial;
    maintenance += holding.valuation.maintenance;
  }
  figures.balance = account.balance;
  figures.collateral = saturated(collateral);
  figures.unrealized_pnl = saturated(unrealized);
  figures.equity = saturated(collateral + unrealized);
  figures.initial_margin = saturated(initial);
  figures.maintenance_margin = saturated(maintenance);
  figures.order_margin = saturated(reserved);
  figures.available = saturated(available(state, account));
  figures.withdrawable = withdrawable(state, account);
  figures.in_liquidation = in_liquidation(account);
  return figures;
}

std::vector<PositionRow> position_rows(const State& state, const Account& account) {
  std::vector<PositionRow> rows;
  const Health cross = cross_health(state, account);
  for (const Market& market : state.markets) {
    const Holding& holding = account.holdings[market.index.value];
    if (!holding.has_position()) continue;
    const Position& position = holding.position;
    const bool isolated = holding.mode == MarginMode::isolated;
    const i128 unrealized = holding.valuation.unrealized;
    const i128 maintenance = holding.valuation.maintenance;
    const i128 collateral =
        isolated ? position.isolated.value : cross.equity - unrealized - (cross.maintenance - maintenance);
    const std::int64_t leverage = market.terms(holding).leverage;
    rows.push_back({.market = market.index,
                    .size = position.size,
                    .cost = position.cost,
                    .mode = holding.mode,
                    .leverage = leverage,
                    .isolated = position.isolated,
                    .mark = market.mark,
                    .notional = saturated(market.notional(position)),
                    .unrealized_pnl = saturated(unrealized),
                    .initial_margin = saturated(holding.valuation.initial),
                    .maintenance_margin = saturated(maintenance),
                    .order_margin = saturated(order_margin(market, holding)),
                    .liquidation_price = liquidation_price(market, position, collateral),
                    .totals = totals_of(account, market, holding)});
  }
  return rows;
}

MarketFigures figures_of(const Market& market, TimestampMs now_ms) {
  return {.status = market.status,
          .halt_reason = market.halt_reason,
          .halted_ms = market.halted_ms,
          .oracle_stale = market.stale(now_ms),
          .price_mode = market.price_mode,
          .index = price_or_none(market.index_price),
          .mark = price_or_none(market.mark),
          .last = price_or_none(market.last),
          .best_bid = market.book.best(Side::buy),
          .best_ask = market.book.best(Side::sell),
          .open_interest = market.open_interest,
          .trade_count = market.trade_count,
          .volume_total = market.volume,
          .adl_event_count = market.adl_events,
          .book_nonce = market.book_nonce,
          .funding_rate = funding_rate(market.spec, market.premium_sum, market.premium_samples).rate};
}

std::vector<BookLevel> levels_of(const Market& market, Side side, std::size_t depth) {
  std::vector<BookLevel> levels;
  for (auto price = market.book.best(side); price && levels.size() < depth; price = market.book.worse(side, *price)) {
    const Level& level = market.book.level(*price);
    levels.push_back({*price, {level.lots}, level.orders});
  }
  return levels;
}

}  // namespace svc::engine
