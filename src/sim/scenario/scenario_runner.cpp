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

ScenarioResult run(const Scenario& scenario) {
  ScenarioResult result{.id = scenario.id, .title = scenario.title, .verdict = Verdict::passed, .differences = {}};
  try {
    Story story(scenario);
    story.tell();
    result.differences = differences(scenario.expect, story.outcome());
    result.differences.insert(result.differences.end(), story.violations().begin(), story.violations().end());
  } catch (const FieldError& error) {
    result.differences.push_back(error.text);
  }
  if (!result.differences.empty()) result.verdict = Verdict::failed;
  return result;
}

ScenarioResult run(const Vector& vector) {
  if (vector.scenario) return run(*vector.scenario);
  if (vector.error.empty()) return {.id = vector.id, .title = "", .verdict = Verdict::skipped, .differences = {}};
  return {.id = vector.id, .title = "", .verdict = Verdict::failed, .differences = {vector.error}};
}

}  // namespace

std::size_t ScenarioReport::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [&](const ScenarioResult& result) { return result.verdict == verdict; }));
}

Result<ScenarioReport, std::string> run_scenarios(std::string_view text) {
  auto file = parse_scenario_file(text);
  if (!file) return unexpected(file.error());
  ScenarioReport report{.topic = file->topic, .results = {}};
  for (const Vector& vector : file->vectors) report.results.push_back(run(vector));
  return report;
}

Result<ScenarioReport, std::string> run_scenario_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return unexpected("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return run_scenarios(text);
}

}  // namespace svc::sim::scenario
