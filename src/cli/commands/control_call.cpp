#include "cli/commands/control_call.h"

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

}  // namespace svc::cli
