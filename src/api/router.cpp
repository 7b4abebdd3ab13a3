#include "api/router.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>

#include "api/http/http_message.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc::api {
namespace {

constexpr std::string_view indexer_base = "/indexer";

using Segments = boost::container::static_vector<std::string_view, limits::path_segments_max>;

// nullopt unless the path is '/' and non-empty segments joined by '/'.
std::optional<Segments> segments_of(std::string_view path) {
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

// The decoded value of a parameter segment; nullopt if it is not allowed.
std::optional<std::string> parameter_value(std::string_view segment) {
  auto value = percent_decode(segment, Plus::is_itself);
  if (!value || value->empty() || *value == "." || *value == "..") return std::nullopt;
  const auto is_refused = [](char c) { return is_ascii_control(c) || c == '/' || c == '\\'; };
  return std::ranges::any_of(*value, is_refused) ? std::nullopt : value;
}

}  // namespace

bool lies_under(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' && path.starts_with(folder);
}

bool is_discovery(std::string_view path) {
  return is_among(path, discovery_documents) || lies_under(path, well_known);
}

std::optional<std::string_view> logical_path(std::string_view path, NetworkId network) {
  using enum NetworkId;
  if (lies_under(path, versioned_prefix)) {
    const std::string_view rest = path.substr(versioned_prefix.size());
    if (lies_under(rest, twin_prefix) && network == mainnet) return std::nullopt;
    return rest;
  }
  if (lies_under(path, twin_prefix)) return path;
  if (lies_under(path, indexer_base)) {
    if (network != testnet) return std::nullopt;
    return path.substr(indexer_base.size());
  }
  if (network == local || is_discovery(path)) return path;
  return std::nullopt;
}

Router Router::of_network(bool has_faucet) {
  Router router;
  for (const OperationEntry& entry : every_operation())
    if (has_faucet || entry.operation->networks == NetworkSet::all) router.add(*entry.operation);
  return router;
}

const Router::Node* Router::descend(const Node& node, std::span<const std::string_view> segments,
                                    const Wanted& wanted) {
  if (segments.empty()) {
    const auto is_wanted = [&](const Operation* operation) {
      return operation != nullptr && (!wanted.method || operation->method == *wanted.method);
    };
    return std::ranges::any_of(node.by_method, is_wanted) ? &node : nullptr;
  }
  const std::string_view segment = segments.front();
  if (const auto child = node.fixed.find(segment); child != node.fixed.end()) {
    if (const Node* end = descend(child->second, segments.subspan(1), wanted)) return end;
  }
  if (!node.parameter) return nullptr;
  if (wanted.parameters == nullptr) return descend(*node.parameter, segments.subspan(1), wanted);
  auto value = parameter_value(segment);
  if (!value) return nullptr;
  PathParameters& parameters = *wanted.parameters;
  const std::size_t depth = parameters.size();
  parameters.emplace_back(node.parameter_name, std::move(*value));
  const Node* end = descend(*node.parameter, segments.subspan(1), wanted);
  if (end == nullptr) parameters.resize(depth);
  return end;
}

void Router::add_at(std::string_view path, const Operation& operation) {
  // Parameter names are stored by reference: they belong to the operation, which lives forever.
  const auto segments = segments_of(path);
  SVC_ASSERT(segments);
  Node* node = &root_;
  for (const std::string_view segment : *segments) {
    if (!segment.starts_with('{')) {
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
  const Operation*& place = node->by_method[static_cast<std::size_t>(operation.method)];
  SVC_ASSERT(place == nullptr);
  place = &operation;
}

std::optional<RouteMatch> Router::match(std::string_view method, std::string_view logical_path) const {
  std::optional<RouteMatch> found;
  const auto segments = segments_of(logical_path);
  if (!segments) return found;
  found.emplace();
  const Node* node = descend(root_, {segments->data(), segments->size()}, {.parameters = &found->parameters});
  if (node == nullptr) return std::nullopt;
  const auto known = method == "HEAD" ? std::optional(Method::get) : parse<Method>(method);
  if (known) found->operation = node->by_method[static_cast<std::size_t>(*known)];
  if (found->operation != nullptr) return found;
  for (const Operation* operation : node->by_method) {
    if (operation == nullptr) continue;
    found->allow.append(found->allow.empty() ? "" : ", ").append(to_string(operation->method));
    if (operation->method == Method::get) found->allow.append(", HEAD");
  }
  return found;
}

const Operation* Router::meant(std::string_view method, std::string_view logical_path) const {
  const auto segments = segments_of(logical_path);
  const auto known = parse<Method>(method);
  if (!segments || !known) return nullptr;
  const Node* node = descend(root_, {segments->data(), segments->size()}, {.method = known});
  return node == nullptr ? nullptr : node->by_method[static_cast<std::size_t>(*known)];
}

}  // namespace svc::api
