// Index prices, once a second, of all markets as one batch: from the synthetic process, from a walk that somebody asked
// for, or the same as before so that the oracle does not grow stale while bots rest. A market whose price was set by
// hand is left alone. (D-391, D-392)
//
// Not thread-safe; owned by the flow.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/actors/drills.h"
#include "sim/actors/index_process.h"
#include "sim/engine/engine.h"

namespace svc::sim {

// Index and mark of a market go straight from one price to the other; afterwards they stand.
struct Walk {
  Ticks from{};
  Ticks to{};
  TimestampMs begin_ms = 0;
  TimestampMs end_ms = 0;
};

class IndexFeed {
 public:
  IndexFeed(std::uint64_t seed, std::span<const engine::MarketSpec> markets);

  enum class Source : std::uint8_t {
    process,  // prices live
    stands,   // the same again
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
  // False: there was none.
  bool stop_walk(engine::MarketIndex market) { return walks_.erase(market.value) > 0; }
  [[nodiscard]] bool walks() const { return !walks_.empty(); }
  // What was read from a log, for markets like these.
  [[nodiscard]] bool makes_sense(std::span<const engine::MarketSpec> markets) const;
  // The process starts anew from the prices that it finds.
  void start_anew();

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
