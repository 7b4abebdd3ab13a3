// Runs scenario files against an engine of their own, in process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::sim::scenario {

enum class Verdict : std::uint8_t { passed, failed, skipped };

struct ScenarioResult {
  std::string id;
  std::string title;
  Verdict verdict = Verdict::skipped;
  std::vector<std::string> differences;  // why it failed, one line each
};

struct ScenarioReport {
  std::string topic;
  std::vector<ScenarioResult> results;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

// The report, or what is wrong with the file as a whole. A vector without steps is reported as skipped.
[[nodiscard]] Result<ScenarioReport, std::string> run_scenarios(std::string_view text);
[[nodiscard]] Result<ScenarioReport, std::string> run_scenario_file(const std::string& path);

}  // namespace svc::sim::scenario
