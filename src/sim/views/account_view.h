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
#include "sim/views/bounded_log.h"
#include "sim/views/day_window.h"
#include "sim/views/market_view.h"

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
  engine::Sequence sequence;  // of the command that moved it
  TimestampMs at_ms = 0;
};

struct FundingPayment {
  engine::FundingPaid paid;
  TimestampMs at_ms = 0;
};

struct AccountDay {
  i128 volume = 0;        // 1e-6 USDX, as maker and as taker
  i128 realized_pnl = 0;  // 1e-6 USDX, gross of fees

  void merge(const AccountDay& later) {
    volume += later.volume;
    realized_pnl += later.realized_pnl;
  }
};

class AccountView {
 public:
  void fold(const Stamp& stamp, const engine::OrderChanged& event);
  void fold(const Stamp& stamp, const engine::Fill& event);
  void fold(const Stamp& stamp, const engine::PositionClosed& event);
  void fold(const Stamp& stamp, const engine::FundingPaid& event) { funding_.add({event, stamp.at_ms}); }
  void fold(const Stamp& stamp, const engine::Deleveraged& event) {
    adl_events_.add({event, stamp.sequence, stamp.at_ms});
  }
  void add_funds(FundsRow row) { funds_.add(row); }

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
  [[nodiscard]] AccountDay last_day(TimestampMs now_ms) const { return day_.sums(now_ms); }

 private:
  std::map<engine::OrderId, engine::OrderRecord> open_orders_;
  BoundedLog<engine::OrderRecord> ended_orders_{limits::terminal_orders_max};
  std::unordered_map<std::uint64_t, std::uint64_t> ended_by_id_;  // order id -> row number
  BoundedLog<OwnFill> fills_{limits::fills_max};
  BoundedLog<engine::PositionClosed> closed_positions_{limits::closed_positions_max};
  BoundedLog<FundsRow> funds_{limits::funds_entries_max};
  BoundedLog<FundingPayment> funding_{limits::funding_payments_max};
  BoundedLog<AdlEvent> adl_events_{limits::adl_events_max};
  DayWindow<AccountDay> day_;
};

}  // namespace svc::sim
