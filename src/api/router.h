// Routes, built from the operation table: every operation at its path and, if it has one, at its twin.
//
// A fixed segment matches byte for byte; a parameter takes one percent-decoded segment. Empty segments, dot segments,
// control characters, encoded slashes and broken escapes match nothing. (D-221) Immutable once built.
//
// What is routed, and signed, is the logical path: the received bytes without their base, nothing decoded, collapsed or
// resolved. (API: Base paths and the signed path; D-221)
//
//   received               local            testnet          mainnet
//   /x                     /x               -                -          (edge documents: /x everywhere)
//   /v1/x                  /x               /x               /x
//   /api/v1/x              /api/v1/x        /api/v1/x        /api/v1/x
//   /v1/api/v1/x           /api/v1/x        /api/v1/x        -
//   /indexer/x             -                /x               -
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/network.h"
#include "api/operation_list.h"

namespace svc::api {

// The logical path; nullopt if nothing is served under that base. Borrows from `path`.
[[nodiscard]] std::optional<std::string_view> logical_path(std::string_view path, NetworkId network);

// True if `path` lies below `folder`: "/v1" contains "/v1/orders" but neither "/v1" nor "/v10/orders".
[[nodiscard]] bool lies_under(std::string_view path, std::string_view folder);

// Served at the host root of every network, never blocked by the version check: these, and everything under
// /.well-known/.
inline constexpr std::string_view discovery_documents[] = {"/metadata", "/openapi.json", "/asyncapi.json", "/llms.txt"};
inline constexpr std::string_view well_known = "/.well-known";
[[nodiscard]] bool is_discovery(std::string_view logical_path);

using PathParameters = std::vector<std::pair<std::string_view, std::string>>;  // name, decoded value

struct RouteMatch {
  const Operation* operation = nullptr;  // nullptr: the path exists, but not with this method
  PathParameters parameters;
  std::string allow;  // without an operation: the methods that the path has, as in the Allow header
};

class Router {
 public:
  // Every operation that a network serves, those of older clients included.
  [[nodiscard]] static Router of_network(bool has_faucet);

  void add(const Operation& operation) {
    add_at(operation.path, operation);
    if (operation.twin) add_at(std::string(twin_prefix).append(operation.path), operation);
  }

  // nullopt if no operation has that path. HEAD is answered like GET. If two paths match, the one with the earlier
  // fixed segment wins, whatever its methods: /orders/history is never an order id.
  [[nodiscard]] std::optional<RouteMatch> match(std::string_view method, std::string_view logical_path) const;
  // The operation that somebody means who sends this: a parameter is any segment, as it is spelled, and a path without
  // that method does not win. nullptr if there is none.
  [[nodiscard]] const Operation* meant(std::string_view method, std::string_view logical_path) const;

 private:
  // Most segments differ in length, which is quicker to compare than their letters.
  struct ByLength {
    using is_transparent = void;
    bool operator()(std::string_view one, std::string_view other) const {
      return one.size() != other.size() ? one.size() < other.size() : one.compare(other) < 0;
    }
  };
  struct Node {
    std::map<std::string, Node, ByLength> fixed{};
    std::unique_ptr<Node> parameter{};
    std::string_view parameter_name{};  // without braces
    std::array<const Operation*, 5> by_method{};
  };

  struct Wanted {
    std::optional<Method> method{};        // nullopt: a path with any
    PathParameters* parameters = nullptr;  // collects them, decoded; nullptr: any segment will do
  };

  void add_at(std::string_view path, const Operation& operation);
  // The node of the segments below `node`; nullptr if no operation that is wanted has that path.
  [[nodiscard]] static const Node* descend(const Node& node, std::span<const std::string_view> segments,
                                           const Wanted& wanted);

  Node root_;
};

}  // namespace svc::api
