// Differences between expected and actual results, as messages that a reader can act on.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace svc::sim::scenario {

// Both have the shape of `expect` (docs/scenarios.md); the actual document is complete and its records name their
// `step`. Only expected fields are compared: each field of an expected object, lists as a whole. Decimal texts and
// fractions compare as numbers. One line per difference: "final.accounts.A.balance (step 12): expected 10, got
// 9.5"; `lines` are the line numbers of the steps in the file, if it has any.
[[nodiscard]] std::vector<std::string> differences(const nlohmann::json& expected, const nlohmann::json& actual,
                                                   const std::vector<std::size_t>& lines = {});

// "step 12", or "line 40" where steps have lines.
[[nodiscard]] std::string place_of(std::size_t step, const std::vector<std::size_t>& lines);

}  // namespace svc::sim::scenario
