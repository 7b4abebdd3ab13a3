// The text of a story with its expectations replaced by what came of it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::sim::scenario {

// Refusals behind "->", pictures and tables are rewritten where they differ; steps, comments, columns, keys of rows and
// cells that are not looked at (".") stay, and so does every line that was right. The lists `trades` and `events` are
// written whole. The error is what run_scenarios would say of the file, or of one of its stories.
[[nodiscard]] Result<std::string, std::string> update_story_text(std::string_view text);

}  // namespace svc::sim::scenario
