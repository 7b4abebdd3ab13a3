#include "sim/views/market_view.h"

namespace svc::sim {
namespace {

template <class Levels>
void set_level(Levels& levels, const engine::BookLevelChanged& event) {
  if (event.quantity == Lots{})
    levels.erase(event.price);
  else
    levels[event.price] = {event.quantity, event.orders};
}

}  // namespace

void MarketView::fold(const Stamp& stamp, const engine::BookLevelChanged& event) {
  if (event.side == engine::Side::buy)
    set_level(bids_, event);
  else
    set_level(asks_, event);
  book_nonce_ = event.nonce;
  book_changed_ms_ = stamp.at_ms;
}

void MarketView::fold(const Stamp& stamp, const engine::Trade& event) {
  trades_.add({event, stamp.at_ms});
  last_ = event.price;
  const TradedRange trade = TradedRange::of(event.price, event.quantity, event.quote);
  day_.at(stamp.at_ms).merge(trade);
  ever_.merge(trade);
  candles_.add(stamp.at_ms, trade);
}

void MarketView::fold(const Stamp& stamp, const engine::Deleveraged& event) {
  ++adl_event_count_;
  adl_events_.add({event, stamp.at_ms});
}

}  // namespace svc::sim
