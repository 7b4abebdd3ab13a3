// The language in which outputs.def says what a command's data looks like.
//
//   shape   = "*" | record { " | " record }, and "[] " before it: a list of these
//   record  = the name of an operation, for commands that show its answer ("[]" behind it: one of the list that this
//             is); or members separated by blanks
//   member  = ["-"] name [":" type | "=" word] ["?"]     "-": may be absent, "?": may be null, "=": always that word
//   type    = text (if none is said), integer, boolean, object, list, any; the name of a record of output_shape.cpp,
//             or of an operation: its answer; "[type]" is a list
//   "*"     = whatever the server, or a program, has to say
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/commands/command.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// As JSON Schema; "{}" for "*".
[[nodiscard]] std::string schema_of_shape(std::string_view shape);

// What each command prints: the shape of its `data`, which `svc schema` shows and tests compare answers with, and the
// columns of its rows, which --fields and --template are held against before anything is sent.

// The JSON Schema (2020-12) of the whole document that the command prints with --json; of what prints as it runs, and
// never as one document, that of each line.
[[nodiscard]] std::string output_schema(const CommandRow& row);

// What is wrong with a successful command's data, as "path: what was expected"; nullopt if nothing is.
[[nodiscard]] std::optional<std::string> check_output(std::string_view command, const Json& data);

// What table, csv and tsv may show of the command, in the order of its columns. Empty: it prints no rows, or what it
// prints is not ours.
[[nodiscard]] std::vector<std::string> output_columns(std::string_view command);
// The same with what they show, for answers that name none themselves; empty: the members of the record.
[[nodiscard]] std::vector<Column> shown_columns(std::string_view command);

// Whether its rows are those of a list, so that they can be sorted.
[[nodiscard]] bool prints_list(std::string_view command);

// The members that every such record shows as rows, those included that the server did not send.
[[nodiscard]] std::vector<std::string> output_members(std::string_view command, const Json& record);

// Exit 2 with the names there are.
[[nodiscard]] Result<void, Failure> check_field(std::string_view command, std::string_view field);
// The same for a place of a template, which may be a member as well, under the wire's names: "order.id".
[[nodiscard]] Result<void, Failure> check_place(std::string_view command, std::string_view place);

// Commands whose output nobody has written down.
[[nodiscard]] std::vector<std::string_view> commands_without_output();

// Questions to the JSON Schemas of outputs. They know the subset that those use, and nothing more.

// What is wrong with the value, as "path: what was expected"; nullopt if nothing is.
[[nodiscard]] std::optional<std::string> mismatch(const Json& value, const Json& schema, const std::string& path);

// The names of the members of a record, or of each record of a list, in their order; of several forms all of them.
[[nodiscard]] std::vector<std::string> member_names(const Json& schema);

// Of several forms that which the record has; the schema itself if there is but one.
[[nodiscard]] const Json& form_of(const Json& record, const Json& schema);

// True if the schema does not exclude that a record has something at the path: "order.id".
[[nodiscard]] bool may_have(const Json& schema, std::string_view path);

}  // namespace svc::cli
