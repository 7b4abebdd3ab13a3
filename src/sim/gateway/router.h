// Routes, built from the operation table: every operation at its path and, if it has one, at its twin.
//
// A fixed segment matches byte for byte; a parameter takes one percent-decoded segment. Empty segments (doubled or
// trailing slashes), dot segments, control characters, encoded slashes and broken escapes match nothing, so two
// spellings of a path reach one resource only if they differ within a parameter. (D-221)
//
// Immutable once built; safe to share between threads.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/operation.h"

namespace svc::sim {

using PathParameters = std::vector<std::pair<std::string_view, std::string>>;  // name, decoded value

struct RouteMatch {
  const api::Operation* operation = nullptr;  // nullptr: the path exists, but not with this method
  PathParameters parameters;
  std::string allow;  // methods of the path, as in the Allow header
};

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  void add(const api::Operation& operation);

  // nullopt if no operation has that path. HEAD is answered like GET. If two paths match, the one with the earlier
  // fixed segment wins, whatever its methods: /orders/history is never an order id.
  [[nodiscard]] std::optional<RouteMatch> match(std::string_view method, std::string_view logical_path) const;

 private:
  struct Node;

  void add_at(std::string_view path, const api::Operation& operation);

  std::unique_ptr<Node> root_;
};

}  // namespace svc::sim
