#include "sim/scenario/scenario_runner.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "sim/scenario/difference.h"
#include "sim/scenario/json_fields.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/story.h"

namespace svc::sim::scenario {
namespace {

std::vector<std::string> run(const Scenario& scenario) {
  try {
    Story story(scenario);
    story.tell();
    std::vector<std::string> found = differences(scenario.expect, story.outcome(), scenario.lines);
    found.insert(found.end(), story.violations().begin(), story.violations().end());
    return found;
  } catch (const FieldError& error) {
    return {error.text};
  }
}

ScenarioResult run(const Vector& vector) {
  ScenarioResult result{.id = vector.id, .title = vector.title, .verdict = Verdict::skipped, .differences = {}};
  if (!vector.scenario && vector.error.empty()) return result;
  result.differences = vector.scenario ? run(*vector.scenario) : std::vector{vector.error};
  result.verdict = result.differences.empty() ? Verdict::passed : Verdict::failed;
  return result;
}

}  // namespace

std::size_t ScenarioReport::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [&](const ScenarioResult& result) { return result.verdict == verdict; }));
}

Result<ScenarioReport, std::string> run_scenarios(std::string_view text) {
  auto file = SVC_TRY(parse_scenario_file(text));
  ScenarioReport report{.topic = file.topic, .results = {}};
  for (const Vector& vector : file.vectors) report.results.push_back(run(vector));
  return report;
}

Result<ScenarioReport, std::string> run_scenario_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return unexpected("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return run_scenarios(text);
}

}  // namespace svc::sim::scenario
