// Scenarios as people draw them: orders as they are said, books as pictures, ledgers as tables (docs/scenarios.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::sim::scenario {

// True unless the text is the JSON form.
[[nodiscard]] bool is_story_text(std::string_view text);

// The same file in its JSON form; steps and expectations are for scenario_file.h to judge. The error names the line.
[[nodiscard]] Result<nlohmann::json, std::string> read_story_text(std::string_view text);

// The text of a story with its expectations replaced by what came of it.
//
// Refusals behind "->", pictures and tables are rewritten where they differ; steps, comments, columns, keys of rows and
// cells that are not looked at (".") stay, and so does every line that was right. The lists `trades` and `events` are
// written whole. The error is what run_scenarios would say of the file, or of one of its stories.
[[nodiscard]] Result<std::string, std::string> update_story_text(std::string_view text);

}  // namespace svc::sim::scenario
