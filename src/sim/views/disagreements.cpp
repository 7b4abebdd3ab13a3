#include "sim/views/disagreements.h"

#include <algorithm>
#include <limits>

namespace svc::sim {
namespace {

template <class Levels>
bool same_levels(const std::vector<engine::BookLevel>& book, const Levels& levels) {
  return std::ranges::equal(book, levels, [](const engine::BookLevel& level, const auto& seen) {
    return level.price == seen.first && level.quantity == seen.second.quantity && level.orders == seen.second.orders;
  });
}

void compare_market(const engine::Engine& engine, engine::MarketIndex index, const MarketView& view, TimestampMs now_ms,
                    std::vector<std::string>& found) {
  const std::string& id = engine.spec(index).id;
  const engine::MarketFigures figures = engine.market(index, now_ms);
  const auto differs = [&](bool agrees, const char* what) {
    if (!agrees) found.push_back("views: " + id + ": " + what + " differs from the engine's");
  };
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  differs(same_levels(engine.book(index, engine::Side::buy, all), view.bids()), "bid side");
  differs(same_levels(engine.book(index, engine::Side::sell, all), view.asks()), "ask side");
  differs(figures.book_nonce == view.book_nonce(), "book nonce");
  differs(figures.trade_count == view.ever().trades, "number of trades");
  differs(figures.volume_total.value == view.ever().quote, "volume");
  differs(figures.mark == view.mark(), "mark price");
  differs(figures.index == view.index(), "index price");
  differs(figures.open_interest == view.open_interest(), "open interest");
  differs(figures.status == view.status(), "status");
  differs(figures.adl_event_count == view.adl_event_count(), "number of deleveraging events");
}

void compare_orders(const engine::Engine& engine, const Address& account, const AccountView& view,
                    std::vector<std::string>& found) {
  const auto same = [](const engine::OrderRecord& order, const engine::OrderRecord& seen) {
    return order.id == seen.id && order.status == seen.status && order.quantity == seen.quantity &&
           order.filled == seen.filled && order.price == seen.price;
  };
  auto orders = engine.open_orders(account);
  std::ranges::sort(orders, {}, &engine::OrderRecord::id);
  const bool agrees = orders.size() == view.open_orders().size() &&
                      std::ranges::equal(orders, view.open_orders(),
                                         [&](const auto& order, const auto& seen) { return same(order, seen.second); });
  if (!agrees) found.push_back("views: open orders of " + to_string(account) + " differ from the engine's");
}

void compare_money(const engine::Engine& engine, const Address& account, const VenueView& view,
                   std::vector<std::string>& found) {
  const engine::AccountFigures figures = engine.account(account);
  const bool agrees = view.portfolio(account).equity == figures.equity.value &&
                      view.account(account).portfolio().collateral() == figures.collateral.value;
  if (!agrees) found.push_back("views: money of " + to_string(account) + " differs from the engine's");
  const BoundedLog<Activity>& activity = view.account(account).activity();
  i128 moved = 0;
  for (const Activity& row : activity.rows()) moved += row.amount.value;
  if (activity.forgotten() == 0 && moved != figures.collateral.value)
    found.push_back("views: activity of " + to_string(account) + " does not add up to its collateral");
}

}  // namespace

std::vector<std::string> disagreements(const engine::Engine& engine, const VenueView& view, TimestampMs now_ms) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    const engine::MarketIndex index{static_cast<std::uint16_t>(i)};
    compare_market(engine, index, view.market(index), now_ms, found);
  }
  for (const Address& account : engine.accounts()) {
    compare_orders(engine, account, view.account(account), found);
    compare_money(engine, account, view, found);
  }
  return found;
}

}  // namespace svc::sim
