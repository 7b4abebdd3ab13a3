#include "sim/actors/takers.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/limits.h"
#include "sim/actors/integer_math.h"

namespace svc::sim {
namespace {

using engine::Side;

struct Excitement {
  std::int64_t buy_ppb = 0;  // orders a second beyond the base rate
  std::int64_t sell_ppb = 0;
  std::int64_t bound_ppb = 0;  // no rate was above this since `at_ms`
  TimestampMs at_ms = 0;

  [[nodiscard]] bool makes_sense() const;
};

constexpr std::int64_t base_ppb = 250'000'000;        // orders a second and side
constexpr std::int64_t excitement_ppb = 900'000'000;  // of the rate of its side, after an order
constexpr std::int64_t decay_ppb = 1'500'000'000;
constexpr std::int64_t rate_max_ppb = 40'000'000'000;

bool Excitement::makes_sense() const {
  const auto is_rate = [](std::int64_t ppb) { return ppb >= 0 && ppb <= 1'000 * rate_max_ppb; };
  return is_rate(buy_ppb) && is_rate(sell_ppb) && is_rate(bound_ppb) && at_ms >= 0 && at_ms <= limits::clock_ms_max;
}

class FlowTaker final : public RememberingActor<Excitement> {
 public:
  using RememberingActor::RememberingActor;

  // Candidates come at the highest rate possible since the last one, and count in proportion to the rate that holds.
  std::int64_t act(const Scene& scene, Desk& desk) override {
    const std::int64_t base = base_rate(scene);
    if (base == 0) {
      memory_ = {};
      return second_ms;
    }
    cool_down(scene.now_ms);
    const std::int64_t buys = base + memory_.buy_ppb;
    const std::int64_t sells = base + memory_.sell_ppb;
    const bool counts =
        memory_.bound_ppb == 0 || chance_.between(1, std::max(memory_.bound_ppb, buys + sells)) <= buys + sells;
    if (counts) {
      const Side drawn = chance_.between(1, buys + sells) <= buys ? Side::buy : Side::sell;
      std::int64_t& excited = drawn == Side::buy ? memory_.buy_ppb : memory_.sell_ppb;
      excited = std::min(excited + excitement_ppb, rate_max_ppb);
      order(scene, desk, kept_in_bounds(scene, drawn));
    }
    memory_.bound_ppb = 2 * base + memory_.buy_ppb + memory_.sell_ppb;
    return chance_.waiting(mul_div(second_ms, ppb_one, memory_.bound_ppb, Rounding::up));
  }

 private:
  [[nodiscard]] std::int64_t base_rate(const Scene& scene) const {
    const std::int64_t base = mul_div(base_ppb, terms.scale_ppm, ppm_one, Rounding::half_up);
    return mul_div(base, scene.mood.taker_rate_ppm, ppm_one, Rounding::half_up);
  }

  void cool_down(TimestampMs now_ms) {
    const std::int64_t left = exp_ppb(-mul_div(decay_ppb, now_ms - memory_.at_ms, second_ms, Rounding::half_up));
    memory_.buy_ppb = mul_div(memory_.buy_ppb, left, ppb_one, Rounding::down);
    memory_.sell_ppb = mul_div(memory_.sell_ppb, left, ppb_one, Rounding::down);
    memory_.at_ms = now_ms;
  }

  // Who holds much of one thing rather sells it.
  [[nodiscard]] Side kept_in_bounds(const Scene& scene, Side drawn) {
    const Usdx held = scene.position_value(account);
    const Usdx limit = scaled(400'000);
    if (held > limit && chance_.happens(ppm_one / 3)) return Side::sell;
    if (held < -limit && chance_.happens(ppm_one / 3)) return Side::buy;
    return drawn;
  }

  [[nodiscard]] Usdx size() {
    constexpr std::int64_t sigma_ppb = 1'100'000'000;
    constexpr std::int64_t whales_ppm = 20'000;
    constexpr std::int64_t whale = 20;
    const std::int64_t median = scaled(500).value * (chance_.happens(whales_ppm) ? whale : 1);
    return {std::min(chance_.spread(median, sigma_ppb), scaled(200'000).value)};
  }

  void order(const Scene& scene, Desk& desk, Side side) {
    const auto touch = scene.best(opposite(side));
    if (!touch) return;
    const std::int64_t away = sign(side);
    const Ticks at = scene.ticks_of(*touch, side);
    const Lots lots = scene.lots_worth(size(), at);
    constexpr std::int64_t market_ppm = 600'000;
    constexpr std::int64_t immediate_ppm = 850'000;
    constexpr std::int32_t slippage_bps = 30;
    const std::int64_t kind = chance_.between(0, ppm_one - 1);
    if (kind < market_ppm) return desk.at_market(side, lots, slippage_bps);
    if (kind < immediate_ppm)
      return desk.take(side, scene.ticks_of(moved(*touch, away * chance_.between(0, 3) * bp_ppb), side), lots);
    const auto own = scene.best(side);
    if (!own) return;
    const std::int64_t near = moved(*own, -away * chance_.between(0, 2 * bp_ppb));
    const TimestampMs until_ms = scene.now_ms + chance_.between(10 * second_ms, minute_ms);
    desk.rest(side, scene.ticks_of(near, side), lots, until_ms);
  }
};

struct MetaOrder {
  Usdx left{};   // signed: negative is to be sold
  Usdx slice{};  // of each order

  [[nodiscard]] bool makes_sense() const {
    constexpr std::int64_t most = limits::funds_venue_max;
    return std::abs(left.value) <= most && slice >= Usdx{} && slice.value <= most && (left == Usdx{} || slice > Usdx{});
  }
};

class Slicer final : public RememberingActor<MetaOrder> {
 public:
  using RememberingActor::RememberingActor;

  std::int64_t act(const Scene& scene, Desk& desk) override {
    constexpr std::int64_t pause_ms = 4 * second_ms;
    if (!scene.mood.speculators) return 5 * second_ms;
    if (memory_.left == Usdx{}) return begin(scene, pause_ms);
    const Side side = memory_.left > Usdx{} ? Side::buy : Side::sell;
    const Usdx piece = std::min(memory_.slice, Usdx{std::abs(memory_.left.value)});
    constexpr std::int32_t slippage_bps = 50;
    if (const auto touch = scene.best(opposite(side)))
      desk.at_market(side, scene.lots_worth(piece, scene.ticks_of(*touch, side)), slippage_bps);
    memory_.left -= Usdx{sign(side) * piece.value};
    if (memory_.left == Usdx{}) return chance_.waiting(10 * minute_ms);
    return chance_.between(pause_ms / 2, 3 * pause_ms / 2);
  }

 private:
  std::int64_t begin(const Scene& scene, std::int64_t pause_ms) {
    const Usdx held = scene.position_value(account);
    const Usdx limit = scaled(3'000'000);
    Side side = chance_.happens(ppm_one / 2) ? Side::buy : Side::sell;
    if (held > limit) side = Side::sell;
    if (held < -limit) side = Side::buy;
    constexpr std::int64_t sigma_ppb = 700'000'000;
    const Usdx whole{std::min(chance_.spread(scaled(200'000).value, sigma_ppb), scaled(1'500'000).value)};
    const std::int64_t lasts_ms = chance_.between(minute_ms, 10 * minute_ms);
    memory_.left = {sign(side) * whole.value};
    memory_.slice = {std::max<std::int64_t>(whole.value * pause_ms / lasts_ms, usdx_one)};
    return pause_ms;
  }
};

}  // namespace

std::unique_ptr<Actor> make_flow_taker(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<FlowTaker>(std::move(terms), seed);
}
std::unique_ptr<Actor> make_slicer(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Slicer>(std::move(terms), seed);
}

}  // namespace svc::sim
