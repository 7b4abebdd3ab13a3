// The text format of scenarios: orders as sentences, books as pictures, ledgers as tables (docs/scenarios.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::sim::scenario {

// True unless the text is the JSON form.
[[nodiscard]] bool is_story_text(std::string_view text);

// The same file in its JSON form; scenario_file.h checks steps and expectations. The error names the line.
[[nodiscard]] Result<nlohmann::json, std::string> read_story_text(std::string_view text);

// The text of a story with its expectations replaced by the actual results.
//
// Refusals after "->", pictures and tables are rewritten where they differ. Steps, comments, columns, keys of rows,
// ignored cells (".") and correct lines are kept. The lists `trades` and `events` are written as a whole. The error
// is what run_scenarios would report for the file or one of its stories.
[[nodiscard]] Result<std::string, std::string> update_story_text(std::string_view text);

}  // namespace svc::sim::scenario
