// What each command prints: the shape of its `data`, which `svc schema` shows and tests compare answers with, and the
// columns of its rows, which --fields and --template are held against before anything is sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/failure.h"
#include "cli/json.h"

namespace svc::cli {

// The JSON Schema (2020-12) of the whole document that the command prints with --json; of what prints as it runs, and
// never as one document, that of each line.
[[nodiscard]] std::string output_schema(const CommandRow& row);

// What is wrong with a successful command's data, as "path: what was expected"; nullopt if nothing is.
[[nodiscard]] std::optional<std::string> check_output(const CommandRow& row, const Json& data);

// What table, csv and tsv may show of the command, in the order of its columns. Empty: it prints no rows, or what it
// prints is not ours.
[[nodiscard]] std::vector<std::string> output_columns(const CommandRow& row);

// Whether its rows are those of a list, so that they can be sorted.
[[nodiscard]] bool prints_list(const CommandRow& row);

// The members that every such record shows as rows, those included that the server did not send.
[[nodiscard]] std::vector<std::string> output_members(const CommandRow& row, const Json& record);

// Exit 2 with the names there are.
[[nodiscard]] Result<void, Failure> check_field(const CommandRow& row, std::string_view field);
// The same for a place of a template, which may be a member as well, under the wire's names: "order.id".
[[nodiscard]] Result<void, Failure> check_place(const CommandRow& row, std::string_view place);

// Commands whose output nobody has written down.
[[nodiscard]] std::vector<std::string_view> commands_without_output();

}  // namespace svc::cli
