// The public data of one market: its book, trades, prices and status. Not thread-safe; owned by the views.
#pragma once

#include <map>

#include "base/archive.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/bounded_log.h"
#include "sim/views/candle_series.h"

namespace svc::sim {

struct PublicTrade {
  engine::Trade trade;
  TimestampMs at_ms = 0;
};

struct PremiumSample {
  Ppb premium;
  TimestampMs at_ms = 0;
};

struct SettledFunding {
  engine::FundingSettled settled;
  TimestampMs at_ms = 0;
};

class MarketView {
 public:
  struct Level {
    Lots quantity;
    std::uint32_t orders = 0;
  };
  using Bids = std::map<Ticks, Level, std::greater<>>;  // best first
  using Asks = std::map<Ticks, Level>;                  // best first

  void fold(const Stamp& at, const engine::BookLevelChanged& event) {
    if (event.side == engine::Side::buy)
      set_level(bids_, event);
    else
      set_level(asks_, event);
    book_nonce_ = event.nonce;
    book_changed_ms_ = at.at_ms;
  }
  void fold(const Stamp& at, const engine::Trade& event) {
    trades_.add({event, at.at_ms});
    last_ = event.price;
    const TradedRange trade = TradedRange::of(event.price, event.quantity, event.quote);
    day_.at(at.at_ms).merge(trade);
    ever_.merge(trade);
    candles_.add(at.at_ms, trade);
  }
  // Returns the number of the event that was dropped for this one, if any.
  std::optional<std::uint64_t> add_adl(std::uint64_t number) {
    ++adl_event_count_;
    return adl_events_.add(number);
  }
  void fold(const Stamp&, const engine::MarkChanged& event) {
    mark_ = event.mark;
    index_ = event.index;
  }
  void fold(const Stamp&, const engine::OpenInterestChanged& event) { open_interest_ = event.open_interest; }
  void fold(const Stamp&, const engine::MarketStatusChanged& event) { status_ = event; }
  void fold(const Stamp& at, const engine::FundingSampled& event) { premium_samples_.add({event.premium, at.at_ms}); }
  void fold(const Stamp& at, const engine::FundingSettled& event) { funding_rates_.add({event, at.at_ms}); }

  [[nodiscard]] const Bids& bids() const { return bids_; }
  [[nodiscard]] const Asks& asks() const { return asks_; }
  [[nodiscard]] std::uint64_t book_nonce() const { return book_nonce_; }

  [[nodiscard]] const BoundedLog<PublicTrade>& trades() const { return trades_; }
  [[nodiscard]] std::optional<Ticks> last() const { return last_; }
  [[nodiscard]] TradedRange last_day(TimestampMs now_ms) const { return day_.sums(now_ms); }
  [[nodiscard]] const TradedRange& ever() const { return ever_; }
  [[nodiscard]] const CandleSeries& candles() const { return candles_; }

  [[nodiscard]] std::optional<Ticks> mark() const { return mark_; }
  [[nodiscard]] std::optional<Ticks> index() const { return index_; }
  [[nodiscard]] Lots open_interest() const { return open_interest_; }

  [[nodiscard]] engine::MarketStatus status() const { return status_.status; }
  [[nodiscard]] const engine::MarketStatusChanged& last_status() const { return status_; }

  [[nodiscard]] std::uint64_t adl_event_count() const { return adl_event_count_; }
  // Their numbers; see VenueView::adl_event().
  [[nodiscard]] const BoundedLog<std::uint64_t>& adl_events() const { return adl_events_; }
  [[nodiscard]] const BoundedLog<PremiumSample>& premium_samples() const { return premium_samples_; }
  [[nodiscard]] const BoundedLog<SettledFunding>& funding_rates() const { return funding_rates_; }

  SVC_KEEPS(bids_, asks_, book_nonce_, book_changed_ms_, trades_, last_, day_, ever_, candles_, mark_, index_,
            open_interest_, status_, adl_event_count_, adl_events_, premium_samples_, funding_rates_);

 private:
  template <class Levels>
  static void set_level(Levels& levels, const engine::BookLevelChanged& event) {
    if (event.quantity == Lots{})
      levels.erase(event.price);
    else
      levels[event.price] = {event.quantity, event.orders};
  }

  Bids bids_;
  Asks asks_;
  std::uint64_t book_nonce_ = 0;
  TimestampMs book_changed_ms_ = 0;
  BoundedLog<PublicTrade> trades_{limits::public_trades_max};
  std::optional<Ticks> last_;
  DayWindow<TradedRange> day_;
  TradedRange ever_;
  CandleSeries candles_;
  std::optional<Ticks> mark_;
  std::optional<Ticks> index_;
  Lots open_interest_;
  engine::MarketStatusChanged status_;
  std::uint64_t adl_event_count_ = 0;
  BoundedLog<std::uint64_t> adl_events_{limits::adl_events_max};
  BoundedLog<PremiumSample> premium_samples_{limits::premium_samples_max};
  BoundedLog<SettledFunding> funding_rates_{limits::funding_rates_max};
};

}  // namespace svc::sim
