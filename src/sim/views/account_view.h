// What an account may know of its own past and of its open orders.
//
// Not thread-safe; owned by the views.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/limits.h"
#include "sim/sequencer/follower.h"
#include "sim/views/activity.h"
#include "sim/views/bounded_log.h"
#include "sim/views/market_view.h"
#include "sim/views/portfolio.h"
#include "sim/views/time_window.h"

namespace svc::sim {

struct OwnFill {
  engine::Fill fill;
  TimestampMs at_ms = 0;
};

// Money that came in or went out.
struct FundsRow {
  std::uint64_t id = 0;  // counts over the whole venue, from 1
  engine::FundsKind kind = engine::FundsKind::deposit;
  Usdx amount;
  std::uint64_t record = 0;   // of a withdrawal: its number where it was asked for; 0: it has none
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
  void fold(const Stamp& stamp, const engine::PositionClosed& event);
  void fold(const Stamp& stamp, const engine::FundingPaid& event);
  void fold(const Stamp& stamp, const engine::BalanceChanged& event);
  void fold(const Stamp& stamp, const engine::PositionChanged& event);
  // A payment between the insurance fund and this account.
  void fold(const Stamp& stamp, const engine::InsuranceChanged& event);
  // The account is the target or a counterparty.
  void fold(const Stamp& stamp, const engine::Deleveraged& event, const Address& account);
  void add_funds(FundsRow row);
  // Its number is given here.
  void add_activity(Activity row);
  // Of its orders, fills, activity and the like: for accounts that nobody reads.
  void keep_at_most(std::size_t rows);
  // What the portfolio is now is its sample of this number.
  void sample(Cadence cadence, std::int64_t number, const LotValues& lot_values);

  // Resting orders and untriggered conditionals, in acceptance order.
  [[nodiscard]] const std::map<engine::OrderId, engine::OrderRecord>& open_orders() const { return open_orders_; }
  // Open, or ended and still remembered.
  [[nodiscard]] const engine::OrderRecord* order(engine::OrderId id) const;

  [[nodiscard]] const BoundedLog<engine::OrderRecord>& ended_orders() const { return ended_orders_; }
  [[nodiscard]] const BoundedLog<OwnFill>& fills() const { return fills_; }
  [[nodiscard]] const BoundedLog<engine::PositionClosed>& closed_positions() const { return closed_positions_; }
  [[nodiscard]] const BoundedLog<FundsRow>& funds() const { return funds_; }
  [[nodiscard]] const BoundedLog<FundingPayment>& funding() const { return funding_; }
  // Those in which the account was the target or a counterparty.
  [[nodiscard]] const BoundedLog<AdlEvent>& adl_events() const { return adl_events_; }
  [[nodiscard]] const BoundedLog<Activity>& activity() const { return activity_; }
  [[nodiscard]] const Portfolio& portfolio() const { return portfolio_; }
  [[nodiscard]] AccountDay last_day(TimestampMs now_ms) const { return day_.sums(now_ms); }
  [[nodiscard]] i128 volume_30_days(TimestampMs now_ms) const { return month_.sums(now_ms).quote; }
  // Empty: it never traded.
  [[nodiscard]] std::optional<TimestampMs> last_fill_ms() const { return last_fill_ms_; }

  template <class Archive>
  void archive(Archive& archive) {
    archive(open_orders_, ended_orders_, fills_, closed_positions_, funds_, funding_, adl_events_, activity_,
            portfolio_, day_, month_, last_fill_ms_);
    if constexpr (Archive::reading) {
      for (const auto& [id, order] : open_orders_)
        if (order.id != id) archive.fail();
      index_ended_orders();
    }
  }

 private:
  void index_ended_orders();

  std::map<engine::OrderId, engine::OrderRecord> open_orders_;
  BoundedLog<engine::OrderRecord> ended_orders_{limits::terminal_orders_max};
  std::unordered_map<std::uint64_t, std::uint64_t> ended_by_id_;  // order id -> row number
  BoundedLog<OwnFill> fills_{limits::fills_max};
  BoundedLog<engine::PositionClosed> closed_positions_{limits::closed_positions_max};
  BoundedLog<FundsRow> funds_{limits::funds_entries_max};
  BoundedLog<FundingPayment> funding_{limits::funding_payments_max};
  BoundedLog<AdlEvent> adl_events_{limits::adl_events_max};
  BoundedLog<Activity> activity_{limits::activity_rows_max};
  Portfolio portfolio_;
  DayWindow<AccountDay> day_;
  MonthWindow<TradedVolume> month_;
  std::optional<TimestampMs> last_fill_ms_;
};

}  // namespace svc::sim
