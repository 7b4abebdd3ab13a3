#include "cli/commands/control_call.h"

namespace svc::cli {
namespace {

// Not operations of the exchange, so they are in no table; the same machinery sends them.
constexpr api::Operation read_operation{.name = "control_read",
                                        .group = "control",
                                        .method = api::Method::get,
                                        .path = "/_svc",
                                        .summary = "Look at the sandbox",
                                        .base = api::PathBase::edge};
constexpr api::Operation write_operation{.name = "control_write",
                                         .group = "control",
                                         .method = api::Method::post,
                                         .path = "/_svc",
                                         .summary = "Change the sandbox",
                                         .base = api::PathBase::edge};
constexpr api::Operation delete_operation{.name = "control_delete",
                                          .group = "control",
                                          .method = api::Method::del,
                                          .path = "/_svc",
                                          .summary = "Lift what was set on the sandbox",
                                          .base = api::PathBase::edge};
constexpr api::Operation replace_operation{.name = "control_replace",
                                           .group = "control",
                                           .method = api::Method::put,
                                           .path = "/_svc",
                                           .summary = "Replace what the sandbox holds",
                                           .base = api::PathBase::edge};

}  // namespace

Result<Exchange, Failure> open_sandbox(Context& context) {
  context.prefer_network("local");
  return Exchange::open(context);
}

Call control_get(std::string_view path) {
  return {.operation = &read_operation,
          .path = std::string(read_operation.path) + std::string(path),
          .query = {},
          .body = {}};
}

Call control_post(std::string_view path, const Json& body) {
  return {.operation = &write_operation,
          .path = std::string(write_operation.path) + std::string(path),
          .query = {},
          .body = body.dump()};
}

Call control_delete(std::string_view path) {
  return {.operation = &delete_operation,
          .path = std::string(delete_operation.path) + std::string(path),
          .query = {},
          .body = {}};
}

Call control_put(std::string_view path, std::string body) {
  return {.operation = &replace_operation,
          .path = std::string(replace_operation.path) + std::string(path),
          .query = {},
          .body = std::move(body)};
}

}  // namespace svc::cli
