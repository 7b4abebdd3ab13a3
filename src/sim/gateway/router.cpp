#include "sim/gateway/router.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>

#include "api/http/http_message.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc::sim {
namespace {

constexpr std::string_view indexer_base = "/indexer";

using Segments = boost::container::static_vector<std::string_view, limits::path_segments_max>;

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
  const auto is_refused = [](char c) { return is_ascii_control(c) || c == '/' || c == '\\'; };
  return std::ranges::any_of(*value, is_refused) ? std::nullopt : value;
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

bool lies_under(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_discovery(std::string_view path) {
  return std::ranges::find(discovery_documents, path) != std::end(discovery_documents) || lies_under(path, well_known);
}

std::optional<std::string_view> logical_path(std::string_view path, api::NetworkId network) {
  using enum api::NetworkId;
  if (lies_under(path, api::versioned_prefix)) {
    const std::string_view rest = path.substr(api::versioned_prefix.size());
    if (lies_under(rest, api::twin_prefix) && network == mainnet) return std::nullopt;
    return rest;
  }
  if (lies_under(path, api::twin_prefix)) return path;
  if (lies_under(path, indexer_base)) {
    if (network != testnet) return std::nullopt;
    return path.substr(indexer_base.size());
  }
  if (network == local || is_discovery(path)) return path;
  return std::nullopt;
}

Router Router::of_network(bool has_faucet) {
  Router router;
  for (const api::OperationEntry& entry : api::every_operation())
    if (has_faucet || entry.operation->networks == api::NetworkSet::all) router.add(*entry.operation);
  return router;
}

const Router::Node* Router::descend(const Node& node, std::span<const std::string_view> segments,
                                    PathParameters& parameters) {
  if (segments.empty()) {
    const bool is_path =
        std::ranges::any_of(node.by_method, [](const auto* operation) { return operation != nullptr; });
    return is_path ? &node : nullptr;
  }
  const std::string_view segment = segments.front();
  if (const auto child = node.fixed.find(segment); child != node.fixed.end()) {
    if (const Node* end = descend(child->second, segments.subspan(1), parameters)) return end;
  }
  if (!node.parameter) return nullptr;
  auto value = parameter_value(segment);
  if (!value) return nullptr;
  const std::size_t depth = parameters.size();
  parameters.emplace_back(node.parameter_name, std::move(*value));
  const Node* end = descend(*node.parameter, segments.subspan(1), parameters);
  if (end == nullptr) parameters.resize(depth);
  return end;
}

void Router::add_at(std::string_view path, const api::Operation& operation) {
  // Parameter names are stored by reference: they belong to the operation, which lives forever.
  const auto segments = split(path);
  SVC_ASSERT(segments);
  Node* node = &root_;
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
  const Node* node = descend(root_, {segments->data(), segments->size()}, found.parameters);
  if (node == nullptr) return std::nullopt;
  if (const auto known = method_of(method)) found.operation = node->by_method[static_cast<std::size_t>(*known)];
  if (found.operation != nullptr) return found;
  for (const api::Operation* operation : node->by_method) {
    if (operation == nullptr) continue;
    found.allow.append(found.allow.empty() ? "" : ", ").append(api::to_string(operation->method));
    if (operation->method == api::Method::get) found.allow.append(", HEAD");
  }
  return found;
}

}  // namespace svc::sim
