#include "sim/gateway/router.h"

#include <map>

#include "api/http/http_message.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "base/limits.h"

namespace svc::sim {
namespace {

using Segments = std::vector<std::string_view>;

// nullopt unless the path is '/' and non-empty segments joined by '/'.
std::optional<Segments> split(std::string_view path) {
  if (path.empty() || path.front() != '/') return std::nullopt;
  Segments segments;
  for (std::size_t start = 1;;) {
    const std::size_t end = path.find('/', start);
    const std::string_view segment = path.substr(start, end - start);
    if (segment.empty() || segments.size() == limits::path_segments_max) return std::nullopt;
    segments.push_back(segment);
    if (end == std::string_view::npos) return segments;
    start = end + 1;
  }
}

bool is_parameter(std::string_view segment) {
  return segment.front() == '{' && segment.back() == '}';
}

// The decoded value of a parameter segment; nullopt if it is not allowed.
std::optional<std::string> parameter_value(std::string_view segment) {
  auto value = api::percent_decode(segment, api::Plus::is_itself);
  if (!value || value->empty() || *value == "." || *value == "..") return std::nullopt;
  for (const char c : *value) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\') return std::nullopt;
  }
  return value;
}

std::optional<api::Method> method_of(std::string_view text) {
  using enum api::Method;
  if (text == "HEAD") return get;
  for (const api::Method method : {get, post, put, patch, del}) {
    if (text == api::to_string(method)) return method;
  }
  return std::nullopt;
}

}  // namespace

struct Router::Node {
  std::map<std::string, Node, std::less<>> fixed;
  std::unique_ptr<Node> parameter;
  std::string_view parameter_name;  // without braces
  std::array<const api::Operation*, 5> by_method{};

  [[nodiscard]] bool is_path() const {
    for (const auto* operation : by_method) {
      if (operation != nullptr) return true;
    }
    return false;
  }

  [[nodiscard]] std::string allow() const {
    std::string text = "OPTIONS";
    for (const auto* operation : by_method) {
      if (operation == nullptr) continue;
      text.append(", ").append(api::to_string(operation->method));
      if (operation->method == api::Method::get) text.append(", HEAD");
    }
    return text;
  }

  // Matches the segments from `index` on; collects parameters.
  [[nodiscard]] const Node* descend(const Segments& segments, std::size_t index, PathParameters& parameters) const {
    if (index == segments.size()) return is_path() ? this : nullptr;
    const std::string_view segment = segments[index];
    if (const auto child = fixed.find(segment); child != fixed.end()) {
      if (const Node* end = child->second.descend(segments, index + 1, parameters)) return end;
    }
    if (!parameter) return nullptr;
    auto value = parameter_value(segment);
    if (!value) return nullptr;
    const std::size_t depth = parameters.size();
    parameters.emplace_back(parameter_name, std::move(*value));
    const Node* end = parameter->descend(segments, index + 1, parameters);
    if (end == nullptr) parameters.resize(depth);
    return end;
  }
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(const api::Operation& operation) {
  add_at(operation.path, operation);
  if (operation.twin) add_at(std::string(api::twin_prefix).append(operation.path), operation);
}

void Router::add_at(std::string_view path, const api::Operation& operation) {
  // Parameter names are stored by reference: they belong to the operation, which lives forever.
  const auto segments = split(path);
  SVC_ASSERT(segments);
  Node* node = root_.get();
  for (const std::string_view segment : *segments) {
    if (!is_parameter(segment)) {
      node = &node->fixed[std::string(segment)];
      continue;
    }
    const std::string_view name = segment.substr(1, segment.size() - 2);
    if (!node->parameter) {
      node->parameter = std::make_unique<Node>();
      node->parameter_name = operation.path.substr(operation.path.find(name), name.size());
    }
    SVC_ASSERT(node->parameter_name == name);
    node = node->parameter.get();
  }
  const api::Operation*& place = node->by_method[static_cast<std::size_t>(operation.method)];
  SVC_ASSERT(place == nullptr);
  place = &operation;
}

std::optional<RouteMatch> Router::match(std::string_view method, std::string_view logical_path) const {
  const auto segments = split(logical_path);
  if (!segments) return std::nullopt;
  RouteMatch found;
  const Node* node = root_->descend(*segments, 0, found.parameters);
  if (node == nullptr) return std::nullopt;
  if (const auto known = method_of(method)) found.operation = node->by_method[static_cast<std::size_t>(*known)];
  if (found.operation == nullptr) found.allow = node->allow();
  return found;
}

}  // namespace svc::sim
