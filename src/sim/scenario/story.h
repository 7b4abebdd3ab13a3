// Runs a scenario on an engine, and collects the results as one JSON document in the shape of `expect`. Rows also
// name their step.
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
  // Runs every step.
  explicit Story(const Scenario& scenario);

  [[nodiscard]] nlohmann::json outcome() const;
  // Broken invariants, each with the step after which it was found.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  void run_step(const nlohmann::json& step, const std::string& place);
  [[nodiscard]] nlohmann::json ledger() const;

  Cast cast_;
  StoryNames names_;
  engine::Engine engine_;
  engine::EventLog events_;  // of the current step
  TimestampMs now_ms_ = 1'700'000'000'000;
  std::size_t step_ = 0;

  Chronicle chronicle_;
  nlohmann::json refused_ = nlohmann::json::object();  // orders by label
  nlohmann::json rejects_ = nlohmann::json::array();
  nlohmann::json snapshots_ = nlohmann::json::object();
  std::vector<std::string> violations_;
};

}  // namespace svc::sim::scenario
