// Questions to the JSON Schemas of outputs.h. They know the subset that those use, and nothing more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.h"

namespace svc::cli {

// What is wrong with the value, as "path: what was expected"; nullopt if nothing is.
[[nodiscard]] std::optional<std::string> mismatch(const Json& value, const Json& schema, const std::string& path);

// The names of the members of a record, or of each record of a list, in their order; of several forms all of them.
[[nodiscard]] std::vector<std::string> member_names(const Json& schema);

// Of several forms that which the record has; the schema itself if there is but one.
[[nodiscard]] const Json& form_of(const Json& record, const Json& schema);

// True if the schema does not exclude that a record has something at the path: "order.id".
[[nodiscard]] bool may_have(const Json& schema, std::string_view path);

}  // namespace svc::cli
