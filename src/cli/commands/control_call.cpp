#include "cli/commands/control_call.h"

#include "api/http_client.h"

namespace svc::cli {
namespace {

// Not operations of the exchange, so they are in no table; the same machinery sends them.
constexpr api::Operation control(std::string_view name, api::Method method, std::string_view summary) {
  return {.name = name,
          .group = "control",
          .method = method,
          .path = "/_svc",
          .summary = summary,
          .base = api::PathBase::edge};
}
constexpr api::Operation read_operation = control("control_read", api::Method::get, "Look at the sandbox");
constexpr api::Operation write_operation = control("control_write", api::Method::post, "Change the sandbox");
constexpr api::Operation delete_operation = control("control_delete", api::Method::del, "Lift what was set there");
constexpr api::Operation replace_operation = control("control_replace", api::Method::put, "Replace what it holds");

Call call_at(const api::Operation& operation, std::string_view path, std::string body = {}) {
  return {.operation = &operation,
          .path = std::string(operation.path) + std::string(path),
          .query = {},
          .body = std::move(body)};
}

}  // namespace

Result<Exchange, Failure> open_sandbox(Context& context) {
  context.prefer_network("local");
  return Exchange::open(context);
}

Result<Reply, Stop> ask_sandbox(Context& context, const Call& call) {
  auto exchange = SVC_TRY(open_sandbox(context));
  auto reply = SVC_TRY(exchange.call(call));
  return reply;
}

Call control_get(std::string_view path) {
  return call_at(read_operation, path);
}

Call control_post(std::string_view path, const Json& body) {
  return call_at(write_operation, path, body.dump());
}

Call control_delete(std::string_view path) {
  return call_at(delete_operation, path);
}

Call control_put(std::string_view path, std::string body) {
  return call_at(replace_operation, path, std::move(body));
}

Result<Json, std::string> ask_status(Context& context, const std::string& url, std::int64_t timeout_ms) {
  auto transport =
      SVC_TRY(context.environment().connect({.origin = url, .timeout_ms = timeout_ms, .proxy = "none", .ca = {}}));
  const auto response = transport->send(
      {.method = "GET", .target = "/_svc/status", .headers = {{"Accept", "application/json"}}, .body = {}});
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
