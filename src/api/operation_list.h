// Operations as types and as data, and the list of the API's operations as data: look-up by name and by route,
// without including their records.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/operation.h"
#include "api/record.h"

namespace svc::api {

inline constexpr std::size_t operation_count = 84;
inline constexpr std::size_t twin_count = 39;
inline constexpr std::size_t route_count = operation_count + twin_count;
inline constexpr std::string_view twin_prefix = "/api/v1";
inline constexpr std::string_view versioned_prefix = "/v1";
// Of every stream path, on local too. (API: What the service does, networks, rule 5)
inline constexpr std::string_view stream_prefix = versioned_prefix;

struct OperationEntry {
  const Operation* operation = nullptr;
  const TypeInfo& (*request)() = nullptr;
  const TypeInfo& (*response)() = nullptr;
};

// An operation is a type with a Request, a Response and one Operation.
template <class Op>
concept OperationType = requires {
  typename Op::Request;
  typename Op::Response;
  { Op::op } -> std::convertible_to<const Operation&>;
};

template <OperationType... Ops>
struct OpList {
  static constexpr std::size_t size = sizeof...(Ops);
  static constexpr std::array<const Operation*, size> operations{&Ops::op...};

  // Calls f.template operator()<Op>() for each.
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<Ops>(), ...);
  }
};

template <class... Ops>
constexpr std::array<OperationEntry, sizeof...(Ops)> entries_of(OpList<Ops...>) {
  return {OperationEntry{&Ops::op, &type_of<typename Ops::Request>, &type_of<typename Ops::Response>}...};
}

// The 84, in the order of the API's tables.
[[nodiscard]] std::span<const OperationEntry> all_operations();
// Older bridge operations, outside the 84.
[[nodiscard]] std::span<const OperationEntry> legacy_operations();

// Legacy ones included; nullptr if there is none.
[[nodiscard]] const OperationEntry* find_operation(std::string_view name);

// An operation at one of its paths.
struct Route {
  const Operation* operation = nullptr;
  bool is_twin = false;

  [[nodiscard]] std::string path() const;  // "/api/v1/orders/{order_id}"
};

// The 123, each operation followed by its twin.
[[nodiscard]] std::span<const Route> all_routes();

// The operation of a request path, recognising parameters and twin prefix; nullptr if none. Fixed segments win over
// parameters: /orders/history is never an order id.
[[nodiscard]] const OperationEntry* match_operation(std::string_view method, std::string_view logical_path);

// The signed action in a request, for callers that do not know the operation. The path prefix does not matter:
// /orders and /api/v1/orders are alike. The error names what was expected.
[[nodiscard]] Result<signing::ActionStruct, std::string> action_at(const signing::RequestParts& request,
                                                                   signing::ActionContext context);

// Every error that an operation may answer with: its own, and the general ones. The interface description, the
// documentation and the contract tests read this list.

struct DeclaredError {
  ErrorCode code{};
  std::uint16_t status = 0;
};

// By status, then in the order of the catalogue; each once. Besides the operation's own errors (D-143): 400 if it
// takes a body or parameters, 401 if it requires a credential, 413 if it reads a body, 426 unless it is discovery,
// 429 unless it is free, and 500 and 503 for all.
[[nodiscard]] std::vector<DeclaredError> declared_errors(const OperationEntry& entry);

}  // namespace svc::api
