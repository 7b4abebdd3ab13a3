#include "sim/actors/index_process.h"

#include <algorithm>
#include <array>
#include <string>

#include "sim/actors/integer_math.h"

namespace svc::sim {
namespace {

struct RegimeTerms {
  std::int64_t sigma_ppb;       // of one second: yearly volatility over the root of 31,557,600
  std::int64_t leave_ppb;       // chance a second that it ends
  std::int64_t jumps_times_10;  // how often they come here, against the average
};
constexpr std::array<RegimeTerms, 3> regimes{{
    {62'304, 138'889, 7},       // 35 %, 2 hours
    {124'608, 833'333, 15},     // 70 %, 20 minutes
    {267'017, 3'333'333, 120},  // 150 %, 5 minutes
}};
constexpr std::int64_t jump_ppb = 34'722;  // a second: three a day
constexpr std::int64_t jump_low_ppb = 3'000'000;
constexpr std::int64_t jump_high_ppb = 15'000'000;
constexpr std::int64_t common_ppb_weight = 836'660'027;  // sqrt(0.7): two markets correlate by 0.7
constexpr std::int64_t own_ppb_weight = 547'722'558;     // sqrt(0.3)
constexpr std::int64_t pull_ppb = 32'090;                // ln 2 / 6 hours
constexpr std::int64_t follow_ppb = 2'674;               // ln 2 / 72 hours
constexpr std::int64_t step_max_ppb = 20'000'000;
// So far from its start the price turns back for good: orders have to fit the market's grid.
constexpr std::int64_t log_max_ppb = 1'500'000'000;

std::int64_t part(std::int64_t value, std::int64_t ppb) {
  return mul_div(value, ppb, ppb_one, Rounding::half_up);
}

}  // namespace

IndexProcess::IndexProcess(std::uint64_t seed, std::string_view market, std::int64_t beta_ppm)
    : beta_ppm_(beta_ppm), chance_(seed, "index " + std::string(market)) {}

void IndexProcess::begin_at(std::int64_t price) {
  start_ = price;
  log_ = anchor_ = 0;
}

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

bool IndexProcess::makes_sense() const {
  const auto is_log = [](std::int64_t ppb) { return ppb >= -log_max_ppb && ppb <= log_max_ppb; };
  constexpr std::int64_t start_max = 10'000'000'000'000'000;
  return start_ >= 0 && start_ <= start_max && is_log(log_) && is_log(anchor_);
}

std::int64_t IndexProcess::price() const {
  return mul_div(start_, exp_ppb(log_), ppb_one, Rounding::half_up);
}

}  // namespace svc::sim
