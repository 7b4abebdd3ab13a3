#include "cli/commands/control_call.h"

#include "api/http/http_client.h"

namespace svc::cli {

Result<Json, std::string> ask_status(Context& context, const std::string& url, std::int64_t timeout_ms) {
  auto transport =
      SVC_TRY(context.environment().connect({.origin = url, .timeout_ms = timeout_ms, .proxy = "none", .ca = {}}));
  const auto response = transport->send({.method = "GET",
                                         .target = std::string(control::GetStatus::op.path),
                                         .headers = {{"Accept", "application/json"}},
                                         .body = {}});
  if (!response) return unexpected(url + ": " + response.error().reason);
  if (response->status != 200) return unexpected(url + " answers " + std::to_string(response->status));
  auto status = parse_json(response->body);
  if (!status || !status->integer_at("pid")) return unexpected(url + " is no sandbox");
  return std::move(*status);
}

// A number in a file may be another program's by now: the one who answers there says who it is.
std::optional<Json> status_of(Context& context, const RunningSandbox& one) {
  auto status = ask_status(context, one.url, context.globals().timeout_ms);
  if (!status || status->integer_at("pid") != one.pid) return std::nullopt;
  return std::move(*status);
}

Failure no_such_sandbox(const std::optional<std::string>& name) {
  return {.exit = ExitCode::not_found,
          .code = "no_sandbox",
          .message = name ? "no sandbox named " + *name + " runs" : "no sandbox runs"};
}

Result<RunningSandbox, Failure> sandbox_named(Context& context, const std::string& name) {
  const auto paths = SVC_TRY(context.paths());
  for (RunningSandbox& one : running_sandboxes(*paths))
    if (one.name == name) return std::move(one);
  return unexpected(no_such_sandbox(name));
}

}  // namespace svc::cli
