#include "sim/actors/speculators.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace svc::sim {
namespace {

using engine::Side;

constexpr std::int32_t slippage_bps = 20;

// Trades toward a position of that value; small differences are left alone.
void trade_toward(const Scene& scene, Desk& desk, const Address& account, Usdx wanted, Usdx step) {
  const Usdx difference = wanted - scene.position_value(account);
  if (std::abs(difference.value) < step.value / 2) return;
  const Side side = difference > Usdx{} ? Side::buy : Side::sell;
  const auto touch = scene.best(opposite(side));
  if (!touch) return;
  const Usdx value{std::min(std::abs(difference.value), step.value)};
  desk.at_market(side, scene.lots_worth(value, scene.ticks_of(*touch, side)), slippage_bps);
}

struct Averages {
  std::int64_t fast = 0;  // 1e-6 USDX; 0: nothing was seen yet
  std::int64_t slow = 0;
  std::int64_t stance = 0;  // long 1, short -1

  [[nodiscard]] bool makes_sense() const {
    return is_remembered_price(fast) && is_remembered_price(slow) && std::abs(stance) <= 1;
  }
};

class Momentum final : public RememberingActor<Averages> {
 public:
  using RememberingActor::RememberingActor;

  std::int64_t act(const Scene& scene, Desk& desk) override {
    constexpr std::int64_t wakes_ms = 37 * second_ms;
    const std::int64_t mark = scene.mark();
    if (memory_.slow == 0) memory_.fast = memory_.slow = mark;
    memory_.fast += (mark - memory_.fast) / 3;
    memory_.slow += (mark - memory_.slow) / 12;
    const std::int64_t lead = distance_ppb(memory_.fast, memory_.slow);
    if (lead > 4 * bp_ppb) memory_.stance = 1;
    if (lead < -4 * bp_ppb) memory_.stance = -1;
    if (scene.mood.speculators)
      trade_toward(scene, desk, account, {memory_.stance * scaled(60'000).value}, scaled(30'000));
    return wakes_ms;
  }
};

struct Belief {
  std::int64_t worth = 0;  // 1e-6 USDX

  [[nodiscard]] bool makes_sense() const { return is_remembered_price(worth); }
};

class Value final : public RememberingActor<Belief> {
 public:
  using RememberingActor::RememberingActor;

  std::int64_t act(const Scene& scene, Desk& desk) override {
    const std::int64_t mark = scene.mark();
    if (memory_.worth == 0) memory_.worth = mark;
    memory_.worth += (scene.index() - memory_.worth) / 60;
    memory_.worth = moved(memory_.worth, chance_.normal_ppb() * 2 / 10'000);  // two basis points of noise
    const std::int64_t dear = distance_ppb(mark, memory_.worth);
    const std::int64_t away = std::abs(dear) - 25 * bp_ppb;
    if (scene.mood.speculators) {
      // A full position at 100 basis points beyond the first 25.
      const Usdx full = scaled(400'000);
      const std::int64_t share = std::clamp<std::int64_t>(away, 0, 100 * bp_ppb);
      const std::int64_t wanted = mul_div(full.value, share, 100 * bp_ppb, Rounding::down);
      trade_toward(scene, desk, account, {dear > 0 ? -wanted : wanted}, scaled(25'000));
    }
    return chance_.between(20 * second_ms, minute_ms);
  }
};

struct Nothing {
  [[nodiscard]] bool makes_sense() const { return true; }
};

class Arbitrageur final : public RememberingActor<Nothing> {
 public:
  using RememberingActor::RememberingActor;

  std::int64_t act(const Scene& scene, Desk& desk) override {
    const std::int64_t premium = distance_ppb(scene.mark(), scene.index());
    const Usdx held = scene.position_value(account);
    const Usdx limit = scaled(2'000'000);
    const Usdx step = scaled(40'000);
    if (scene.mood.speculators) {
      if (premium > 5 * bp_ppb) trade_toward(scene, desk, account, -limit, step);
      if (premium < -5 * bp_ppb) trade_toward(scene, desk, account, limit, step);
      if (std::abs(premium) < bp_ppb && held != Usdx{}) trade_toward(scene, desk, account, {}, step);
    }
    return 15 * second_ms + chance_.between(0, 5 * second_ms);
  }
};

class Noise final : public RememberingActor<Nothing> {
 public:
  using RememberingActor::RememberingActor;

  std::int64_t act(const Scene& scene, Desk& desk) override {
    constexpr std::size_t orders_max = 10;
    const auto open = scene.engine.open_orders(account);
    if (open.size() >= orders_max || (!open.empty() && chance_.happens(450'000))) {
      desk.cancel(open[static_cast<std::size_t>(chance_.between(0, static_cast<std::int64_t>(open.size()) - 1))].id);
    } else if (scene.mood.speculators) {
      const Side side = scene.position(account) > Lots{}   ? Side::sell
                        : scene.position(account) < Lots{} ? Side::buy
                        : chance_.happens(ppm_one / 2)     ? Side::buy
                                                           : Side::sell;
      const std::int64_t away = chance_.between(3 * bp_ppb, 30 * bp_ppb);
      const Ticks price = scene.ticks_of(moved(scene.mark(), -sign(side) * away), side);
      desk.rest(side, price, scene.lots_worth({chance_.spread(scaled(400).value, ppb_one)}, price));
    }
    return chance_.between(2 * second_ms, 7 * second_ms);
  }
};

}  // namespace

std::unique_ptr<Actor> make_momentum(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Momentum>(std::move(terms), seed);
}
std::unique_ptr<Actor> make_value(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Value>(std::move(terms), seed);
}
std::unique_ptr<Actor> make_arbitrageur(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Arbitrageur>(std::move(terms), seed);
}
std::unique_ptr<Actor> make_noise(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Noise>(std::move(terms), seed);
}

}  // namespace svc::sim
