// The results of commands, in the shape of `expect` (docs/scenarios.md): collected from events, and from the engine
// for the state. Used for stories and for sessions.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/engine/engine.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {

class Chronicle {
 public:
  // Rows name their step, unless it is 0.
  void note(std::span<const engine::Event> events, std::size_t step);

  // Trades, or risk events.
  [[nodiscard]] nlohmann::json rows(const StoryNames& names, bool trades) const;
  // Its last report; null if there was none.
  [[nodiscard]] nlohmann::json order(const StoryNames& names, engine::OrderId id) const;
  [[nodiscard]] static nlohmann::json books(const StoryNames& names, const engine::Engine& engine);
  [[nodiscard]] nlohmann::json ledger(const StoryNames& names, const engine::Engine& engine, TimestampMs now_ms) const;

 private:
  std::map<engine::OrderId, std::pair<engine::OrderRecord, std::size_t>> orders_;
  std::map<std::pair<Address, engine::MarketIndex>, engine::PositionChanged> positions_;
  std::vector<std::pair<engine::Event, std::size_t>> told_;  // the source of the rows
};

}  // namespace svc::sim::scenario
