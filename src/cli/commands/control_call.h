// Requests to the control surface of a sandbox, /_svc/...
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/client/context.h"
#include "cli/client/exchange.h"
#include "cli/store/network.h"

namespace svc::cli {

// `svc local` is about the local network by its nature; -n names another one that a sandbox serves.
[[nodiscard]] Result<Exchange, Failure> open_sandbox(Context& context);

// One call to it.
[[nodiscard]] Result<Reply, Stop> ask_sandbox(Context& context, const Call& call);

[[nodiscard]] Call control_get(std::string_view path);  // "/time"
[[nodiscard]] Call control_post(std::string_view path, const Json& body);
[[nodiscard]] Call control_delete(std::string_view path);
[[nodiscard]] Call control_put(std::string_view path, std::string body);

// What a sandbox of the runtime folder says about itself.

// GET /_svc/status of a host root; the error says who did not answer, or how.
[[nodiscard]] Result<Json, std::string> ask_status(Context& context, const std::string& url, std::int64_t timeout_ms);

// The same; nullopt if another program, or nobody, answers under the address of its file.
[[nodiscard]] std::optional<Json> status_of(Context& context, const RunningSandbox& one);

// The one of that name; exit 5 if none runs.
[[nodiscard]] Result<RunningSandbox, Failure> sandbox_named(Context& context, const std::string& name);

[[nodiscard]] Failure no_such_sandbox(const std::optional<std::string>& name);

}  // namespace svc::cli
