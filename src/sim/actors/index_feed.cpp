#include "sim/actors/index_feed.h"

#include <algorithm>
#include <array>

#include "base/limits.h"

namespace svc::sim {
namespace {

constexpr std::array<std::int64_t, 3> betas_ppm{1'000'000, 1'200'000, 1'500'000};

// How much of the glide is behind at that time.
std::int64_t portion(const Glide& glide, std::int64_t elapsed_ms) {
  const std::int64_t since_ms = elapsed_ms - glide.begin_ms;
  if (since_ms < 0) return 0;
  if (since_ms >= glide.over_ms) return glide.log_ppb;
  return mul_div(glide.log_ppb, since_ms, glide.over_ms, Rounding::toward_zero);
}

Ticks on_grid(const engine::MarketSpec& spec, std::int64_t price) {
  const std::int64_t ticks = narrow(div_round(price, engine::tick_unit(spec), Rounding::half_up));
  return {std::clamp<std::int64_t>(ticks, 1, spec.price_max.value)};
}

}  // namespace

IndexFeed::IndexFeed(std::uint64_t seed, std::span<const engine::MarketSpec> markets) : common_(seed, "index") {
  for (std::size_t i = 0; i < markets.size(); ++i)
    processes_.emplace_back(seed, markets[i].id, betas_ppm[std::min(i, betas_ppm.size() - 1)]);
}

std::int64_t IndexFeed::glided(const Moment& moment, std::size_t market) {
  const std::int64_t elapsed_ms = moment.at_ms - moment.glides_since_ms;
  std::int64_t log_ppb = 0;
  for (const Glide& glide : moment.glides) {
    if (glide.market && *glide.market != market) continue;
    log_ppb += portion(glide, elapsed_ms) - portion(glide, elapsed_ms - second_ms);
  }
  return log_ppb;
}

engine::OracleTick IndexFeed::tick(const Moment& moment, const engine::Engine& engine) {
  engine::OracleTick tick;
  const std::int64_t common_ppb = moment.source == Source::process ? common_.normal_ppb() : 0;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
    const engine::MarketSpec& spec = engine.spec(market);
    const engine::MarketFigures figures = engine.market(market, moment.at_ms);
    IndexProcess& process = processes_[i];
    if (const auto walking = walks_.find(market.value); walking != walks_.end()) {
      const Walk& walk = walking->second;
      const std::int64_t whole_ms = std::max<std::int64_t>(1, walk.end_ms - walk.begin_ms);
      const std::int64_t gone_ms = std::clamp<std::int64_t>(moment.at_ms - walk.begin_ms, 0, whole_ms);
      const std::int64_t moved = mul_div(walk.to.value - walk.from.value, gone_ms, whole_ms, Rounding::toward_zero);
      const Ticks price{walk.from.value + moved};
      tick.prices.push_back({.market = market, .index = price, .mark = price});
      if (gone_ms == whole_ms) walks_.erase(walking);
      process.begin_at(0);
      continue;
    }
    if (moment.source == Source::none || !figures.index) continue;
    if (figures.price_mode == engine::PriceMode::manual) {
      process.begin_at(0);
      continue;
    }
    Ticks price = *figures.index;
    if (moment.source == Source::process) {
      if (!process.begun()) process.begin_at(price.value * engine::tick_unit(spec));
      process.shift(glided(moment, i));
      process.step(common_ppb, moment.volatility_ppm);
      price = on_grid(spec, process.price());
    }
    tick.prices.push_back({.market = market, .index = price, .mark = std::nullopt});
  }
  return tick;
}

bool IndexFeed::makes_sense(std::span<const engine::MarketSpec> markets) const {
  for (const auto& [market, walk] : walks_) {
    if (market >= markets.size()) return false;
    const auto fits = [&](Ticks price) { return price > Ticks{} && price <= markets[market].price_max; };
    if (!fits(walk.from) || !fits(walk.to) || walk.begin_ms < 0 || walk.end_ms < walk.begin_ms ||
        walk.end_ms > limits::clock_ms_max + day_ms)
      return false;
  }
  return std::ranges::all_of(processes_, &IndexProcess::makes_sense);
}

void IndexFeed::start_anew() {
  for (IndexProcess& process : processes_) process.begin_at(0);
}

}  // namespace svc::sim
