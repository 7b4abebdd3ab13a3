// Scenarios as people draw them: orders as they are said, books as pictures, ledgers as tables (docs/scenarios.md).
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace svc::sim::scenario {

// True unless the text is the JSON form.
[[nodiscard]] bool is_story_text(std::string_view text);

// The same file in its JSON form; steps and expectations are for scenario_file.h to judge. The error names the line.
[[nodiscard]] Result<nlohmann::json, std::string> read_story_text(std::string_view text);

}  // namespace svc::sim::scenario
