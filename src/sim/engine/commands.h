// Everything that can be asked of the engine. A command carries its own time; nothing else enters.
#pragma once

#include <variant>

#include "base/address.h"
#include "sim/engine/ids.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// Money in. Opens the account if it is new. amount > 0.
struct Deposit {
  Address account{};
  Usdx amount{};
  FundsKind kind = FundsKind::deposit;
};

// Money out, at most the withdrawable amount (rule 5.10).
struct Withdraw {
  Address account{};
  Usdx amount{};
  FundsKind kind = FundsKind::withdrawal;
  std::uint64_t record = 0;  // the service's record number for it; 0: none
};

// From one account to another; the source must be flat and have nothing reserved.
struct Transfer {
  Address from{};
  Address to{};
  Usdx amount{};
  std::uint64_t record = 0;  // as for a withdrawal
};

// A deposit into the insurance fund.
struct FundInsurance {
  Usdx amount{};
};

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

struct PlaceOrder {
  Address account{};
  OrderParams params{};
};

// Sequential and not atomic: one outcome per item, in order (rule 3.13).
struct PlaceBatch {
  Address account{};
  std::vector<OrderParams> orders{};
};

// Atomic cancel and replace, under a new id (rule 3.11). An absent price or size is kept.
struct AmendOrder {
  Address account{};
  OrderId order{};
  MeasuredPrice price{};
  MeasuredLots size{};  // the new total, filled quantity included
};

struct CancelOrder {
  Address account{};
  OrderId order{};
};

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

struct SetLeverage {
  Address account{};
  MarketIndex market{};
  std::int64_t leverage = 0;
};

struct SetMarginMode {
  Address account{};
  MarketIndex market{};
  MarginMode mode = MarginMode::cross;
};

struct AdjustMargin {
  Address account{};
  MarketIndex market{};
  Usdx amount{};
  MarginDirection direction = MarginDirection::add;
};

// One oracle batch: all prices first, then liquidations, then triggers (section 12).
struct OracleTick {
  struct Price {
    MarketIndex market;
    Ticks index;
    // If given, the mark is injected and the market is in manual mode from now on (rule 7.4).
    std::optional<Ticks> mark;
  };
  std::vector<Price> prices{};
};

struct SetPriceMode {
  MarketIndex market{};
  PriceMode mode = PriceMode::median;
};

// Takes the premium sample of every active market (rule 8.1).
struct SampleFunding {};

// Ends a funding interval of every active market: rate from the samples, payments (rule 8.2).
struct SettleFunding {};

// A settlement at the given interval rate and index, for tests and drills.
struct InjectFunding {
  MarketIndex market{};
  Ppb rate{};
  Ticks index{};
};

// Lets time pass: orders expire, cool-downs end.
struct PassTime {};

struct HaltMarket {
  MarketIndex market{};
  std::string reason{};
};

// Operator exits (rule 9.8): resume after an optional injection into the insurance fund, or settlement at a price.
struct ResumeMarket {
  MarketIndex market{};
  Usdx inject{};
};

struct SettleMarket {
  MarketIndex market{};
  Ticks price{};
};

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
