#include "api/operation_examples.h"

#include <map>

#include "api/http/http_message.h"
#include "base/assert.h"

namespace svc::api {
namespace {

// Five lines for each operation: its name, target, headers, body and answer.
constexpr std::string_view recorded =
#include "api/operation_examples.inc"
    ;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  SVC_ASSERT(end != std::string_view::npos);
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::map<std::string_view, OperationExample> read_examples() {
  std::map<std::string_view, OperationExample> by_name;
  std::string_view rest = recorded;
  while (!rest.empty()) {
    const std::string_view name = take_line(rest);
    OperationExample& example = by_name[name];
    for (std::string_view* const part : {&example.target, &example.headers, &example.body, &example.answer})
      *part = take_line(rest);
  }
  return by_name;
}

// The path segment at the place of {name} in the pattern.
std::optional<std::string_view> path_value(std::string_view pattern, std::string_view path, std::string_view name) {
  const std::size_t brace = pattern.find('{' + std::string(name) + '}');
  if (brace == std::string_view::npos) return std::nullopt;
  const std::string_view from_here = path.substr(brace);  // operations have only one path parameter
  return from_here.substr(0, from_here.find('/'));
}

}  // namespace

const OperationExample* example_of(const Operation& operation) {
  static const std::map<std::string_view, OperationExample> by_name = read_examples();
  const auto found = by_name.find(operation.name);
  return found == by_name.end() ? nullptr : &found->second;
}

std::optional<std::string> example_value(const Operation& operation, const FieldInfo& field) {
  const OperationExample* example = example_of(operation);
  if (example == nullptr) return std::nullopt;
  const std::string_view path = example->target.substr(0, example->target.find('?'));
  std::optional<std::string_view> value;
  if (field.in == In::path) value = path_value(operation.path, path, field.name);
  if (field.in == In::query && path.size() < example->target.size())
    value = find_parameter(example->target.substr(path.size() + 1), field.name);
  if (field.in == In::header) {
    const std::string label = std::string(field.name) + ": ";
    if (example->headers.starts_with(label)) return std::string(example->headers.substr(label.size()));
  }
  return value ? percent_decode(*value, field.in == In::query ? Plus::is_blank : Plus::is_itself) : std::nullopt;
}

}  // namespace svc::api
