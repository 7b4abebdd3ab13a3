// Everything that can be asked of the engine. A command carries its own time; nothing else enters.
//
// perform() is the effect of a command on the state, with the events that tell of it; or why it is refused. A command
// that names its market comes there only if there is one.
#pragma once

#include <variant>

#include "base/address.h"
#include "sim/engine/ids.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"

namespace svc::engine {

class Step;

// Money into, out of and across the venue (rule 5.10 and the ledger identity 6.4).

// Money in. Opens the account if it is new. amount > 0.
struct Deposit {
  Address account{};
  Usdx amount{};
  FundsKind kind = FundsKind::deposit;
};
[[nodiscard]] Reject perform(Step& step, const Deposit& command);

// Money out, at most the withdrawable amount (rule 5.10).
struct Withdraw {
  Address account{};
  Usdx amount{};
  FundsKind kind = FundsKind::withdrawal;
  std::uint64_t record = 0;  // the service's record number for it; 0: none
};
[[nodiscard]] Reject perform(Step& step, const Withdraw& command);

// From one account to another; the source must be flat and have nothing reserved.
struct Transfer {
  Address from{};
  Address to{};
  Usdx amount{};
  std::uint64_t record = 0;  // as for a withdrawal
};
[[nodiscard]] Reject perform(Step& step, const Transfer& command);

// A deposit into the insurance fund.
struct FundInsurance {
  Usdx amount{};
};
[[nodiscard]] Reject perform(Step& step, const FundInsurance& command);

// Parameters of an order. Those that its type does not use are ignored (rule 3.1).
struct OrderParams {
  MarketIndex market{};
  Side side = Side::buy;
  OrderType type = OrderType::limit;
  TimeInForce time_in_force = TimeInForce::gtc;
  StpMode stp = StpMode::none;
  bool reduce_only = false;
  MeasuredLots quantity{};
  MeasuredPrice price{};    // limit family
  MeasuredPrice trigger{};  // stops and take-profits
  std::optional<std::int32_t> trailing_offset_bps{};
  std::optional<std::int32_t> limit_offset_bps{};
  std::optional<std::int32_t> max_slippage_bps{};
  ClientId client_id{};
  TimestampMs expires_at_ms = 0;  // 0 = never; eligible while now < expires_at (rule 3.2)

  bool operator==(const OrderParams&) const = default;
};

// Orders answer one by one: each item of the outcome is one requested order with its fills as taker, or a cancelled
// one. A cancel is never margin-checked, nor blocked by a halt or by a liquidation (rule 3.12).

struct PlaceOrder {
  Address account{};
  OrderParams params{};
};
[[nodiscard]] Reject perform(Step& step, const PlaceOrder& command);

// Sequential and not atomic: one outcome per item, in order (rule 3.13).
struct PlaceBatch {
  Address account{};
  std::vector<OrderParams> orders{};
};
[[nodiscard]] Reject perform(Step& step, const PlaceBatch& command);

// Atomic cancel and replace, under a new id (rule 3.11). An absent price or size is kept.
struct AmendOrder {
  Address account{};
  OrderId order{};
  MeasuredPrice price{};
  MeasuredLots size{};  // the new total, filled quantity included
};
[[nodiscard]] Reject perform(Step& step, const AmendOrder& command);

struct CancelOrder {
  Address account{};
  OrderId order{};
};
[[nodiscard]] Reject perform(Step& step, const CancelOrder& command);

enum class CancelScope : std::uint8_t {
  everything,      // resting orders and untriggered conditionals
  resting_orders,  // conditionals stay
};

struct CancelAll {
  Address account{};
  std::optional<MarketIndex> market{};
  CancelScope scope = CancelScope::everything;
  CancelReason reason = CancelReason::user;  // or cancel_on_disconnect
};
[[nodiscard]] Reject perform(Step& step, const CancelAll& command);

// An account's settings per market (rules 5.7 to 5.9).

struct SetLeverage {
  Address account{};
  MarketIndex market{};
  std::int64_t leverage = 0;
};
[[nodiscard]] Reject perform(Step& step, const SetLeverage& command);

struct SetMarginMode {
  Address account{};
  MarketIndex market{};
  MarginMode mode = MarginMode::cross;
};
[[nodiscard]] Reject perform(Step& step, const SetMarginMode& command);

struct AdjustMargin {
  Address account{};
  MarketIndex market{};
  Usdx amount{};
  MarginDirection direction = MarginDirection::add;
};
[[nodiscard]] Reject perform(Step& step, const AdjustMargin& command);

// Prices and funding (docs/trading.md, sections 7 and 8).

// One oracle batch: all prices first, then liquidations, then triggers (section 12). Markets that are not active keep
// their frozen mark, without an error.
struct OracleTick {
  struct Price {
    MarketIndex market;
    Ticks index;
    // If given, the mark is injected and the market is in manual mode from now on (rule 7.4).
    std::optional<Ticks> mark;
  };
  std::vector<Price> prices{};
};
[[nodiscard]] Reject perform(Step& step, const OracleTick& command);

struct SetPriceMode {
  MarketIndex market{};
  PriceMode mode = PriceMode::median;
};
[[nodiscard]] Reject perform(Step& step, const SetPriceMode& command);

// Takes the premium sample of every active market (rule 8.1).
struct SampleFunding {};
[[nodiscard]] Reject perform(Step& step, const SampleFunding& command);

// Ends a funding interval of every active market: rate from the samples, payments (rule 8.2).
struct SettleFunding {};
[[nodiscard]] Reject perform(Step& step, const SettleFunding& command);

// A settlement at the given interval rate and index, for tests and drills.
struct InjectFunding {
  MarketIndex market{};
  Ppb rate{};
  Ticks index{};
};
[[nodiscard]] Reject perform(Step& step, const InjectFunding& command);

// Lets time pass: orders expire, cool-downs end. That happens before every command.
struct PassTime {};
[[nodiscard]] inline Reject perform(Step&, const PassTime&) {
  return Reject::none;
}

// Halting a market, and the operator's exits (rules 9.6 to 9.8): resume after an optional injection into the insurance
// fund, or settlement at a price.

struct HaltMarket {
  MarketIndex market{};
  std::string reason{};
};
[[nodiscard]] Reject perform(Step& step, const HaltMarket& command);

struct ResumeMarket {
  MarketIndex market{};
  Usdx inject{};
};
[[nodiscard]] Reject perform(Step& step, const ResumeMarket& command);

struct SettleMarket {
  MarketIndex market{};
  Ticks price{};
};
[[nodiscard]] Reject perform(Step& step, const SettleMarket& command);

// A class of its own, so that its copies and moves are compiled once: for so many types they are several hundred
// functions in each unit. (D-602)
struct CommandBody
    : std::variant<Deposit, Withdraw, Transfer, FundInsurance, PlaceOrder, PlaceBatch, AmendOrder, CancelOrder,
                   CancelAll, SetLeverage, SetMarginMode, AdjustMargin, OracleTick, SetPriceMode, SampleFunding,
                   SettleFunding, InjectFunding, PassTime, HaltMarket, ResumeMarket, SettleMarket> {
  using variant::variant;
  CommandBody();
  CommandBody(const CommandBody& other);
  CommandBody(CommandBody&& other) noexcept;
  CommandBody& operator=(const CommandBody& other);
  CommandBody& operator=(CommandBody&& other) noexcept;
  ~CommandBody();
};

struct Command {
  TimestampMs now_ms = 0;
  CommandBody body;
};

}  // namespace svc::engine
