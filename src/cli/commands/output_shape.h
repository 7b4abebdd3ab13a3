// The language in which a row says what its command's data looks like.
//
//   shape   = "*" | record { " | " record }, and "[] " before it: a list of these
//   record  = the name of an operation, of the API or of the control surface, for commands that show its answer ("[]"
//   behind it: one of the list that this
//             is); or members separated by blanks
//   member  = ["-"] name [":" type | "=" word] ["?"]     "-": may be absent, "?": may be null, "=": always that word
//   type    = text (if none is said), integer, boolean, object, list, any; the name of a record of output_shape.cpp,
//             or of an operation: its answer, and "[]" behind it: one of the list that this is; "[type]" is a
//             list
//   "*"     = whatever the server, or a program, has to say
#pragma once

#include "cli/commands/command.h"

namespace svc::cli {

// What each command prints: the shape of its `data`, which `svc schema` shows and tests compare answers with, and the
// columns of its rows, against which --fields and --template are checked before anything is sent.

// The JSON Schema (2020-12) of the document that the command prints with --json; if it prints lines while it runs, the
// schema of each line.
[[nodiscard]] Json output_schema(const CommandRow& row);

// The schema of the document's `data` alone.
[[nodiscard]] Json data_schema(std::string_view command);

// The columns of table, csv and tsv, in their order. Empty: the command prints no rows, or output that is not ours.
[[nodiscard]] std::vector<std::string> output_columns(std::string_view command);
// The same with their paths, for answers that name no columns; empty: the members of the record.
[[nodiscard]] std::vector<Column> shown_columns(std::string_view command);

// Whether its rows are a list, which can be sorted.
[[nodiscard]] bool prints_list(std::string_view command);

// The members that such a record shows as rows, including those that the server did not send.
[[nodiscard]] std::vector<std::string> output_members(std::string_view command, const Json& record);

// Exit 2 lists the known names.
Result<void> check_field(std::string_view command, std::string_view field);
// The same for a place of a template, which may be a member as well, under the wire's names: "order.id".
Result<void> check_place(std::string_view command, std::string_view place);

}  // namespace svc::cli
