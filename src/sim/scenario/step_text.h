// A step as it is said: "alice buys 5 @ 10 IOC as first" (docs/scenarios.md).
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {

// The step in its JSON form; one that names no market is in the given one. Throws LineError.
[[nodiscard]] nlohmann::json read_step(const TextLine& line, const std::string& market);

// A whole number of the file format.
[[nodiscard]] nlohmann::json read_integer(Words& words, const char* what);

}  // namespace svc::sim::scenario
