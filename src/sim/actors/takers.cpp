#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/limits.h"
#include "sim/actors/actor.h"

namespace svc::sim {
namespace {

using engine::Side;

// At market, that much at the best price of the other side, if there is one.
void take_value(const Scene& scene, OrderSender& sender, Side side, Usdx value, std::int32_t slippage_bps) {
  if (const auto touch = scene.best(opposite(side)))
    sender.at_market(side, scene.lots_worth(value, scene.ticks_of(*touch, side)), slippage_bps);
}

constexpr std::int64_t base_ppb = 250'000'000;        // orders per second and side
constexpr std::int64_t excitement_ppb = 900'000'000;  // increase of the rate of its side, after an order
constexpr std::int64_t decay_ppb = 1'500'000'000;
constexpr std::int64_t rate_max_ppb = 40'000'000'000;

// A Hawkes process per side: 0.25 orders a second on its own, and each order triggers 0.6 more on its side within a
// second or two. Sizes are log-normal around 500 USDX; one in fifty is much larger.
struct FlowTaker {
  std::int64_t buy_ppb = 0;  // orders per second beyond the base rate
  std::int64_t sell_ppb = 0;
  std::int64_t bound_ppb = 0;  // upper bound of all rates since `at_ms`
  TimestampMs at_ms = 0;

  [[nodiscard]] bool is_valid() const {
    const auto is_rate = [](std::int64_t ppb) { return ppb >= 0 && ppb <= 1'000 * rate_max_ppb; };
    return is_rate(buy_ppb) && is_rate(sell_ppb) && is_rate(bound_ppb) && is_log_time(at_ms);
  }

  // Candidates come at the highest rate possible since the last one, and are accepted in proportion to the actual
  // rate.
  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    const std::int64_t base = base_rate(bot, scene);
    if (base == 0) {
      *this = {};
      return second_ms;
    }
    cool_down(scene.now_ms);
    const std::int64_t buys = base + buy_ppb;
    const std::int64_t sells = base + sell_ppb;
    const bool counts = bound_ppb == 0 || bot.chance.between(1, std::max(bound_ppb, buys + sells)) <= buys + sells;
    if (counts) {
      const Side drawn = bot.chance.between(1, buys + sells) <= buys ? Side::buy : Side::sell;
      std::int64_t& excited = drawn == Side::buy ? buy_ppb : sell_ppb;
      excited = std::min(excited + excitement_ppb, rate_max_ppb);
      order(bot, scene, sender, kept_in_bounds(bot, scene, drawn));
    }
    bound_ppb = 2 * base + buy_ppb + sell_ppb;
    return bot.chance.waiting(mul_div(second_ms, ppb_one, bound_ppb, Rounding::up));
  }

 private:
  [[nodiscard]] static std::int64_t base_rate(const Actor& bot, const Scene& scene) {
    const std::int64_t base = mul_div(base_ppb, bot.terms.scale_ppm, ppm_one, Rounding::half_up);
    return mul_div(base, scene.conditions.taker_rate_ppm, ppm_one, Rounding::half_up);
  }

  void cool_down(TimestampMs now_ms) {
    // Nothing is left after an hour; the first time is that since 1970, whose product would not fit.
    const std::int64_t passed_ms = std::min<std::int64_t>(now_ms - at_ms, hour_ms);
    const std::int64_t left = exp_ppb(-mul_div(decay_ppb, passed_ms, second_ms, Rounding::half_up));
    buy_ppb = mul_div(buy_ppb, left, ppb_one, Rounding::down);
    sell_ppb = mul_div(sell_ppb, left, ppb_one, Rounding::down);
    at_ms = now_ms;
  }

  // A large position makes reducing it more likely.
  [[nodiscard]] static Side kept_in_bounds(Actor& bot, const Scene& scene, Side drawn) {
    const Usdx held = scene.position_value(bot.account);
    const Usdx limit = bot.scaled(400'000);
    if (held > limit && bot.chance.happens(ppm_one / 3)) return Side::sell;
    if (held < -limit && bot.chance.happens(ppm_one / 3)) return Side::buy;
    return drawn;
  }

  [[nodiscard]] static Usdx size(Actor& bot) {
    constexpr std::int64_t sigma_ppb = 1'100'000'000;
    constexpr std::int64_t whales_ppm = 20'000;
    constexpr std::int64_t whale = 20;
    const std::int64_t median = bot.scaled(500).value * (bot.chance.happens(whales_ppm) ? whale : 1);
    return {std::min(bot.chance.spread(median, sigma_ppb), bot.scaled(200'000).value)};
  }

  static void order(Actor& bot, const Scene& scene, OrderSender& sender, Side side) {
    const auto touch = scene.best(opposite(side));
    if (!touch) return;
    const std::int64_t away = sign(side);
    const Ticks at = scene.ticks_of(*touch, side);
    const Lots lots = scene.lots_worth(size(bot), at);
    constexpr std::int64_t market_ppm = 600'000;
    constexpr std::int64_t immediate_ppm = 850'000;
    constexpr std::int32_t slippage_bps = 30;
    const std::int64_t kind = bot.chance.between(0, ppm_one - 1);
    if (kind < market_ppm) return sender.at_market(side, lots, slippage_bps);
    if (kind < immediate_ppm)
      return sender.take(side, scene.ticks_of(moved(*touch, away * bot.chance.between(0, 3) * bp_ppb), side), lots);
    const auto own = scene.best(side);
    if (!own) return;
    const std::int64_t near = moved(*own, -away * bot.chance.between(0, 2 * bp_ppb));
    const TimestampMs until_ms = scene.now_ms + bot.chance.between(10 * second_ms, minute_ms);
    sender.rest(side, scene.ticks_of(near, side), lots, until_ms);
  }
};

// Occasionally one large order, sliced over one to ten minutes.
struct Slicer {
  Usdx left{};   // signed: negative is to be sold
  Usdx slice{};  // of each order

  [[nodiscard]] bool is_valid() const {
    constexpr std::int64_t most = limits::funds_venue_max;
    return std::abs(left.value) <= most && slice >= Usdx{} && slice.value <= most && (left == Usdx{} || slice > Usdx{});
  }

  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    constexpr std::int64_t pause_ms = 4 * second_ms;
    if (!scene.conditions.speculators) return 5 * second_ms;
    if (left == Usdx{}) return begin(bot, scene, pause_ms);
    const Side side = left > Usdx{} ? Side::buy : Side::sell;
    const Usdx piece = std::min(slice, Usdx{std::abs(left.value)});
    constexpr std::int32_t slippage_bps = 50;
    take_value(scene, sender, side, piece, slippage_bps);
    left -= Usdx{sign(side) * piece.value};
    if (left == Usdx{}) return bot.chance.waiting(10 * minute_ms);
    return bot.chance.between(pause_ms / 2, 3 * pause_ms / 2);
  }

 private:
  std::int64_t begin(Actor& bot, const Scene& scene, std::int64_t pause_ms) {
    const Usdx held = scene.position_value(bot.account);
    const Usdx limit = bot.scaled(3'000'000);
    Side side = bot.chance.happens(ppm_one / 2) ? Side::buy : Side::sell;
    if (held > limit) side = Side::sell;
    if (held < -limit) side = Side::buy;
    constexpr std::int64_t sigma_ppb = 700'000'000;
    const Usdx whole{std::min(bot.chance.spread(bot.scaled(200'000).value, sigma_ppb), bot.scaled(1'500'000).value)};
    const std::int64_t lasts_ms = bot.chance.between(minute_ms, 10 * minute_ms);
    left = {sign(side) * whole.value};
    slice = {std::max<std::int64_t>(whole.value * pause_ms / lasts_ms, usdx_one)};
    return pause_ms;
  }
};

enum class Stage : std::uint8_t { flat, entering, holding, ruined };

constexpr std::int64_t ruined_below = 30 * usdx_one;

// Small traders with high leverage: they open a position, sometimes with a stop, hold it, and close it, unless they
// are liquidated first. A trader without money leaves, and after a while another one arrives with a new
// deposit. (D-395)
struct Retail {
  Stage stage = Stage::flat;
  std::int64_t leverage = 0;
  std::int64_t seen = 0;  // index at the last wake-up, 1e-6 USDX

  [[nodiscard]] bool is_valid() const {
    const bool in_the_market = stage == Stage::entering || stage == Stage::holding;
    return leverage >= (in_the_market ? 1 : 0) && leverage <= limits::leverage_max && is_remembered_price(seen);
  }

  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    if (!scene.conditions.speculators && stage == Stage::flat) return 10 * second_ms;
    const Lots held = scene.position(bot.account);
    if (stage == Stage::ruined) {
      // The next trader.
      sender.deposit({bot.chance.between(500, 4'000) * usdx_one});
      stage = Stage::flat;
      return bot.chance.waiting(minute_ms);
    }
    if (held == Lots{}) return begin(bot, scene, sender);
    if (stage == Stage::entering) return protect(bot, scene, sender, held);
    sender.cancel_all();
    sender.close(held);
    stage = Stage::flat;
    return rest(bot);
  }

 private:
  [[nodiscard]] static std::int64_t rest(Actor& bot) { return second_ms * 20 + bot.chance.waiting(4 * minute_ms); }

  std::int64_t begin(Actor& bot, const Scene& scene, OrderSender& sender) {
    const engine::AccountFigures figures = scene.engine.account(bot.account);
    if (figures.open_orders > 0) sender.cancel_all();
    if (figures.collateral.value < ruined_below) {
      stage = Stage::ruined;
      return 2 * minute_ms + bot.chance.waiting(6 * minute_ms);
    }
    if (stage == Stage::holding || stage == Stage::entering) {
      // A stop, a take-profit or a liquidation closed it.
      stage = Stage::flat;
      return rest(bot);
    }
    constexpr std::array<std::int64_t, 5> leverages{10, 20, 25, 40, 40};
    leverage = std::min(leverages[static_cast<std::size_t>(bot.chance.between(0, 4))],
                        scene.engine.spec(scene.market).max_leverage);
    // Every other trader uses isolated margin.
    if (figures.open_orders == 0)
      sender.set_mode(bot.terms.number % 2 == 1 ? engine::MarginMode::isolated : engine::MarginMode::cross);
    sender.set_leverage(leverage);
    const bool rising = scene.index() >= seen;
    constexpr std::int64_t follows_ppm = 600'000;
    const bool buys = rising == bot.chance.happens(follows_ppm);
    seen = scene.index();
    const Side side = buys ? Side::buy : Side::sell;
    if (!scene.best(opposite(side))) return rest(bot);
    const std::int64_t share_ppm = bot.chance.between(500'000, 900'000);
    const std::int64_t value = mul_div(figures.collateral.value * leverage, share_ppm, ppm_one, Rounding::down);
    constexpr std::int32_t slippage_bps = 30;
    take_value(scene, sender, side, {value}, slippage_bps);
    stage = Stage::entering;
    return bot.chance.between(second_ms, 3 * second_ms);
  }

  std::int64_t protect(Actor& bot, const Scene& scene, OrderSender& sender, Lots held) {
    constexpr std::int64_t with_stop_ppm = 450'000;
    constexpr std::int64_t with_profit_ppm = 500'000;
    const Side way_out = held > Lots{} ? Side::sell : Side::buy;
    const Lots lots = held > Lots{} ? held : -held;
    const std::int64_t toward_loss = held > Lots{} ? -1 : 1;
    // At a distance of 1 / leverage all of the margin is lost.
    const std::int64_t all_ppb = ppb_one / leverage;
    const auto trigger = [&](std::int64_t sign_of, std::int64_t low_ppm, std::int64_t high_ppm) {
      const std::int64_t away = mul_div(all_ppb, bot.chance.between(low_ppm, high_ppm), ppm_one, Rounding::down);
      return scene.ticks_of(moved(scene.mark(), sign_of * away), way_out);
    };
    const bool careful = bot.chance.happens(with_stop_ppm);
    if (careful) sender.stop(way_out, trigger(toward_loss, 100'000, 400'000), lots);
    if (bot.chance.happens(with_profit_ppm)) sender.take_profit(way_out, trigger(-toward_loss, 100'000, 600'000), lots);
    stage = Stage::holding;
    return minute_ms + bot.chance.waiting((careful ? 15 : 60) * minute_ms);
  }
};

// Trades toward a position of that value; small differences are ignored.
void trade_toward(const Scene& scene, OrderSender& sender, const Address& account, Usdx wanted, Usdx step) {
  const Usdx difference = wanted - scene.position_value(account);
  if (std::abs(difference.value) < step.value / 2) return;
  const Side side = difference > Usdx{} ? Side::buy : Side::sell;
  constexpr std::int32_t slippage_bps = 20;
  take_value(scene, sender, side, {std::min(std::abs(difference.value), step.value)}, slippage_bps);
}

// Crossing of two averages of the mark, checked every 37 seconds.
struct Momentum {
  std::int64_t fast = 0;  // 1e-6 USDX; 0: no price seen yet
  std::int64_t slow = 0;
  std::int64_t stance = 0;  // long 1, short -1

  [[nodiscard]] bool is_valid() const {
    return is_remembered_price(fast) && is_remembered_price(slow) && std::abs(stance) <= 1;
  }

  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    constexpr std::int64_t wakes_ms = 37 * second_ms;
    const std::int64_t mark = scene.mark();
    if (slow == 0) fast = slow = mark;
    fast += (mark - fast) / 3;
    slow += (mark - slow) / 12;
    const std::int64_t lead = distance_ppb(fast, slow);
    if (lead > 4 * bp_ppb) stance = 1;
    if (lead < -4 * bp_ppb) stance = -1;
    if (scene.conditions.speculators)
      trade_toward(scene, sender, bot.account, {stance * bot.scaled(60'000).value}, bot.scaled(30'000));
    return wakes_ms;
  }
};

// Buys below and sells above its own estimate of the value, a slow, noisy average.
struct Value {
  std::int64_t worth = 0;  // 1e-6 USDX

  [[nodiscard]] bool is_valid() const { return is_remembered_price(worth); }

  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    const std::int64_t mark = scene.mark();
    if (worth == 0) worth = mark;
    worth += (scene.index() - worth) / 60;
    worth = moved(worth, bot.chance.normal_ppb() * 2 / 10'000);  // two basis points of noise
    const std::int64_t dear = distance_ppb(mark, worth);
    const std::int64_t away = std::abs(dear) - 25 * bp_ppb;
    if (scene.conditions.speculators) {
      // The position is full at 100 basis points beyond the first 25.
      const Usdx full = bot.scaled(400'000);
      const std::int64_t share = std::clamp<std::int64_t>(away, 0, 100 * bp_ppb);
      const std::int64_t wanted = mul_div(full.value, share, 100 * bp_ppb, Rounding::down);
      trade_toward(scene, sender, bot.account, {dear > 0 ? -wanted : wanted}, bot.scaled(25'000));
    }
    return bot.chance.between(20 * second_ms, minute_ms);
  }
};

// Trades against a premium of more than 5 basis points.
struct Arbitrageur {
  [[nodiscard]] bool is_valid() const { return true; }

  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    const std::int64_t premium = distance_ppb(scene.mark(), scene.index());
    const Usdx held = scene.position_value(bot.account);
    const Usdx limit = bot.scaled(2'000'000);
    const Usdx step = bot.scaled(40'000);
    if (scene.conditions.speculators) {
      if (premium > 5 * bp_ppb) trade_toward(scene, sender, bot.account, -limit, step);
      if (premium < -5 * bp_ppb) trade_toward(scene, sender, bot.account, limit, step);
      if (std::abs(premium) < bp_ppb && held != Usdx{}) trade_toward(scene, sender, bot.account, {}, step);
    }
    return 15 * second_ms + bot.chance.between(0, 5 * second_ms);
  }
};

// Small orders near the price; most are cancelled.
struct Noise {
  [[nodiscard]] bool is_valid() const { return true; }

  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    constexpr std::size_t orders_max = 10;
    const auto open = scene.engine.open_orders(bot.account);
    if (open.size() >= orders_max || (!open.empty() && bot.chance.happens(450'000))) {
      sender.cancel(
          open[static_cast<std::size_t>(bot.chance.between(0, static_cast<std::int64_t>(open.size()) - 1))].id);
    } else if (scene.conditions.speculators) {
      const Side side = scene.position(bot.account) > Lots{}   ? Side::sell
                        : scene.position(bot.account) < Lots{} ? Side::buy
                        : bot.chance.happens(ppm_one / 2)      ? Side::buy
                                                               : Side::sell;
      const std::int64_t away = bot.chance.between(3 * bp_ppb, 30 * bp_ppb);
      const Ticks price = scene.ticks_of(moved(scene.mark(), -sign(side) * away), side);
      sender.rest(side, price, scene.lots_worth({bot.chance.spread(bot.scaled(400).value, ppb_one)}, price));
    }
    return bot.chance.between(2 * second_ms, 7 * second_ms);
  }
};

}  // namespace

std::span<const Role> takers() {
  static constexpr std::array roles{
      Role{"flow", 20'000'000, 1, make_actor<FlowTaker>},
      Role{"slicer", 10'000'000, 1, make_actor<Slicer>},
      Role{"momentum", 2'000'000, 1, make_actor<Momentum>},
      Role{"value", 4'000'000, 2, make_actor<Value>},
      Role{"arbitrageur", 5'000'000, 1, make_actor<Arbitrageur>},
      Role{"noise", 1'000'000, 1, make_actor<Noise>},
      Role{"retail", 2'000, 8, make_actor<Retail>},
  };
  return roles;
}

}  // namespace svc::sim
