// Requests to the control surface of a sandbox, /_svc/...
#pragma once

#include <string>
#include <string_view>

#include "cli/context.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

// `svc local` is about the local network by its nature; -n names another one that a sandbox serves.
[[nodiscard]] Result<Exchange, Failure> open_sandbox(Context& context);

// One call to it.
[[nodiscard]] Result<Reply, Stop> ask_sandbox(Context& context, const Call& call);

[[nodiscard]] Call control_get(std::string_view path);  // "/time"
[[nodiscard]] Call control_post(std::string_view path, const Json& body);
[[nodiscard]] Call control_delete(std::string_view path);
[[nodiscard]] Call control_put(std::string_view path, std::string body);

}  // namespace svc::cli
