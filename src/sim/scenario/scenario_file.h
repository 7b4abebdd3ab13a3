// A scenario file: small trading stories with their expected results (docs/scenarios.md).
//
// The file has its own text format (orders as sentences, books as pictures, ledgers as tables) or is JSON: {"topic",
// "vectors": [{"id", "title", "given": {"markets", "steps"}, "expect"}]}. A vector without steps describes a formula
// and is not run.
#pragma once

#include <map>
#include <nlohmann/json.hpp>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"
#include "sim/scenario/expectations.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {

// The line of a text that limits the open orders of an account.
inline constexpr const char* open_orders_word = "open-orders";

inline constexpr TimestampMs story_begins_ms = 1'700'000'000'000;

struct Scenario {
  std::vector<engine::MarketSpec> markets;
  std::uint32_t open_orders_max = 0;        // per account; 0: no limit
  std::vector<Record> steps;                // each of them is valid (verbs.h)
  std::vector<Act> acts;                    // of the steps, but for orders that they name
  std::map<std::string, Address> accounts;  // named by the steps
  std::vector<std::size_t> lines;           // line numbers of the steps in a text file; else empty
  nlohmann::json expect;
};

// One vector of a file. `scenario` is absent for a formula; `error` says what is wrong with the vector.
struct Vector {
  std::string id;
  std::string title;
  std::optional<Scenario> scenario;
  std::string error;
};

struct ScenarioFile {
  std::string topic;
  std::vector<Vector> vectors;
};

// The error names what was expected and where.
[[nodiscard]] Result<ScenarioFile, std::string> parse_scenario_file(std::string_view text);

// A scenario as its file has it, in either form; nothing is checked yet.
struct UncheckedScenario {
  std::string id;
  std::string title;
  std::vector<std::optional<Record>> markets;  // nullopt: no object
  std::vector<std::optional<Record>> steps;    // likewise
  std::optional<nlohmann::json> open_orders;
  std::optional<nlohmann::json> lines;  // of the steps, in a text
  nlohmann::json expect;
  // Of a text: what `expect` was read from, and how many steps are of the lines before its first scenario.
  std::vector<Expectation> expectations;
  std::size_t steps_before = 0;
};
[[nodiscard]] Vector vector_of(UncheckedScenario unchecked);

// True unless the text is the JSON form.
[[nodiscard]] bool is_story_text(std::string_view text);

struct UncheckedFile {
  std::string topic;
  std::vector<UncheckedScenario> scenarios;
};
// Of the text form. The error names the line.
[[nodiscard]] Result<UncheckedFile, std::string> read_story_text(std::string_view text);

// What came of a scenario on an engine of its own.
struct StoryResult {
  nlohmann::json outcome;               // in the shape of `expect`; rows also name their step
  std::vector<std::string> violations;  // broken invariants, each with the step after which it was found
};
// Of the outcome, only the members that the scenario expects: the others would be compared with nothing.
enum class Telling : std::uint8_t { all, expected };
[[nodiscard]] StoryResult run_story(const Scenario& scenario, Telling telling = Telling::all);

// Both have the shape of `expect` (docs/scenarios.md); the actual document is complete and its records name their
// `step`. Only expected fields are compared: each field of an expected object, lists as a whole. Decimal texts and
// fractions compare as numbers. One line per difference: "final.accounts.A.balance (step 12): expected 10, got
// 9.5"; `lines` are the line numbers of the steps in the file, if it has any.
[[nodiscard]] std::vector<std::string> differences(const nlohmann::json& expected, const nlohmann::json& actual,
                                                   const std::vector<std::size_t>& lines = {});

// "step 12", or "line 40" where steps have lines.
[[nodiscard]] std::string place_of(std::size_t step, const std::vector<std::size_t>& lines);

// The text of a story with its expectations replaced by the actual results.
//
// Refusals after "->", pictures and tables are rewritten where they differ. Steps, comments, columns, keys of rows,
// ignored cells (".") and correct lines are kept. The lists `trades` and `events` are written as a whole. The error
// is what run_scenarios would report for the file or one of its stories.
[[nodiscard]] Result<std::string, std::string> update_story_text(std::string_view text);

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

  [[nodiscard]] std::size_t count(Verdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(results, verdict, &ScenarioResult::verdict));
  }
};

// The report, or the error of the file as a whole. A vector without steps is reported as skipped.
[[nodiscard]] Result<ScenarioReport, std::string> run_scenarios(std::string_view text);

}  // namespace svc::sim::scenario
