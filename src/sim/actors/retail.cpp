#include "sim/actors/retail.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"

namespace svc::sim {
namespace {

using engine::Side;

enum class Stage : std::uint8_t { flat, entering, holding, ruined };

struct Story {
  Stage stage = Stage::flat;
  std::int64_t leverage = 0;
  std::int64_t seen = 0;  // index when it last looked, 1e-6 USDX

  [[nodiscard]] bool makes_sense() const {
    const bool in_the_market = stage == Stage::entering || stage == Stage::holding;
    return leverage >= (in_the_market ? 1 : 0) && leverage <= limits::leverage_max && is_remembered_price(seen);
  }
};

constexpr std::int64_t ruined_below = 30 * usdx_one;

class Retail final : public RememberingActor<Story> {
 public:
  using RememberingActor::RememberingActor;

  std::int64_t act(const Scene& scene, Desk& desk) override {
    if (!scene.mood.speculators && memory_.stage == Stage::flat) return 10 * second_ms;
    const Lots held = scene.position(account);
    if (memory_.stage == Stage::ruined) {
      // The next one.
      desk.deposit({chance_.between(500, 4'000) * usdx_one});
      memory_.stage = Stage::flat;
      return chance_.waiting(minute_ms);
    }
    if (held == Lots{}) return begin(scene, desk);
    if (memory_.stage == Stage::entering) return protect(scene, desk, held);
    desk.cancel_all();
    desk.close(held);
    memory_.stage = Stage::flat;
    return rest();
  }

 private:
  [[nodiscard]] std::int64_t rest() { return second_ms * 20 + chance_.waiting(4 * minute_ms); }

  std::int64_t begin(const Scene& scene, Desk& desk) {
    const engine::AccountFigures figures = scene.engine.account(account);
    if (figures.open_orders > 0) desk.cancel_all();
    if (figures.collateral.value < ruined_below) {
      memory_.stage = Stage::ruined;
      return 2 * minute_ms + chance_.waiting(6 * minute_ms);
    }
    if (memory_.stage == Stage::holding || memory_.stage == Stage::entering) {
      // A stop, a profit or a liquidation ended it.
      memory_.stage = Stage::flat;
      return rest();
    }
    constexpr std::array<std::int64_t, 5> leverages{10, 20, 25, 40, 40};
    memory_.leverage = std::min(leverages[static_cast<std::size_t>(chance_.between(0, 4))],
                                scene.engine.spec(scene.market).max_leverage);
    // Every other one keeps each position apart from the rest of his money.
    if (figures.open_orders == 0)
      desk.set_mode(terms.number % 2 == 1 ? engine::MarginMode::isolated : engine::MarginMode::cross);
    desk.set_leverage(memory_.leverage);
    const bool rising = scene.index() >= memory_.seen;
    constexpr std::int64_t follows_ppm = 600'000;
    const bool buys = rising == chance_.happens(follows_ppm);
    memory_.seen = scene.index();
    const Side side = buys ? Side::buy : Side::sell;
    const auto touch = scene.best(opposite(side));
    if (!touch) return rest();
    const std::int64_t share_ppm = chance_.between(500'000, 900'000);
    const std::int64_t value = mul_div(figures.collateral.value * memory_.leverage, share_ppm, ppm_one, Rounding::down);
    constexpr std::int32_t slippage_bps = 30;
    desk.at_market(side, scene.lots_worth({value}, scene.ticks_of(*touch, side)), slippage_bps);
    memory_.stage = Stage::entering;
    return chance_.between(second_ms, 3 * second_ms);
  }

  std::int64_t protect(const Scene& scene, Desk& desk, Lots held) {
    constexpr std::int64_t with_stop_ppm = 450'000;
    constexpr std::int64_t with_profit_ppm = 500'000;
    const Side way_out = held > Lots{} ? Side::sell : Side::buy;
    const Lots lots = held > Lots{} ? held : -held;
    const std::int64_t toward_loss = held > Lots{} ? -1 : 1;
    // A distance of 1 / leverage is all of the margin.
    const std::int64_t all_ppb = ppb_one / memory_.leverage;
    const auto trigger = [&](std::int64_t sign_of, std::int64_t low_ppm, std::int64_t high_ppm) {
      const std::int64_t away = mul_div(all_ppb, chance_.between(low_ppm, high_ppm), ppm_one, Rounding::down);
      return scene.ticks_of(moved(scene.mark(), sign_of * away), way_out);
    };
    const bool careful = chance_.happens(with_stop_ppm);
    if (careful) desk.stop(way_out, trigger(toward_loss, 100'000, 400'000), lots);
    if (chance_.happens(with_profit_ppm)) desk.take_profit(way_out, trigger(-toward_loss, 100'000, 600'000), lots);
    memory_.stage = Stage::holding;
    return minute_ms + chance_.waiting((careful ? 15 : 60) * minute_ms);
  }
};

}  // namespace

std::unique_ptr<Actor> make_retail(ActorTerms terms, std::uint64_t seed) {
  return std::make_unique<Retail>(std::move(terms), seed);
}

}  // namespace svc::sim
