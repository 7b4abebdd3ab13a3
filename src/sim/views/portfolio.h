// The money of an account, folded from its events: what it is worth now, and what it was worth at every
// sampled instant.
//
//   equity     cross balance, isolated margins and open profit at mark
//   funded     deposits and what else came in, minus withdrawals; equity minus funded is the profit
//   volume     traded, as maker and as taker
//
// Sampled instants are the multiples of each cadence since 1970; a sample shows the account after
// everything that happened up to and at that instant. (D-281)
//
// Not thread-safe; owned by the views.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "sim/engine/events.h"
#include "sim/views/step_series.h"

namespace svc::sim {

// Shortest first; each is a multiple of the one before.
enum class Cadence : std::uint8_t { seconds_5, minutes_5, hour, hours_6, day };
struct CadenceTerms {
  std::int64_t period_ms;
  std::int64_t points;  // kept
};
inline constexpr std::array<CadenceTerms, 5> cadences{{{5 * second_ms, limits::equity_points_max},
                                                       {5 * minute_ms, 288},
                                                       {hour_ms, 168},
                                                       {6 * hour_ms, 120},
                                                       {day_ms, 366}}};
[[nodiscard]] constexpr const CadenceTerms& terms_of(Cadence cadence) {
  return cadences[static_cast<std::size_t>(cadence)];
}

// Value of one lot of each market at mark, 1e-6 USDX.
using LotValues = std::vector<i128>;

// All in 1e-6 USDX; 128 bits, since a venue may mark a position beyond 64.
struct PortfolioFigures {
  i128 equity = 0;
  i128 funded = 0;
  i128 volume = 0;
  bool operator==(const PortfolioFigures&) const = default;
};

class Portfolio {
 public:
  void fold(const engine::BalanceChanged& event);
  void fold(const engine::Fill& event);
  // Answers the profit realized by this change in its market.
  Usdx fold(const engine::PositionChanged& event);

  // Something happened to its money already.
  [[nodiscard]] bool opened() const { return opened_; }
  [[nodiscard]] bool holds_position() const;
  // Cross balance and isolated margins.
  [[nodiscard]] i128 collateral() const;
  [[nodiscard]] PortfolioFigures figures(const LotValues& lot_values) const;

  void sample(Cadence cadence, std::int64_t number, const PortfolioFigures& figures) {
    history_[static_cast<std::size_t>(cadence)].put(number, figures, terms_of(cadence).points);
  }
  // Number of the latest sample; nullopt: there is none.
  [[nodiscard]] std::optional<std::int64_t> last_sample(Cadence cadence) const { return history(cadence).last(); }
  [[nodiscard]] const StepSeries<PortfolioFigures>& history(Cadence cadence) const {
    return history_[static_cast<std::size_t>(cadence)];
  }

  template <class Archive>
  void archive(Archive& archive) {
    archive(opened_, balance_, funded_, volume_, held_, history_);
  }

 private:
  struct Held {
    Lots size{};  // signed
    Usdx cost{};
    Usdx isolated{};
    Usdx realized_total{};
  };

  bool opened_ = false;
  Usdx balance_;
  Usdx funded_;
  i128 volume_ = 0;
  std::map<engine::MarketIndex, Held> held_;  // flat ones included
  std::array<StepSeries<PortfolioFigures>, cadences.size()> history_;
};

}  // namespace svc::sim
