// What a command ended with, on the two streams, in the format that was asked for.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/context.h"
#include "cli/render.h"

namespace svc::cli {

// What the flags and the terminal ask for. Exit 2 for an expression, a template or a zone that is none: found
// before the command runs, so that no write is sent whose answer could not be shown.
[[nodiscard]] Result<Presentation, Failure> presentation_of(const Globals& globals, const Environment& environment);

// Exit 2 for names of --fields and --template that the command cannot have. A dry run shows a plan instead, of which
// nothing is known here.
[[nodiscard]] Result<void, Failure> check_names(const CommandRow& row, const Globals& globals,
                                                const Presentation& presentation);

// Each returns the exit code of the process.
[[nodiscard]] int report_answer(Context& context, const Answer& answer, const Presentation& presentation);
[[nodiscard]] int report_failure(Context& context, const Failure& failure, const Presentation& presentation);
// The end of a stream of answers that went on: the last line of ndjson; nothing in other formats.
[[nodiscard]] int report_end(Context& context, const Failure* failure, ExitCode exit, const Presentation& presentation);
[[nodiscard]] int report_dry_run(Context& context, DryRun dry_run, const Presentation& presentation);

// Text to standard output; 141 if its reader went away, 1 if it could not be written.
[[nodiscard]] int print(Environment& environment, std::string_view text, ExitCode exit);

}  // namespace svc::cli
