// The dry run of an order against the book: what it would fill, and what would happen to the makers it meets.
//
// Planning changes nothing. It works on copies ("shadows") of the balance and the position of every account
// involved, so that each maker is judged on exactly the state it would have at that point, and the taker's margin
// is checked on exactly the state that the plan would leave (rules 4.2 and 5.5).
#pragma once

#include "sim/engine/ids.h"
#include "sim/engine/margin.h"
#include "sim/engine/market.h"

namespace svc::engine {

struct State;

// The bound of a market order with max_slippage_bps: the mid is taken once, and the running VWAP must stay within
// bps of it (rule 3.8).
struct SlippageCap {
  Ticks best_bid{};
  Ticks best_ask{};
  std::int32_t bps = 0;

  // quote is the running sum of price * lots in ticks times lots.
  [[nodiscard]] bool allows(Side side, i128 ticks_lots, Lots lots) const;
};

// The order that is planned.
struct Taker {
  AccountIndex account{};
  Side side = Side::buy;
  Lots lots{};
  Ticks limit{};               // worst price it accepts
  bool limit_is_band = false;  // a market order: the limit is the market's price band
  StpMode stp = StpMode::none;
  std::optional<SlippageCap> cap{};
  bool own_steps_only = false;  // those that concern its own orders are enough
};

// The part of an account that a fill changes.
struct Standing {
  Usdx balance{};
  Exposure position{};
  Valuation at_mark{};  // of the position
  bool negative_payout = false;
};

// An account as the plan leaves it, in one market.
struct Shadow : Standing {
  AccountIndex account{};
  MarginTerms terms{};
  i128 other_equity = 0;       // cross PnL of the account's other markets
  i128 other_maintenance = 0;  // and their maintenance
  bool other_positions = false;

  [[nodiscard]] Health cross() const;
  [[nodiscard]] Health isolated() const { return isolated_health(position, at_mark); }
  // Books the booking's leg and records the effect there.
  void book(Booking& booking, const Market& market);
};
[[nodiscard]] Shadow shadow_of(const State& state, const Market& market, AccountIndex account);

struct PlanStep {
  enum class Kind : std::uint8_t {
    fill,
    decrement,  // self-trade prevention: both orders shrink
    drop,       // the maker is cancelled, matching continues
  };
  Kind kind = Kind::fill;
  Slot maker = no_slot;
  OrderId maker_id{};
  Lots lots{};
  CancelReason reason = CancelReason::none;
  // For a fill: the legs as booked on the shadows.
  Booking taker{};
  Booking maker_leg{};
};

struct Plan {
  std::vector<PlanStep> steps{};
  std::vector<Shadow> shadows{};  // the taker's first; none if there was no maker
  Lots filled{};
  Lots decremented{};
  Usdx quote{};
  Usdx fees{};                             // the taker's
  CancelReason stop = CancelReason::none;  // why matching ended early; none for the limit or an empty book
  Lots open_interest_change{};
  Projected own;  // the taker's own orders after the plan, and its own remainder that would rest

  void clear();
  [[nodiscard]] const Shadow& taker() const { return shadows.front(); }
};

// Plans the order. The plan's vectors are reused.
void make_plan(const State& state, const Market& market, const Taker& taker, Plan& plan);

// Whether a maker may take part in a fill, given its account before and after the fill (rule 4.3).
[[nodiscard]] bool maker_may_fill(const Standing& before, const Shadow& after, Side maker_side, Lots lots);

}  // namespace svc::engine
