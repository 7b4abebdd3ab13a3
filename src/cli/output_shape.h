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

#include <string>
#include <string_view>

namespace svc::cli {

// As JSON Schema; "{}" for "*".
[[nodiscard]] std::string schema_of_shape(std::string_view shape);

}  // namespace svc::cli
