#include "cli/commands/control_call.h"

#include <fstream>

#include "api/http/http_client.h"
#include "cli/commands/read.h"
#include "cli/terminal/render.h"

namespace svc::cli {

const Json& list_at(const Json& answer, std::string_view name) {
  static const Json none = Json::array();
  const Json* list = answer.find(name);
  return list == nullptr ? none : *list;
}

void copy_members(const Json& from, std::initializer_list<std::string_view> names, Json& to) {
  for (const std::string_view name : names)
    if (const Json* value = from.find(name)) to.set(name, *value);
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

Result<void, Failure> write_junit(const std::string& file, const std::string& report) {
  std::ofstream stream(file, std::ios::binary);
  stream << report << std::flush;
  if (!stream) return unexpected(usage_error("--junit " + file + ": cannot be written"));
  return {};
}

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

// The process number in a file may belong to another program by now: the one that answers says its own.
std::optional<Json> status_of(Context& context, const RunningSandbox& one) {
  auto status = ask_status(context, one.url, context.globals().timeout_ms);
  if (!status || status->integer_at("pid") != one.pid) return std::nullopt;
  return std::move(*status);
}

Failure no_such_sandbox(const std::optional<std::string>& name) {
  return absent("no_sandbox", name ? "no sandbox named " + *name + " runs" : "no sandbox runs");
}

Result<RunningSandbox, Failure> sandbox_named(Context& context, const std::string& name) {
  const auto paths = SVC_TRY(context.paths());
  for (RunningSandbox& one : running_sandboxes(*paths))
    if (one.name == name) return std::move(one);
  return unexpected(no_such_sandbox(name));
}

}  // namespace svc::cli
