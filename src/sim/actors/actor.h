// Bots: their view of a market, their orders, and what they have in common. Prices in 1e-6 USDX become ticks, amounts
// become lots.
#pragma once

#include "base/archive.h"
#include "sim/actors/chance.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

inline constexpr std::int64_t bp_ppb = 100'000;  // a basis point

// Market conditions during a drill: how much makers quote, at which distance, and who takes part.
struct MarketConditions {
  std::int64_t maker_size_ppm = ppm_one;
  std::int64_t maker_width_ppm = ppm_one;
  std::int64_t fair_shift_ppb = 0;  // makers place the fair price this far above the index
  std::int64_t taker_rate_ppm = ppm_one;
  std::int64_t volatility_ppm = ppm_one;
  bool speculators = true;  // momentum, value, arbitrage, retail, noise, meta-orders
  bool quotes = true;       // false: nobody quotes
  bool oracle = true;       // false: no index prices
};

// Valid during one turn.
class Scene {
 public:
  // Requires an index price.
  Scene(const engine::Engine& engine, engine::MarketIndex market, TimestampMs now_ms,
        const MarketConditions& conditions);

  const engine::Engine& engine;
  const engine::MarketIndex market;
  const TimestampMs now_ms;
  const MarketConditions& conditions;
  const engine::MarketSpec& spec;
  const engine::MarketFigures figures;

  // 1e-6 USDX.
  [[nodiscard]] std::int64_t index() const { return price_of(*figures.index); }
  [[nodiscard]] std::int64_t mark() const { return price_of(*figures.mark); }
  // Best price of a side; nullopt if it is empty.
  [[nodiscard]] std::optional<std::int64_t> best(engine::Side side) const {
    const auto& price = side == engine::Side::buy ? figures.best_bid : figures.best_ask;
    if (!price) return std::nullopt;
    return price_of(*price);
  }
  [[nodiscard]] std::int64_t price_of(Ticks ticks) const { return ticks.value * tick_unit_; }
  // Rounded to the grid and within it; a buy is rounded down, a sell up.
  [[nodiscard]] Ticks ticks_of(std::int64_t price, engine::Side side) const {
    const auto rounding = side == engine::Side::buy ? Rounding::down : Rounding::up;
    const std::int64_t ticks = narrow(div_round(price, tick_unit_, rounding));
    return {std::clamp<std::int64_t>(ticks, 1, spec.price_max.value)};
  }
  // At least the smallest order that the market accepts at that price.
  [[nodiscard]] Lots lots_worth(Usdx value, Ticks price) const;
  [[nodiscard]] Usdx value_of(Lots lots, Ticks price) const {
    return {narrow(static_cast<i128>(lots.value) * price.value * quote_unit_)};
  }

  // Signed lots, and their value at the index.
  [[nodiscard]] Lots position(const Address& account) const {
    for (const engine::PositionRow& row : engine.positions(account))
      if (row.market == market) return row.size;
    return {};
  }
  [[nodiscard]] Usdx position_value(const Address& account) const {
    return value_of(position(account), *figures.index);
  }

 private:
  std::int64_t tick_unit_;
  std::int64_t quote_unit_;
};

// The price changed by that many billionths.
[[nodiscard]] std::int64_t moved(std::int64_t price, std::int64_t ppb);
// By how many billionths `price` is above `from`; limited to this distance.
inline constexpr std::int64_t distance_max_ppb = 1'000 * ppb_one;
[[nodiscard]] std::int64_t distance_ppb(std::int64_t price, std::int64_t from);

// Writes the orders of one account in one market into a turn's units.
class OrderSender {
 public:
  OrderSender(const Scene& scene, const Address& account, std::vector<Unit>& units)
      : scene_(scene), account_(account), units_(units) {}

  void deposit(Usdx amount) {
    send(engine::Deposit{.account = account_, .amount = amount, .kind = engine::FundsKind::operator_grant});
  }
  void post(engine::Side side, Ticks price, Lots lots) { limit(side, price, lots, engine::TimeInForce::post_only); }
  // Rests until then at most.
  void rest(engine::Side side, Ticks price, Lots lots, TimestampMs until_ms = 0) {
    limit(side, price, lots, engine::TimeInForce::gtc, until_ms);
  }
  void take(engine::Side side, Ticks price, Lots lots) { limit(side, price, lots, engine::TimeInForce::ioc); }
  void at_market(engine::Side side, Lots lots, std::int32_t slippage_bps) {
    auto order = params(side, engine::OrderType::market, lots);
    order.max_slippage_bps = slippage_bps;
    place(order);
  }
  // At any price inside the band.
  void close(Lots position) {
    if (position == Lots{}) return;
    const auto side = position > Lots{} ? engine::Side::sell : engine::Side::buy;
    auto order = params(side, engine::OrderType::market, position > Lots{} ? position : -position);
    order.reduce_only = true;
    place(order);
  }
  // Reduce-only, at any price, once the mark is reached.
  void stop(engine::Side side, Ticks trigger, Lots lots) {
    at_trigger(engine::OrderType::stop_market, side, trigger, lots);
  }
  void take_profit(engine::Side side, Ticks trigger, Lots lots) {
    at_trigger(engine::OrderType::take_profit_market, side, trigger, lots);
  }
  void amend(engine::OrderId order, Ticks price, Lots size);
  void cancel(engine::OrderId order) { send(engine::CancelOrder{.account = account_, .order = order}); }
  void cancel_all() { send(engine::CancelAll{.account = account_, .market = scene_.market}); }  // of the market
  void set_leverage(std::int64_t leverage) {
    send(engine::SetLeverage{.account = account_, .market = scene_.market, .leverage = leverage});
  }
  void set_mode(engine::MarginMode mode) {
    send(engine::SetMarginMode{.account = account_, .market = scene_.market, .mode = mode});
  }

 private:
  [[nodiscard]] engine::OrderParams params(engine::Side side, engine::OrderType type, Lots lots) const;
  void limit(engine::Side side, Ticks price, Lots lots, engine::TimeInForce tif, TimestampMs until_ms = 0);
  void at_trigger(engine::OrderType type, engine::Side side, Ticks trigger, Lots lots);
  void send(CommandBody body) { units_.push_back({.body = std::move(body)}); }
  void place(engine::OrderParams order) { send(engine::PlaceOrder{.account = account_, .params = order}); }

  const Scene& scene_;
  const Address account_;
  std::vector<Unit>& units_;
};

// Wake-ups are rounded up to this, so that those of one instant share a commit.
inline constexpr std::int64_t actor_tick_ms = 100;

struct ActorTerms {
  std::string name;  // of its account and its stream of chance: "BTC-USDX-PERP quoter"
  engine::MarketIndex market;
  Usdx stake;              // its first deposit; of a maker every later one as well (D-1100)
  std::int64_t scale_ppm;  // of sizes and rates, by market
  std::size_t number;      // among bots of the same role
};

// One bot: a house account in one market, with a strategy. It wakes up, looks at the market, sends orders and says when
// to wake it next. Its memory is logged at every wake-up, so that it continues after a restart. (D-393)
class Actor {
 public:
  explicit Actor(ActorTerms the_terms, std::uint64_t seed);
  virtual ~Actor() = default;

  const ActorTerms terms;
  const Address account;
  Chance chance;

  [[nodiscard]] Usdx scaled(std::int64_t usdx) const {
    return {mul_div(usdx * usdx_one, terms.scale_ppm, ppm_one, Rounding::half_up)};
  }

  // Acts now; returns the milliseconds until the next wake-up.
  [[nodiscard]] virtual std::int64_t act(const Scene& scene, OrderSender& sender) = 0;
  // Its memory as text, and back. False: the text is of another kind of bot or invalid.
  [[nodiscard]] virtual std::string memories() const = 0;
  [[nodiscard]] virtual bool recall(std::string_view bytes) = 0;
};

// A remembered price, in 1e-6 USDX; 0: none yet. Read from the log, so it is checked.
[[nodiscard]] constexpr bool is_remembered_price(std::int64_t price) {
  constexpr std::int64_t most = 5'000'000'000'000'000'000;  // what an index process can make of the largest price
  return price >= 0 && price <= most;
}

// A strategy is a struct: what the bot remembers, is_valid() of what was read, and act().
template <class Strategy>
class ActorWith final : public Actor {
 public:
  using Actor::Actor;

  [[nodiscard]] std::int64_t act(const Scene& scene, OrderSender& sender) override {
    return strategy_.act(*this, scene, sender);
  }
  [[nodiscard]] std::string memories() const override { return to_archive(chance, strategy_); }
  [[nodiscard]] bool recall(std::string_view bytes) override {
    Chance chance_then = chance;
    Strategy strategy;
    if (!read_archive(bytes, chance_then, strategy) || !strategy.is_valid()) return false;
    chance = chance_then;
    strategy_ = strategy;
    return true;
  }

 private:
  Strategy strategy_{};
};

// The roles in every market: deposit and number of bots.
struct Role {
  std::string_view name;
  std::int64_t stake_usdx;
  std::size_t count;
  std::unique_ptr<Actor> (*make)(ActorTerms terms, std::uint64_t seed);
};
template <class Strategy>
std::unique_ptr<Actor> make_actor(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<ActorWith<Strategy>>(std::move(terms), seed);
}

// The makers: a tight quoter, a ladder behind it, and a backstop so that the book is never empty. (D-394)
[[nodiscard]] std::span<const Role> makers();
// The takers: a self-exciting flow of small orders, large orders in slices, traders with a view on the price, and
// small traders with high leverage. (D-395)
[[nodiscard]] std::span<const Role> takers();

}  // namespace svc::sim
