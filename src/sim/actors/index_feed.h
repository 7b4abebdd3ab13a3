// Index prices, once a second, of all markets in one batch: from the synthetic process, from a requested walk, or
// unchanged so that the oracle does not go stale while bots are off. A price set by hand is not touched. (D-391,
// D-392)
//
// Not thread-safe; owned by the flow.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "base/archive.h"
#include "sim/actors/chance.h"
#include "sim/engine/engine.h"

// The synthetic index price of one market, one step a second.
//
//   log price += sigma(regime) * (common * sqrt(0.7) + own * sqrt(0.3)) + jump - pull toward a slow anchor
//
// Regimes calm, busy and stressed have yearly volatilities of 35, 70 and 150 % and last 2 hours, 20 minutes and 5
// minutes on average. There are three jumps a day, more under stress. The pull halves a deviation in 6 hours, and
// the anchor follows with a half-life of 3 days: the price moves around but does not drift to nothing. A step is at
// most 2 %, not counting scripted moves. (D-391)

namespace svc::sim {

enum class Regime : std::uint8_t { calm, busy, stressed };

class IndexProcess {
 public:
  // `beta_ppm`: volatility relative to the first market.
  IndexProcess(std::uint64_t seed, std::string_view market, std::int64_t beta_ppm);

  // Starts around this price, in 1e-6 USDX.
  void begin_at(std::int64_t price) {
    start_ = price;
    log_ = anchor_ = 0;
  }
  [[nodiscard]] bool begun() const { return start_ != 0; }

  // One second: `common_ppb` is the standard normal draw that all markets share, `sigma_ppm` scales the volatility.
  void step(std::int64_t common_ppb, std::int64_t sigma_ppm);
  // A scripted move of the price and its anchor, by this much of its logarithm.
  void shift(std::int64_t log_ppb);
  // 1e-6 USDX.
  [[nodiscard]] std::int64_t price() const { return mul_div(start_, exp_ppb(log_), ppb_one, Rounding::half_up); }
  // For values read from a log.
  [[nodiscard]] bool is_valid() const;

  SVC_KEEPS(chance_, regime_, start_, log_, anchor_);

 private:
  void change_regime();
  [[nodiscard]] std::int64_t jump();

  std::int64_t beta_ppm_;
  Chance chance_;
  Regime regime_ = Regime::busy;  // for a new market
  std::int64_t start_ = 0;        // 1e-6 USDX; 0: not started
  std::int64_t log_ = 0;          // of the price relative to the start, ppb
  std::int64_t anchor_ = 0;       // of the anchor, likewise
};

// Index and mark of a market move in a straight line from one price to another, then stay.
struct Walk {
  Ticks from{};
  Ticks to{};
  TimestampMs begin_ms = 0;
  TimestampMs end_ms = 0;

  [[nodiscard]] bool is_possible(const engine::MarketSpec& spec) const {
    const auto fits = [&](Ticks price) { return price > Ticks{} && price <= spec.price_max; };
    return fits(from) && fits(to) && begin_ms >= 0 && end_ms >= begin_ms && end_ms <= limits::clock_ms_max + day_ms;
  }
};

// The index of a market (its place in the list; all if nullopt) moves by this much of its logarithm.
struct Glide {
  std::optional<std::size_t> market;
  std::int64_t begin_ms = 0;  // since the drill began
  std::int64_t over_ms = 0;   // 0: at once
  std::int64_t log_ppb = 0;
};

class IndexFeed {
 public:
  IndexFeed(std::uint64_t seed, std::span<const engine::MarketSpec> markets);

  enum class Source : std::uint8_t {
    process,  // the synthetic process moves the prices
    stands,   // prices are repeated
    none,     // walks only
  };
  struct Moment {
    TimestampMs at_ms = 0;
    Source source = Source::none;
    std::int64_t volatility_ppm = ppm_one;
    std::span<const Glide> glides{};
    TimestampMs glides_since_ms = 0;
  };
  // The batch of that second; may be empty.
  [[nodiscard]] engine::OracleTick tick(const Moment& moment, const engine::Engine& engine);

  void walk(engine::MarketIndex market, const Walk& walk) { walks_[market.value] = walk; }
  // False if there was none.
  bool stop_walk(engine::MarketIndex market) { return walks_.erase(market.value) > 0; }
  [[nodiscard]] bool walks() const { return !walks_.empty(); }
  // When the first of the walks ends; nullopt if there is none.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms() const {
    std::optional<TimestampMs> end_ms;
    for (const auto& [market, walk] : walks_) end_ms = std::min(end_ms.value_or(walk.end_ms), walk.end_ms);
    return end_ms;
  }
  // Checks values read from a log, for these markets.
  [[nodiscard]] bool is_valid(std::span<const engine::MarketSpec> markets) const;
  // Restarts the process at the present prices.
  void start_anew() {
    for (IndexProcess& process : processes_) process.begin_at(0);
  }

  template <class Archive>
  void archive(Archive& archive) {
    const std::size_t markets = processes_.size();
    archive(common_, walks_);
    std::uint64_t count = markets;
    archive(count);
    if constexpr (Archive::reading) {
      if (count != markets) return archive.fail();
    }
    for (IndexProcess& process : processes_) archive(process);
  }

 private:
  [[nodiscard]] static std::int64_t glided(const Moment& moment, std::size_t market);

  Chance common_;
  std::vector<IndexProcess> processes_;
  std::map<std::uint16_t, Walk> walks_;
};

}  // namespace svc::sim
