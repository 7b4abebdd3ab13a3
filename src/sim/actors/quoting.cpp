#include "sim/actors/quoting.h"

#include <algorithm>
#include <cstdlib>

namespace svc::sim {
namespace {

struct Placed {
  const Quote* quote;
  Ticks price;
};

// Best first.
template <class List, class Price>
void sort_best_first(List& list, engine::Side side, Price price) {
  std::ranges::stable_sort(list, [&](const auto& a, const auto& b) {
    return side == engine::Side::buy ? price(a) > price(b) : price(a) < price(b);
  });
}

class SideKeeper {
 public:
  SideKeeper(const Scene& scene, Desk& desk, engine::Side side, const std::vector<engine::OrderRecord>& open,
             const std::vector<Quote>& quotes)
      : scene_(scene), desk_(desk), side_(side) {
    for (const engine::OrderRecord& order : open)
      if (order.side == side && order.market == scene.market) open_.push_back(&order);
    for (const Quote& quote : quotes)
      if (quote.side == side && quote.value > Usdx{})
        wanted_.push_back({.quote = &quote, .price = scene.ticks_of(quote.price, side)});
    sort_best_first(open_, side, [](const auto* order) { return order->price; });
    sort_best_first(wanted_, side, [](const Placed& placed) { return placed.price; });
  }

  void keep() {
    for (std::size_t i = wanted_.size(); i < open_.size(); ++i) desk_.cancel(open_[i]->id);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const Placed& placed = wanted_[i];
      const Lots lots = scene_.lots_worth(placed.quote->value, placed.price);
      if (i >= open_.size())
        desk_.post(side_, placed.price, lots);
      else if (must_move(*open_[i], placed, lots))
        desk_.amend(open_[i]->id, placed.price, lots + open_[i]->filled);
    }
  }

 private:
  [[nodiscard]] bool must_move(const engine::OrderRecord& order, const Placed& placed, Lots lots) const {
    if (2 * order.remaining().value < lots.value || order.remaining().value > 2 * lots.value) return true;
    const std::int64_t off = std::abs(order.price.value - placed.price.value);
    const std::int64_t patience = mul_div(placed.price.value, placed.quote->patience_ppb, ppb_one, Rounding::down);
    return off > std::max<std::int64_t>(2, patience);
  }

  const Scene& scene_;
  Desk& desk_;
  const engine::Side side_;
  std::vector<const engine::OrderRecord*> open_;
  std::vector<Placed> wanted_;
};

}  // namespace

void keep_quotes(const Scene& scene, Desk& desk, const Address& account, const std::vector<Quote>& quotes) {
  const auto open = scene.engine.open_orders(account);
  SideKeeper bids(scene, desk, engine::Side::buy, open, quotes);
  SideKeeper asks(scene, desk, engine::Side::sell, open, quotes);
  // A new bid must not meet an ask that is about to rise.
  const auto best_ask = scene.figures.best_ask;
  const bool rising = best_ask && std::ranges::any_of(quotes, [&](const Quote& quote) {
                        return quote.side == engine::Side::buy && scene.ticks_of(quote.price, quote.side) >= *best_ask;
                      });
  if (rising) {
    asks.keep();
    bids.keep();
  } else {
    bids.keep();
    asks.keep();
  }
}

}  // namespace svc::sim
