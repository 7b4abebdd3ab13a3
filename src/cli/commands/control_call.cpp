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

}  // namespace svc::cli
