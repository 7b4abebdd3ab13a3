// Requests to the control surface of a sandbox, /_svc/...
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/contract/control.h"
#include "cli/store/network.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"

namespace svc::cli {

namespace control = api::control;

// One call to it.
template <class Op>
[[nodiscard]] Result<Reply, Stop> ask_sandbox(Context& context, const typename Op::Request& request = {}) {
  auto exchange = SVC_TRY(Exchange::open(context));
  auto reply = SVC_TRY(exchange.call(call_of<Op>(request)));
  return reply;
}

// What a sandbox of the runtime folder says about itself.

// GET /_svc/status of a host root; the error says who did not answer, or how.
[[nodiscard]] Result<Json, std::string> ask_status(Context& context, const std::string& url, std::int64_t timeout_ms);

// The same; nullopt if another program, or nobody, answers under the address of its file.
[[nodiscard]] std::optional<Json> status_of(Context& context, const RunningSandbox& one);

// The one of that name; exit 5 if none runs.
[[nodiscard]] Result<RunningSandbox, Failure> sandbox_named(Context& context, const std::string& name);

[[nodiscard]] Failure no_such_sandbox(const std::optional<std::string>& name);

}  // namespace svc::cli
