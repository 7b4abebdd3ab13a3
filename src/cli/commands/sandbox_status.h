// What a sandbox of the runtime folder says about itself.
#pragma once

#include <optional>
#include <string>

#include "cli/config/running_sandbox.h"
#include "cli/context.h"

namespace svc::cli {

// GET /_svc/status of a host root; the error says who did not answer, or how.
[[nodiscard]] Result<Json, std::string> ask_status(Context& context, const std::string& url, std::int64_t timeout_ms);

// The same; nullopt if another program, or nobody, answers under the address of its file.
[[nodiscard]] std::optional<Json> status_of(Context& context, const RunningSandbox& one);

// The one of that name; exit 5 if none runs.
[[nodiscard]] Result<RunningSandbox, Failure> sandbox_named(Context& context, const std::string& name);

[[nodiscard]] Failure no_such_sandbox(const std::optional<std::string>& name);

}  // namespace svc::cli
