// A scenario being told to an engine, and everything that came of it as one JSON document of the shape that `expect`
// has. Rows also say the step they are of.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/scenario/chronicle.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {

class Story {
 public:
  // Tells every step.
  explicit Story(const Scenario& scenario);

  [[nodiscard]] nlohmann::json outcome() const;
  // Broken invariants, with the step after which they were found.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  void tell(const nlohmann::json& step, const std::string& place);
  [[nodiscard]] nlohmann::json ledger() const;

  Cast cast_;
  StoryNames names_;
  engine::Engine engine_;
  engine::EventLog events_;  // of the step being told
  TimestampMs now_ms_ = 1'700'000'000'000;
  std::size_t step_ = 0;

  Chronicle chronicle_;
  nlohmann::json refused_ = nlohmann::json::object();  // orders by label
  nlohmann::json rejects_ = nlohmann::json::array();
  nlohmann::json snapshots_ = nlohmann::json::object();
  std::vector<std::string> violations_;
};

}  // namespace svc::sim::scenario
