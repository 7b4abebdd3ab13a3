// Equity, requirements and reservations of accounts, at mark (rules 5.3 and 5.4).
//
// Sums have 128 bits: at an extreme mark a valuation need not fit 64 bits, and margin must still be computed.
#pragma once

#include "sim/engine/account.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/engine/market.h"

namespace svc::engine {

class Step;
struct State;

struct Health {
  i128 equity = 0;
  i128 maintenance = 0;
  bool has_position = false;

  // Strictly below: a bucket exactly at its requirement is healthy (rule 9.1).
  [[nodiscard]] bool under_water() const { return has_position && equity < maintenance; }
};

[[nodiscard]] Health cross_health(const Account& account);
[[nodiscard]] Health isolated_health(const Exposure& exposure, const Valuation& valuation);
// True while any bucket with positions is below maintenance (rule 3.16): cached, and computed afresh.
[[nodiscard]] bool in_liquidation(const Account& account);
[[nodiscard]] bool any_bucket_under_water(const Account& account);

// What this part of an order reserves, which increases the position: initial margin, by the tier of the whole order,
// plus the taker fee. (D-170)
[[nodiscard]] i128 reservation(const Market& market, std::int64_t leverage, Usdx part, Usdx whole);
[[nodiscard]] inline i128 reservation(const Market& market, std::int64_t leverage, Ticks price, Lots part, Lots whole) {
  return reservation(market, leverage, market.quote(price, part), market.quote(price, whole));
}
[[nodiscard]] inline i128 reservation(const Market& market, std::int64_t leverage, Ticks price, Lots whole) {
  const Usdx quote = market.quote(price, whole);
  return reservation(market, leverage, quote, quote);
}

// An order that does not exist yet, and changes to existing orders: for judging a plan before it is executed.
struct Projected {
  struct Change {
    Slot slot = no_slot;
    Lots remaining{};
  };
  std::vector<Change> changes{};
  Side extra_side = Side::buy;
  Ticks extra_price{};
  Lots extra_lots{};  // 0 = none; last in the queue of its price
};

[[nodiscard]] inline Valuation valuation_of(const Market& market, const Exposure& exposure, std::int64_t leverage) {
  if (exposure.size == Lots{}) return {};
  const i128 notional = market.notional(exposure);
  return {.unrealized = market.unrealized(exposure),
          .initial = market.schedule.initial(notional, leverage),
          .maintenance = market.schedule.maintenance(notional)};
}
// Revalues the holding after a change of position, mark or leverage.
void revalue(const Market& market, Holding& holding);

// Reserved by the account's resting orders in one market: the larger side, where orders that only reduce the
// position count nothing.
[[nodiscard]] i128 order_margin(const Market& market, const Holding& holding);
// The same, summed order by order.
[[nodiscard]] i128 recomputed_order_margin(const State& state, const Market& market, const Holding& holding);
// As above, if the position had this size and the orders were as projected.
[[nodiscard]] i128 order_margin(const State& state, const Market& market, const Holding& holding, Lots size,
                                const Projected& projected);

// Free cross margin: balance + cross PnL - cross initial margin - all reservations. May be negative.
[[nodiscard]] i128 available(const State& state, const Account& account);
// As above, over every market but one, without the balance.
[[nodiscard]] i128 available_elsewhere(const State& state, const Account& account, MarketIndex except);
// max(0, available), as an amount.
[[nodiscard]] Usdx withdrawable(const State& state, const Account& account);

// The unit of liquidation: the cross positions of an account, or one isolated position (rule 5.1).
struct Bucket {
  AccountIndex account{};
  std::optional<MarketIndex> isolated{};  // none: the cross bucket

  // The cross bucket sorts before the isolated ones of its account.
  auto operator<=>(const Bucket&) const = default;
};

[[nodiscard]] bool belongs(const State& state, const Bucket& bucket, MarketIndex market);
[[nodiscard]] Bucket bucket_of(const State& state, AccountIndex account, MarketIndex market);
[[nodiscard]] Health health_of(const State& state, const Bucket& bucket);

// Money from the insurance fund: into the cross balance, or into an isolated position while it is open.
void receive(Step& step, const Bucket& bucket, Usdx amount, FundCause cause, MarketIndex market);

// The quote at which closing this much of the position leaves the bucket exactly as healthy as before: the least
// that a long must receive, the most that a short may pay (rule 9.2).
[[nodiscard]] i128 zero_quote(const State& state, const Bucket& bucket, const Market& market, Lots lots);

}  // namespace svc::engine
