// The events of the engine. Everything readable outside (orders, fills, positions, accounts, books, histories) is
// built from them, in order; where possible each carries whole values, not differences.
//
// Events of one command come in causal order: a trade, its two fills, the positions and balances it changed, the
// orders it changed, then what follows from it.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "sim/engine/ids.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// An order at one moment.
struct OrderRecord {
  OrderId id{};
  MarketIndex market{};
  Address account{};
  Side side = Side::buy;
  OrderType type = OrderType::limit;
  TimeInForce time_in_force = TimeInForce::gtc;
  StpMode stp = StpMode::none;
  bool reduce_only = false;
  OrderStatus status = OrderStatus::open;
  CancelReason cancel_reason = CancelReason::none;
  Reject reject = Reject::none;  // with rejected_at_trigger: the failed check
  Ticks price{};                 // 0 for Market and untriggered market-family orders
  Lots quantity{};               // after clamping, trimming and decrementing
  Lots filled{};
  std::optional<Ticks> trigger{};
  std::optional<std::int32_t> trailing_offset_bps{};
  std::optional<std::int32_t> limit_offset_bps{};
  std::optional<std::int32_t> max_slippage_bps{};
  ClientId client_id{};
  OrderId replaces{};     // the order that this one replaced, by an amend
  OrderId replaced_by{};  // set on the original
  TimestampMs created_ms = 0;
  TimestampMs updated_ms = 0;
  TimestampMs triggered_ms = 0;  // 0: still waiting, no conditional, or the first millisecond of 1970

  [[nodiscard]] Lots remaining() const { return quantity - filled; }
};

// An order was accepted, changed or ended. Terminal orders are reported exactly once.
struct OrderChanged {
  OrderRecord order{};
};

// One public print. Transfers between accounts by deleveraging are not trades.
struct Trade {
  TradeId id{};
  MarketIndex market{};
  Ticks price{};
  Lots quantity{};
  Usdx quote{};  // price * quantity
  Side taker_side = Side::buy;
  OrderId taker_order{};  // of a liquidation too: each attempt is an order of the account
  OrderId maker_order{};
  Address taker{};
  Address maker{};
  bool is_liquidation = false;
};

// One side of a trade.
struct Fill {
  FillId id{};
  TradeId trade{};
  OrderId order{};
  MarketIndex market{};
  Address account{};
  Side side = Side::buy;
  Ticks price{};
  Lots quantity{};
  Usdx quote{};
  Usdx fee{};              // trading fee; negative is a rebate
  Usdx liquidation_fee{};  // of the liquidated side, which pays no trading fee
  bool is_maker = false;
  bool is_liquidation = false;
  Lots closed{};        // part of the quantity that reduced the position
  Usdx realized_pnl{};  // gross of fees
  ClientId client_id{};
};

enum class PositionCause : std::uint8_t { fill, liquidation, funding, margin, insurance, adl, settlement };

// A position and its running totals, after a change. size 0: the position is flat now.
struct PositionChanged {
  Address account{};
  MarketIndex market{};
  PositionCause cause = PositionCause::fill;
  Lots size{};      // signed
  Usdx cost{};      // signed cost basis; |cost| / |size| is the average entry
  Usdx isolated{};  // margin of an isolated position
  MarginMode mode = MarginMode::cross;
  Usdx realized_pnl{};    // since this position opened, gross of fees
  Usdx fees{};            // since it opened, rebates negative
  Usdx funding{};         // since it opened, received is positive
  Usdx realized_total{};  // over the account's life in this market
  Usdx fees_total{};
  Usdx funding_total{};
  TimestampMs opened_ms = 0;
};

// A position reached flat or flipped (rule 6.3).
struct PositionClosed {
  Address account{};
  MarketIndex market{};
  Side side = Side::buy;  // buy: it was long
  Lots size{};            // the largest |size| it had
  i128 entry_quote = 0;   // sum of price * quantity over what opened it, 1e-6 USDX, and that quantity
  i128 entry_lots = 0;
  i128 exit_quote = 0;
  i128 exit_lots = 0;
  Usdx realized_pnl{};
  Usdx fees{};
  Usdx funding{};
  TimestampMs opened_ms = 0;
  TimestampMs closed_ms = 0;
};

enum class BalanceCause : std::uint8_t {
  funds,
  transfer,
  trade,   // realized PnL, fee and isolated margin of one fill; the Fill itemises them
  margin,  // to or from an isolated position
  funding,
  liquidation,  // as trade, but forced; the fee goes to the insurance fund
  adl,
  insurance,   // received from the fund
  settlement,  // of a delisted market
};

// The cross balance of an account changed.
struct BalanceChanged {
  Address account{};
  BalanceCause cause = BalanceCause::funds;
  Usdx delta{};
  Usdx balance{};
};

// Money entered or left the venue for an account.
struct FundsMoved {
  Address account{};
  FundsKind kind = FundsKind::deposit;
  Usdx amount{};             // positive
  std::uint64_t record = 0;  // as in the command
};

struct TransferMade {
  Address from{};
  Address to{};
  Usdx amount{};
  std::uint64_t record = 0;  // as in the command
};

// Margin reserved by an account's resting orders in a market (rule 5.4). Reported at most once per command.
struct OrderMarginChanged {
  Address account{};
  MarketIndex market{};
  Usdx amount{};
};

struct LeverageChanged {
  Address account{};
  MarketIndex market{};
  std::int64_t leverage = 0;
};

struct MarginModeChanged {
  Address account{};
  MarketIndex market{};
  MarginMode mode = MarginMode::cross;
};

// The quantity left at a price level; 0 removes the level.
struct BookLevelChanged {
  MarketIndex market{};
  Side side = Side::buy;
  Ticks price{};
  Lots quantity{};
  std::uint32_t orders = 0;
  std::uint64_t nonce = 0;  // book sequence of the market, without gaps
};

struct MarkChanged {
  MarketIndex market{};
  Ticks index{};
  Ticks mark{};
  PriceMode mode = PriceMode::median;
};

struct OpenInterestChanged {
  MarketIndex market{};
  Lots open_interest{};  // of one side; both sides are equal
};

struct FundingSampled {
  MarketIndex market{};
  Ppb premium{};
};

struct FundingSettled {
  MarketIndex market{};
  Ppb rate{};  // of the interval
  Ppb average_premium{};
  Ticks index{};
  Ticks mark{};
};

struct FundingPaid {
  Address account{};
  MarketIndex market{};
  Usdx amount{};  // received is positive
  Ppb rate{};
  Lots position{};  // signed
};

enum class FundCause : std::uint8_t {
  deposit,
  liquidation_fee,
  funding_dust,
  shortfall,           // of the preceding liquidation fill
  bad_debt,            // absorbed before a deleveraging or a resume; the Deleveraged that follows includes it
  settlement_haircut,  // taken from winners of a delisting
  settlement_deficit,  // given to the insolvent in a delisting
};

struct InsuranceChanged {
  FundCause cause = FundCause::deposit;
  Address account{};  // whose liquidation; the zero address if none
  MarketIndex market{};
  Usdx delta{};
  Usdx fund{};
};

struct LiquidationStarted {
  Address account{};
  MarginMode mode = MarginMode::cross;
  MarketIndex market{};  // of the isolated position; for a cross bucket its largest position
  Usdx equity{};
  Usdx maintenance{};
};

struct AdlClosure {
  Address account{};
  Lots quantity{};
  Usdx settlement_amount{};
  Usdx realized{};  // by the counterparty
};

// A position offered to ranked counterparties (rule 9.5), or a resume (rule 9.8); possibly nobody took any of it.
struct Deleveraged {
  std::uint64_t number = 0;  // counts over all markets, from 1
  MarketIndex market{};
  Address target{};
  Side target_side = Side::buy;  // buy: the target was long
  Usdx bankruptcy_quote{};       // the bankruptcy price is this quote over these lots
  Lots bankruptcy_lots{};
  Usdx absorbed_by_fund{};
  std::vector<AdlClosure> closures{};
  Usdx quote{};     // of all closures, each rounded by itself
  Usdx realized{};  // by the target, in all closures
  bool by_resume = false;
};

struct MarketStatusChanged {
  MarketIndex market{};
  MarketStatus status = MarketStatus::active;
  HaltReason reason = HaltReason::none;
  std::string operator_reason{};
  TimestampMs halted_ms = 0;
  Lots residual{};  // quantity that found no counterparty
};

using Event = std::variant<OrderChanged, Trade, Fill, PositionChanged, PositionClosed, BalanceChanged, FundsMoved,
                           TransferMade, OrderMarginChanged, LeverageChanged, MarginModeChanged, BookLevelChanged,
                           MarkChanged, OpenInterestChanged, FundingSampled, FundingSettled, FundingPaid,
                           InsuranceChanged, LiquidationStarted, Deleveraged, MarketStatusChanged>;

// The events of commands, in order. Whoever applies commands reads and clears it; the memory is reused.
class EventLog {
 public:
  template <class E>
  void emit(E&& event) {
    events_.emplace_back(std::in_place_type<std::remove_cvref_t<E>>, std::forward<E>(event));
  }
  // Appends an event to be filled in in place, before the next one is appended.
  template <class E>
  [[nodiscard]] E& begin() {
    return *std::get_if<E>(&events_.emplace_back(std::in_place_type<E>));
  }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  void clear() { events_.clear(); }

 private:
  std::vector<Event> events_{};
};

// One order of a place, batch, amend or cancel: the order after the command, or why there is none.
struct OrderOutcome {
  Reject reject = Reject::none;
  OrderRecord order{};
  std::uint32_t fills_begin = 0;
  std::uint32_t fills_count = 0;
};

// What a command returns to its sender. Everything else is in the events.
struct Outcome {
  Sequence sequence{};
  Reject reject = Reject::none;  // of the whole command; the items of a batch have their own
  // place and amend: one; batch: one per item; cancels: the cancelled orders, in acceptance order.
  std::vector<OrderOutcome> orders{};
  std::vector<Fill> fills{};
  Usdx amount{};   // AdjustMargin: the position's isolated margin afterwards
  Usdx balance{};  // funds and margin commands: the cross balance afterwards

  [[nodiscard]] bool ok() const { return reject == Reject::none; }
  // The fills that the order took part in as taker.
  [[nodiscard]] std::span<const Fill> fills_of(const OrderOutcome& item) const {
    return std::span(fills).subspan(item.fills_begin, item.fills_count);
  }
};

}  // namespace svc::engine
