// Operations as types and as data, and the list of the API's operations as data: look-up by name and by route,
// without including their records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/operation.h"
#include "api/record.h"

namespace svc::api {

inline constexpr std::string_view twin_prefix = "/api/v1";
inline constexpr std::string_view versioned_prefix = "/v1";
// Of every stream path, on local too. (API: What the service does, networks, rule 5)
inline constexpr std::string_view stream_prefix = versioned_prefix;

struct OperationEntry {
  const Operation* operation = nullptr;
  const TypeInfo& (*request)() = nullptr;
  const TypeInfo& (*response)() = nullptr;
};

// A list of operations: types with a Request, a Response and one Operation.
template <class... Ops>
struct OpList {
  static constexpr std::size_t size = sizeof...(Ops);
  static constexpr std::array<const Operation*, size> operations{&Ops::op...};

  // Calls f.template operator()<Op>() for each.
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<Ops>(), ...);
  }
};

// For lists of which each entry begins with a comma: `Before` stands before the first one.
template <class Before, class... Ops>
using OpListAfter = OpList<Ops...>;

template <class... Ops, class... More>
constexpr OpList<Ops..., More...> operator+(OpList<Ops...>, OpList<More...>) {
  return {};
}

template <class... Ops>
constexpr std::array<OperationEntry, sizeof...(Ops)> entries_of(OpList<Ops...>) {
  return {OperationEntry{&Ops::op, &type_of<typename Ops::Request>, &type_of<typename Ops::Response>}...};
}

// Those of the API, in the order of its tables.
[[nodiscard]] std::span<const OperationEntry> all_operations();
// After them the older bridge operations, which are outside the API.
[[nodiscard]] std::span<const OperationEntry> every_operation();

// Legacy ones included; nullptr if there is none.
[[nodiscard]] const OperationEntry* find_operation(std::string_view name);
// What the operation of that name does to orders.
[[nodiscard]] OrderWrite order_write_of(std::string_view name);

// The operation that somebody means who sends this (api/router.h), legacy ones included; nullptr if there is none.
[[nodiscard]] const Operation* match_operation(std::string_view method, std::string_view logical_path);

// Whether a server takes the path for that operation. It does not if a parameter is a fixed segment of another one, as
// in /orders/history; nor if it is empty, "." or "..", or holds a slash: others take such a path for another one.
// (D-221, D-1045)
[[nodiscard]] bool is_path_of(const Operation& operation, std::string_view logical_path);

// The signed action in a request, for callers that do not know the operation. The path prefix does not matter:
// /orders and /api/v1/orders are alike. The error names what was expected.
[[nodiscard]] Result<signing::ActionStruct, std::string> action_at(const signing::RequestParts& request,
                                                                   signing::ActionContext context);

// Every error that an operation may answer with: its own, and the general ones. The interface description, the
// documentation and the contract tests read this list.
//
// By status, which is never 0 here, then in the order of the catalogue; each once. Besides the operation's own errors
// (D-143): 400 if it takes a body or parameters, 401 if it requires a credential, 413 if it reads a body, 426 unless it
// is discovery, 429 unless it is free, and 500 and 503 for all.
[[nodiscard]] std::vector<OperationError> declared_errors(const OperationEntry& entry);

}  // namespace svc::api
