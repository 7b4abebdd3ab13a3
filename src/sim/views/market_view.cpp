#include "sim/views/market_view.h"

#include <algorithm>

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

void TradedRange::add(Ticks price, Lots quantity, Usdx value) {
  merge({.open = price,
         .high = price,
         .low = price,
         .close = price,
         .base_lots = quantity.value,
         .quote = value.value,
         .trades = 1});
}

void TradedRange::merge(const TradedRange& later) {
  if (later.trades == 0) return;
  if (trades == 0) {
    *this = later;
    return;
  }
  high = std::max(high, later.high);
  low = std::min(low, later.low);
  close = later.close;
  base_lots += later.base_lots;
  quote += later.quote;
  trades += later.trades;
}

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
  day_.minute_of(stamp.at_ms).add(event.price, event.quantity, event.quote);
  ever_.add(event.price, event.quantity, event.quote);
}

void MarketView::fold(const Stamp&, const engine::MarkChanged& event) {
  mark_ = event.mark;
  index_ = event.index;
}

void MarketView::fold(const Stamp&, const engine::OpenInterestChanged& event) {
  open_interest_ = event.open_interest;
}

void MarketView::fold(const Stamp& stamp, const engine::Deleveraged& event) {
  ++adl_event_count_;
  adl_events_.add({event, stamp.sequence, stamp.at_ms});
}

void MarketView::fold(const Stamp& stamp, const engine::FundingSampled& event) {
  premium_samples_.add({event.premium, stamp.at_ms});
}

void MarketView::fold(const Stamp& stamp, const engine::FundingSettled& event) {
  funding_rates_.add({event, stamp.at_ms});
}

void MarketView::fold(const Stamp&, const engine::MarketStatusChanged& event) {
  status_ = event;
}

}  // namespace svc::sim
