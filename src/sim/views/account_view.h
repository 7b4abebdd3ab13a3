// The history and the open orders of an account. Not thread-safe; owned by the views.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/address.h"
#include "base/archive.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/engine/terms.h"
#include "sim/views/bounded_log.h"
#include "sim/views/candle_series.h"
#include "sim/views/market_view.h"
#include "trade/words.h"

namespace svc::sim {

using trade::ActivityCause;

// The record behind a row, by its number among records of its kind. (D-706)
struct Reference {
  enum class Kind : std::uint8_t { nothing, fill, funds, withdrawal, bridge_withdrawal, transfer, adl_event };
  Kind kind = Kind::nothing;
  std::uint64_t number = 0;
};

// What changed the money of an account, one row per cause. The amounts of all rows add up to the collateral: the
// cross balance and the isolated margins. (D-282)
struct Activity {
  std::uint64_t number = 0;  // of the account's rows, from 1
  ActivityCause cause = ActivityCause::deposit;
  std::optional<engine::MarketIndex> market{};
  Usdx amount{};  // signed, from the account's view
  Reference reference{};
  TimestampMs at_ms = 0;
};

[[nodiscard]] constexpr ActivityCause cause_of(engine::FundsKind kind) {
  switch (kind) {
    case engine::FundsKind::deposit: return ActivityCause::deposit;
    case engine::FundsKind::faucet: return ActivityCause::faucet;
    case engine::FundsKind::credit: return ActivityCause::credit;
    case engine::FundsKind::bridge_deposit: return ActivityCause::bridge_deposit;
    case engine::FundsKind::operator_grant: return ActivityCause::operator_grant;
    case engine::FundsKind::withdrawal: return ActivityCause::withdrawal;
    case engine::FundsKind::bridge_withdrawal: return ActivityCause::bridge_withdrawal;
    case engine::FundsKind::withdrawal_reversal: return ActivityCause::withdrawal_reversal;
  }
  SVC_ASSERT(false);
}

// True if money of this kind leaves the account.
[[nodiscard]] constexpr bool is_outflow(engine::FundsKind kind) {
  return kind == engine::FundsKind::withdrawal || kind == engine::FundsKind::bridge_withdrawal;
}

// How often portfolios are sampled, shortest first; each is a multiple of the one before.
enum class Cadence : std::uint8_t { seconds_5, minutes_5, hour, hours_6, day };
struct CadenceTerms {
  std::int64_t period_ms;
  std::int64_t points;  // kept
};
inline constexpr std::array<CadenceTerms, 5> cadences{{{5 * second_ms, limits::equity_points_max},
                                                       {5 * minute_ms, 288},
                                                       {hour_ms, 168},
                                                       {6 * hour_ms, 120},
                                                       {day_ms, 366}}};
[[nodiscard]] constexpr const CadenceTerms& terms_of(Cadence cadence) {
  return cadences[static_cast<std::size_t>(cadence)];
}

// Value of one lot of each market at mark, 1e-6 USDX.
using LotValues = std::vector<i128>;

// All in 1e-6 USDX; 128 bits, since the value of a position may exceed 64.
struct PortfolioFigures {
  i128 equity = 0;  // cross balance, isolated margins and open profit at mark
  i128 funded = 0;  // deposits and other income, minus withdrawals; equity minus funded is the profit
  i128 volume = 0;  // traded, as maker and as taker
  bool operator==(const PortfolioFigures&) const = default;
};

// The money of an account, computed from its events: its present value, and its value at every sampled instant: the
// multiples of each cadence since 1970. A sample shows the account after everything that happened up to and at that
// instant. (D-281)
class Portfolio {
 public:
  void fold(const engine::BalanceChanged& event) {
    opened_ = true;
    balance_ = event.balance;
    if (event.cause == engine::BalanceCause::funds || event.cause == engine::BalanceCause::transfer)
      funded_ += event.delta.value;
  }
  void fold(const engine::Fill& event) {
    opened_ = true;
    volume_ += event.quote.value;
  }
  // Returns the profit realized by this change in its market.
  Usdx fold(const engine::PositionChanged& event) {
    opened_ = true;
    Held& held = held_[event.market];
    const Usdx realized = event.realized_total - held.realized_total;
    held = {.size = event.size, .cost = event.cost, .isolated = event.isolated, .realized_total = event.realized_total};
    return realized;
  }

  // True once its money has changed.
  [[nodiscard]] bool opened() const { return opened_; }
  [[nodiscard]] bool holds_position() const {
    return std::ranges::any_of(held_, [](const auto& row) { return row.second.size != Lots{}; });
  }
  // Cross balance and isolated margins.
  [[nodiscard]] i128 collateral() const {
    i128 total = balance_.value;
    for (const auto& [market, held] : held_) total += held.isolated.value;
    return total;
  }
  [[nodiscard]] PortfolioFigures figures(const LotValues& lot_values) const {
    i128 equity = collateral();
    for (const auto& [market, held] : held_) equity += held.size.value * lot_values[market.value] - held.cost.value;
    return {.equity = equity, .funded = funded_, .volume = volume_};
  }

  void sample(Cadence cadence, std::int64_t number, const PortfolioFigures& figures) {
    history_[static_cast<std::size_t>(cadence)].put(number, figures, terms_of(cadence).points);
  }
  [[nodiscard]] const StepSeries<PortfolioFigures>& history(Cadence cadence) const {
    return history_[static_cast<std::size_t>(cadence)];
  }

  SVC_KEEPS(opened_, balance_, funded_, volume_, held_, history_);

 private:
  struct Held {
    Lots size{};  // signed
    Usdx cost{};
    Usdx isolated{};
    Usdx realized_total{};
  };

  bool opened_ = false;
  Usdx balance_;
  i128 funded_ = 0;
  i128 volume_ = 0;
  std::map<engine::MarketIndex, Held> held_;  // including flat ones
  std::array<StepSeries<PortfolioFigures>, cadences.size()> history_;
};

struct OwnFill {
  engine::Fill fill;
  TimestampMs at_ms = 0;
};

// Money deposited or withdrawn.
struct FundsRow {
  std::uint64_t id = 0;  // counts over the whole venue, from 1
  engine::FundsKind kind = engine::FundsKind::deposit;
  Usdx amount;
  std::uint64_t record = 0;   // of a withdrawal: its number in the service; 0: none
  engine::Sequence sequence;  // of the command that moved it
  TimestampMs at_ms = 0;
};

struct FundingPayment {
  engine::FundingPaid paid;
  TimestampMs at_ms = 0;
};

struct AccountDay {
  i128 volume = 0;        // 1e-6 USDX, as maker and as taker
  i128 realized_pnl = 0;  // 1e-6 USDX, gross of fees: by fills, deleveraging and delisting

  void merge(const AccountDay& later) {
    volume += later.volume;
    realized_pnl += later.realized_pnl;
  }
};

struct TradedVolume {
  i128 quote = 0;  // 1e-6 USDX, as maker and as taker

  void merge(const TradedVolume& later) { quote += later.quote; }
};

class AccountView {
 public:
  void fold(const Stamp& stamp, const engine::OrderChanged& event);
  void fold(const Stamp& stamp, const engine::Fill& event);
  void fold(const Stamp&, const engine::PositionClosed& event) { closed_positions_.add(event); }
  void fold(const Stamp& stamp, const engine::FundingPaid& event);
  void fold(const Stamp&, const engine::BalanceChanged& event) { portfolio_.fold(event); }
  void fold(const Stamp& stamp, const engine::PositionChanged& event);
  // A payment between the insurance fund and this account.
  void fold(const Stamp& stamp, const engine::InsuranceChanged& event);
  // The account was the target or a counterparty of this event; adds no activity. Returns the number of the event that
  // was dropped for this one, if any.
  std::optional<std::uint64_t> add_adl(std::uint64_t number) { return adl_events_.add(number); }
  void add_funds(FundsRow row);
  // Assigns the row's number.
  void add_activity(Activity row) {
    row.number = activity_.forgotten() + activity_.rows().size() + 1;
    activity_.add(row);
  }
  // For its orders, fills, activity and the like: for accounts that nobody reads.
  void keep_at_most(std::size_t rows) {
    ended_orders_.keep_at_most(rows);
    fills_.keep_at_most(rows);
    closed_positions_.keep_at_most(rows);
    funds_.keep_at_most(rows);
    funding_.keep_at_most(rows);
    adl_events_.keep_at_most(rows);
    activity_.keep_at_most(rows);
  }

  // Only that many of its orders that ended are kept, for now.
  void forget_ended_orders(std::size_t kept) {
    while (ended_orders_.rows().size() > kept) ended_by_id_.erase(ended_orders_.forget_oldest().id.value);
  }

  // Resting orders and untriggered conditionals, in acceptance order.
  [[nodiscard]] const std::map<engine::OrderId, engine::OrderRecord>& open_orders() const { return open_orders_; }
  // Open, or ended and still kept.
  [[nodiscard]] const engine::OrderRecord* order(engine::OrderId id) const {
    if (const auto open = open_orders_.find(id); open != open_orders_.end()) return &open->second;
    const auto ended = ended_by_id_.find(id.value);
    return ended == ended_by_id_.end() ? nullptr : &ended_orders_.row(ended->second);
  }

  [[nodiscard]] const BoundedLog<engine::OrderRecord>& ended_orders() const { return ended_orders_; }
  [[nodiscard]] const BoundedLog<OwnFill>& fills() const { return fills_; }
  [[nodiscard]] const BoundedLog<engine::PositionClosed>& closed_positions() const { return closed_positions_; }
  [[nodiscard]] const BoundedLog<FundsRow>& funds() const { return funds_; }
  [[nodiscard]] const BoundedLog<FundingPayment>& funding() const { return funding_; }
  // Numbers of the events in which the account was the target or a counterparty; see VenueView::adl_event().
  [[nodiscard]] const BoundedLog<std::uint64_t>& adl_events() const { return adl_events_; }
  [[nodiscard]] const BoundedLog<Activity>& activity() const { return activity_; }
  [[nodiscard]] const Portfolio& portfolio() const { return portfolio_; }
  [[nodiscard]] AccountDay last_day(TimestampMs now_ms) const { return day_.sums(now_ms); }
  [[nodiscard]] i128 volume_30_days(TimestampMs now_ms) const { return month_.sums(now_ms).quote; }
  // nullopt: it never traded.
  [[nodiscard]] std::optional<TimestampMs> last_fill_ms() const { return last_fill_ms_; }

  SVC_KEEPS_IF(index(), open_orders_, ended_orders_, fills_, closed_positions_, funds_, funding_, adl_events_,
               activity_, portfolio_, day_, month_, last_fill_ms_, waits_);

 private:
  friend class PortfolioSampler;
  friend class VenueView;

  // False if a row is invalid.
  [[nodiscard]] bool index() {
    ended_by_id_.clear();
    std::uint64_t number = ended_orders_.forgotten();
    for (const engine::OrderRecord& order : ended_orders_.rows()) ended_by_id_[order.id.value] = number++;
    return waits_ >> cadences.size() == 0 &&
           std::ranges::all_of(open_orders_, [](const auto& entry) { return entry.second.id == entry.first; });
  }

  std::map<engine::OrderId, engine::OrderRecord> open_orders_;
  BoundedLog<engine::OrderRecord> ended_orders_{limits::terminal_orders_max};
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> ended_by_id_;  // order id -> row number
  BoundedLog<OwnFill> fills_{limits::fills_max};
  BoundedLog<engine::PositionClosed> closed_positions_{limits::closed_positions_max};
  BoundedLog<FundsRow> funds_{limits::funds_entries_max};
  BoundedLog<FundingPayment> funding_{limits::funding_payments_max};
  BoundedLog<std::uint64_t> adl_events_{limits::adl_events_max};
  BoundedLog<Activity> activity_{limits::activity_rows_max};
  Portfolio portfolio_;
  DayWindow<AccountDay> day_;
  MonthWindow<TradedVolume> month_;
  std::optional<TimestampMs> last_fill_ms_;
  std::size_t number_ = 0;                  // its index in VenueView::latest_fills_ms_
  std::optional<std::size_t> flat_band_{};  // of its equity, while it has money and no position
  std::uint8_t waits_ = 0;                  // for its next sample: a bit for each cadence
  bool is_holder_ = false;                  // is in the sampler's list of holders
};

// When portfolios are sampled: as time passes, only accounts whose figures may have changed since the last sampled
// instant are evaluated; all others keep their values. So a long jump of the clock costs no more than what happens
// in it. Refers to the accounts, which must stay where they are.
class PortfolioSampler {
 public:
  // The account's figures may have changed.
  void touch(AccountView& account);
  // The figures of every holder of a position may have changed.
  void marks_moved() { marks_moved_ = true; }

  // Nothing happened after `from_ms` and before `until_ms`: samples the instants in [from, until).
  void pass(TimestampMs from_ms, TimestampMs until_ms, const LotValues& lot_values);

  // Every holder of a position, and some that hold nothing any more.
  [[nodiscard]] const std::vector<AccountView*>& holders() const { return holders_; }

  // After reading: each account knows for what it waits.
  void rebuild(std::map<Address, AccountView>& accounts);
  SVC_KEEPS(marks_moved_);

 private:
  void wait(AccountView& account, std::size_t cadence);
  void wait_for_holders();

  std::array<std::vector<AccountView*>, cadences.size()> waiting_;  // for their next sample at each cadence
  std::vector<AccountView*> holders_;
  bool marks_moved_ = false;  // since the last sample of the shortest cadence
};

// Number of the first sampled instant at or after this one.
[[nodiscard]] constexpr std::int64_t first_sample_from(TimestampMs at_ms, Cadence cadence) {
  const std::int64_t period_ms = terms_of(cadence).period_ms;
  return (at_ms + period_ms - 1) / period_ms;
}

}  // namespace svc::sim
