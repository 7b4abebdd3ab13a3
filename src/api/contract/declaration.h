// What the declarations of all areas share: the types of fields, lists on the wire, and operations as rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/header_names.h"
#include "api/operation_list.h"
#include "api/record.h"
#include "api/row.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/rows.h"

namespace svc::api {

// A list on the wire: a bare array, and the next cursor in a header, which is absent on the last page.
template <class T>
struct Page {
  SVC_FIELDS(Page, fields,
      (std::vector<T>, rows, {}, "The rows, in the order the operation promises", .whole_body())
      (std::optional<std::string>, next_cursor, {},
       "Where the next page starts; absent on the last", .named(header::next_cursor).header().omit_when_empty()));
};

// A page of a list without cursor.
template <class T>
struct List {
  SVC_FIELDS(List, fields,
      (std::vector<T>, rows, {}, "The rows, in the order the operation promises", .whole_body()));
};

}  // namespace svc::api

namespace svc::api::ops {

using enum ErrorCode;
using enum Method;

// Traits that have no type of their own.
enum class Twin : bool { none, at_root };
enum class Success : std::uint16_t { created = 201, upgraded = 101 };
enum class Legacy : bool { no, yes };
enum class Body : bool { may_be_shown, is_secret };
struct BadBody {
  ErrorCode code;  // of a body that is not the request record, be it JSON or not
};
inline constexpr Twin twin = Twin::at_root;
inline constexpr AuthSet key_or_agent = Auth::hmac | Auth::agent;

// The errors of an operation besides those that follow from its fields and from how it is called (declared_errors()).
template <OperationError... errors>
inline constexpr OperationError refuses[] = {errors...};

// An operation is a row: its type, the records of request and response, and its area with what every operation has,
// then what differs from a public one that costs a token. The type of a trait says what it is; a text is the detail.
// `List` becomes the OpList of all rows.
//
//   SVC_OPERATIONS(OrderOperations,
//       (GetOrder, OrderAtMarket, Order, orders, get, "get_order", "/orders/{order_id}", "Get an order by id", twin,
//        key_or_agent, Envelope::trading, refuses<order_not_found>));
#define SVC_OPERATIONS(List, rows) \
  SVC_ROWS(SVC_OPERATION rows)     \
  using List = ::svc::api::OpListAfter<void SVC_ROWS(SVC_LISTED rows)>

#define SVC_OPERATION(...) SVC_OPERATION_TYPE(__VA_ARGS__) SVC_NEXT_OPERATION
#define SVC_NEXT_OPERATION(...) SVC_OPERATION_TYPE(__VA_ARGS__) SVC_OPERATION
#define SVC_OPERATION_END
#define SVC_NEXT_OPERATION_END
#define SVC_OPERATION_TYPE(Type, RequestRecord, ResponseRecord, area, ...) \
  struct Type {                                                            \
    using Request = RequestRecord;                                         \
    using Response = ResponseRecord;                                       \
    static constexpr Operation op = area(__VA_ARGS__);                     \
  };
#define SVC_LISTED(Type, ...) , Type SVC_NEXT_LISTED
#define SVC_NEXT_LISTED(Type, ...) , Type SVC_LISTED
#define SVC_LISTED_END
#define SVC_NEXT_LISTED_END

struct Area {
  std::string_view group;
  PathBase base = PathBase::versioned;
  Envelope envelope = Envelope::flat;
  Weight weight{};

  template <class... Traits>
  [[nodiscard]] constexpr Operation operator()(Method method, std::string_view name, std::string_view path,
                                               std::string_view summary, const Traits&... traits) const {
    Operation operation{.name = name, .group = group, .method = method, .path = path, .summary = summary};
    operation.base = base;
    operation.envelope = envelope;
    operation.weight = weight;
    (set(operation, traits), ...);
    return operation;
  }

 private:
  static constexpr void set(Operation& op, std::string_view detail) { op.detail = detail; }
  static constexpr void set(Operation& op, Twin trait) { op.twin = trait == Twin::at_root; }
  static constexpr void set(Operation& op, AuthSet auth) { op.auth = auth; }
  static constexpr void set(Operation& op, const signing::ActionForm* action) { op.action = action; }
  static constexpr void set(Operation& op, signing::OwnerForm owner) { op.owner = owner; }
  static constexpr void set(Operation& op, RateClass rate) { op.rate = rate; }
  static constexpr void set(Operation& op, Weight weight) { op.weight = weight; }
  static constexpr void set(Operation& op, Success success) { op.success = static_cast<std::uint16_t>(success); }
  static constexpr void set(Operation& op, NetworkSet networks) { op.networks = networks; }
  static constexpr void set(Operation& op, Envelope envelope) { op.envelope = envelope; }
  static constexpr void set(Operation& op, ErrorCode refused_body) { op.refused_body = refused_body; }
  static constexpr void set(Operation& op, BadBody body) { op.refused_body = op.broken_body = body.code; }
  static constexpr void set(Operation& op, std::span<const OperationError> errors) { op.errors = errors; }
  static constexpr void set(Operation& op, Legacy trait) { op.legacy = trait == Legacy::yes; }
  static constexpr void set(Operation& op, Effect effect) { op.effect = effect; }
  static constexpr void set(Operation& op, OrderWrite orders) { op.orders = orders; }
  static constexpr void set(Operation& op, AnsweredBy answered_by) { op.answered_by = answered_by; }
  static constexpr void set(Operation& op, Body trait) { op.secret_body = trait == Body::is_secret; }
};

}  // namespace svc::api::ops
