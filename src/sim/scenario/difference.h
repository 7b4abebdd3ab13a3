// Where an expectation and what came of it part ways, in words a reader can act on.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace svc::sim::scenario {

// Only what is expected is compared: each field of an expected object, lists as a whole. Decimal texts compare as
// numbers. One line per difference: "final.accounts.A.balance: expected 10, got 9.5".
[[nodiscard]] std::vector<std::string> differences(const nlohmann::json& expected, const nlohmann::json& actual);

}  // namespace svc::sim::scenario
