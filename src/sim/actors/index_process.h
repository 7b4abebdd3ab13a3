// The synthetic index price of one market, one step a second.
//
//   log price += sigma(regime) * (common * sqrt(0.7) + own * sqrt(0.3)) + jump - pull toward a slow anchor
//
// Regimes calm, busy and stressed have yearly volatilities of 35, 70 and 150 % and last 2 hours, 20 minutes and
// 5 minutes on average. Jumps come three a day, more of them under stress. The pull halves a deviation in 6 hours, and
// the anchor follows with a half-life of 3 days: the price wanders, and does not drift to nothing. A step is at most
// 2 %, but for what a script adds. (D-391)
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "sim/actors/chance.h"

namespace svc::sim {

enum class Regime : std::uint8_t { calm, busy, stressed };

class IndexProcess {
 public:
  // `beta_ppm`: how much livelier than the first market.
  IndexProcess(std::uint64_t seed, std::string_view market, std::int64_t beta_ppm);

  // From now on around this price, in 1e-6 USDX.
  void begin_at(std::int64_t price);
  [[nodiscard]] bool begun() const { return start_ != 0; }

  // One second: `common_ppb` is the standard normal draw that all markets share, `sigma_ppm` scales the volatility.
  void step(std::int64_t common_ppb, std::int64_t sigma_ppm);
  // A script moves the price, and what it returns to, by this much of its logarithm.
  void shift(std::int64_t log_ppb);
  // 1e-6 USDX.
  [[nodiscard]] std::int64_t price() const;
  // What was read from a log.
  [[nodiscard]] bool makes_sense() const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(chance_, regime_, start_, log_, anchor_);
  }

 private:
  void change_regime();
  [[nodiscard]] std::int64_t jump();

  std::int64_t beta_ppm_;
  Chance chance_;
  Regime regime_ = Regime::busy;  // a market that opens is
  std::int64_t start_ = 0;        // 1e-6 USDX; 0: not begun
  std::int64_t log_ = 0;          // of the price over the start, ppb
  std::int64_t anchor_ = 0;       // what it is pulled toward, likewise
};

}  // namespace svc::sim
