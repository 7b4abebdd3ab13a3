// Steps of a session as lines of a scenario (docs/scenarios.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/scenario/session.h"

namespace svc::sim::scenario {

struct LabelledOrder {
  std::string label;
  engine::MarketIndex market;
};

// What things are called in the story.
struct SessionNames {
  std::vector<engine::MarketSpec> specs;  // by market index
  std::size_t first_market = 0;           // that lines mean that name none
  std::map<Address, std::string> accounts;
  std::map<engine::OrderId, LabelledOrder> labels;
  std::map<std::pair<Address, std::string>, int> client_ids;  // how often each was sent
};

// ID NAME VALUE ..., without what a story has anyway.
[[nodiscard]] std::string market_line(const engine::MarketSpec& spec);
// Usually one; a batch gives one for each order, some steps give none. `used`: markets of the story.
[[nodiscard]] std::vector<std::string> step_lines(const SessionStep& step, const SessionNames& names,
                                                  const std::vector<std::size_t>& used);

}  // namespace svc::sim::scenario
