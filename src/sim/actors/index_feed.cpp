#include "sim/actors/index_feed.h"

#include <algorithm>
#include <array>

namespace svc::sim {
namespace {

constexpr std::array<std::int64_t, 3> betas_ppm{1'000'000, 1'200'000, 1'500'000};

// The completed part of the glide at that time.
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

struct RegimeTerms {
  std::int64_t sigma_ppb;       // per second: yearly volatility over the root of 31,557,600
  std::int64_t leave_ppb;       // probability per second that the regime ends
  std::int64_t jumps_times_10;  // frequency of jumps relative to the average
};
constexpr std::array<RegimeTerms, 3> regimes{{
    {62'304, 138'889, 7},       // 35 %, 2 hours
    {124'608, 833'333, 15},     // 70 %, 20 minutes
    {267'017, 3'333'333, 120},  // 150 %, 5 minutes
}};
constexpr std::int64_t jump_ppb = 34'722;  // per second: three a day
constexpr std::int64_t jump_low_ppb = 3'000'000;
constexpr std::int64_t jump_high_ppb = 15'000'000;
constexpr std::int64_t common_ppb_weight = 836'660'027;  // sqrt(0.7): two markets correlate by 0.7
constexpr std::int64_t own_ppb_weight = 547'722'558;     // sqrt(0.3)
constexpr std::int64_t pull_ppb = 32'090;                // ln 2 / 6 hours
constexpr std::int64_t follow_ppb = 2'674;               // ln 2 / 72 hours
constexpr std::int64_t step_max_ppb = 20'000'000;
// At this distance from its start the price is turned back: orders have to fit the market's grid.
constexpr std::int64_t log_max_ppb = 1'500'000'000;

std::int64_t part(std::int64_t value, std::int64_t ppb) {
  return mul_div(value, ppb, ppb_one, Rounding::half_up);
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

bool IndexFeed::is_valid(std::span<const engine::MarketSpec> markets) const {
  for (const auto& [market, walk] : walks_)
    if (market >= markets.size() || !walk.is_possible(markets[market])) return false;
  return std::ranges::all_of(processes_, &IndexProcess::is_valid);
}

IndexProcess::IndexProcess(std::uint64_t seed, std::string_view market, std::int64_t beta_ppm)
    : beta_ppm_(beta_ppm), chance_(seed, "index " + std::string(market)) {}

void IndexProcess::change_regime() {
  if (!chance_.happens_ppb(regimes[static_cast<std::size_t>(regime_)].leave_ppb)) return;
  constexpr std::int64_t worse_ppm = 250'000;
  if (regime_ != Regime::busy)
    regime_ = Regime::busy;
  else
    regime_ = chance_.happens(worse_ppm) ? Regime::stressed : Regime::calm;
}

std::int64_t IndexProcess::jump() {
  const std::int64_t often = jump_ppb * regimes[static_cast<std::size_t>(regime_)].jumps_times_10 / 10;
  if (!chance_.happens_ppb(often)) return 0;
  const std::int64_t size = chance_.between(jump_low_ppb, jump_high_ppb);
  return chance_.happens(ppm_one / 2) ? size : -size;
}

void IndexProcess::step(std::int64_t common_ppb, std::int64_t sigma_ppm) {
  change_regime();
  const std::int64_t z = part(common_ppb, common_ppb_weight) + part(chance_.normal_ppb(), own_ppb_weight);
  std::int64_t sigma = regimes[static_cast<std::size_t>(regime_)].sigma_ppb;
  sigma = mul_div(mul_div(sigma, beta_ppm_, ppm_one, Rounding::half_up), sigma_ppm, ppm_one, Rounding::half_up);
  const std::int64_t jumped = sigma_ppm < ppm_one ? 0 : jump();
  std::int64_t moved = part(sigma, z) + jumped - part(log_ - anchor_, pull_ppb);
  moved = std::clamp(moved, -step_max_ppb, step_max_ppb);
  log_ = std::clamp(log_ + moved, -log_max_ppb, log_max_ppb);
  anchor_ += part(log_ - anchor_, follow_ppb);
}

void IndexProcess::shift(std::int64_t log_ppb) {
  log_ = std::clamp(log_ + log_ppb, -log_max_ppb, log_max_ppb);
  anchor_ = std::clamp(anchor_ + log_ppb, -log_max_ppb, log_max_ppb);
}

bool IndexProcess::is_valid() const {
  const auto is_log = [](std::int64_t ppb) { return ppb >= -log_max_ppb && ppb <= log_max_ppb; };
  constexpr std::int64_t start_max = 1'000'000'000'000'000'000;  // the largest price; five times as much fits 64 bits
  return start_ >= 0 && start_ <= start_max && is_log(log_) && is_log(anchor_);
}

}  // namespace svc::sim
