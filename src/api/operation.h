// One operation of the exchange API, as data. Client calls, routes and their /api/v1 twins, rate weights,
// documentation and contract tests all read it; nothing else contains a path or a weight.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/record.h"
#include "signing/action_request.h"

namespace svc::api {

enum class Method : std::uint8_t { get, post, put, patch, del };

SVC_WIRE_TEXTS(Method, "GET", "POST", "PUT", "PATCH", "DELETE");

// A way to prove who calls. An operation accepts any of those it lists; none means public.
enum class Auth : std::uint8_t {
  hmac = 1 << 0,              // X-API-Key, X-Timestamp, X-Signature
  agent = 1 << 1,             // registered agent key signing the request, or the action
  bearer = 1 << 2,            // session token
  admin = 1 << 3,             // operator secret
  owner_signature = 1 << 4,   // EIP-712 struct per operation (transfers)
  wallet_signature = 1 << 5,  // signature in the body, over its content
  ws_token = 1 << 6,          // query parameter of the upgrade; an ordinary parameter, not a scheme
};

struct AuthSet {
  std::uint8_t bits = 0;

  constexpr AuthSet() = default;
  constexpr AuthSet(Auth auth) : bits(static_cast<std::uint8_t>(auth)) {}
  [[nodiscard]] constexpr bool has(Auth auth) const { return (bits & static_cast<std::uint8_t>(auth)) != 0; }
  [[nodiscard]] constexpr bool is_public() const { return bits == 0; }
  constexpr bool operator==(const AuthSet&) const = default;
};

constexpr AuthSet operator|(Auth a, Auth b) {
  AuthSet both(a);
  both.bits = static_cast<std::uint8_t>(both.bits | AuthSet(b).bits);
  return both;
}

// Which budget pays. The interface description marks order and cancel as `trading`.
enum class RateClass : std::uint8_t {
  request,  // per-key and per-owner request buckets
  order,    // POST and PATCH under /orders
  cancel,   // DELETE under /orders
  login,    // per client address, own pool
};
SVC_WIRE_TEXTS(RateClass, "request", "order", "cancel", "login");

// Cost in tokens: a constant, or 1 + floor(orders / 40) of a batch.
struct Weight {
  std::uint16_t base = 1;
  std::uint16_t orders_per_extra_token = 0;  // 0: constant

  constexpr bool operator==(const Weight&) const = default;
  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t order_count) const {
    return orders_per_extra_token == 0 ? base : base + order_count / orders_per_extra_token;
  }
};

// testnet_only operations are also served by local when its faucet is switched on.
enum class NetworkSet : std::uint8_t { all, testnet_only };

enum class PathBase : std::uint8_t {
  versioned,  // under the network's /v1 base; a twin is also at /api/v1
  host_root,  // the path itself begins with /api/v1
  edge,       // at the host root and under the base: /metadata
  control,    // of a sandbox's control surface, at the host root only; not part of the API
};

// What a write leaves behind.
enum class Effect : std::uint8_t {
  passing,  // nothing: if its answer is lost, nothing is lost
  lasting,  // a second time changes nothing more, or does no harm
  costly,   // a second time is a second order or a second payment
};

// What a write does to orders.
enum class OrderWrite : std::uint8_t { none, places, amends, cancels };

// Which of several nodes answers, and whether it holds up all others meanwhile.
enum class AnsweredBy : std::uint8_t {
  any_node,
  writer,        // the one that writes: what it keeps or counts on is there
  writer_alone,  // likewise, and no other request is answered: this one keeps or replaces the whole state
};

// A code that the operation may answer with besides the general ones, and its status there.
struct OperationError {
  ErrorCode code{};
  std::uint16_t status = 0;  // 0: the catalogue's

  constexpr OperationError(ErrorCode error_code, std::uint16_t at_status = 0) : code(error_code), status(at_status) {}
};

struct Operation {
  std::string_view name;   // snake case, unique: "place_order"
  std::string_view group;  // area, names files alike in contract/, handlers/, commands/: "orders"
  Method method = Method::get;
  std::string_view path;      // "/orders/{order_id}"
  std::string_view summary;   // one line, imperative
  std::string_view detail{};  // more text for the interface description, beyond what the fields say
  PathBase base = PathBase::versioned;
  bool twin = false;
  AuthSet auth{};
  const signing::ActionForm* action = nullptr;  // the signed struct that may accompany the credential
  signing::OwnerForm owner = nullptr;           // the struct that the account's owner signs
  RateClass rate = RateClass::request;
  Weight weight{};
  std::uint16_t success = 200;
  NetworkSet networks = NetworkSet::all;
  Envelope envelope = Envelope::flat;
  ErrorCode refused_body = ErrorCode::invalid_json;  // for JSON that is not the request record
  ErrorCode broken_body = ErrorCode::invalid_json;   // for a body that is not JSON at all
  std::span<const OperationError> errors{};
  bool legacy = false;              // for older clients; not among the API's
  Effect effect = Effect::lasting;  // of a write
  OrderWrite orders = OrderWrite::none;
  AnsweredBy answered_by = AnsweredBy::any_node;  // of the control surface
  bool secret_body = false;                       // its body holds secrets that no mask finds

  // It belongs to a version of the API, which may be refused or retired.
  [[nodiscard]] constexpr bool is_versioned() const {
    return base == PathBase::versioned || base == PathBase::host_root;
  }
  // Success means that the connection leaves HTTP.
  [[nodiscard]] constexpr bool opens_stream() const { return success == 101; }
  [[nodiscard]] constexpr bool is_write() const { return method != Method::get; }
  [[nodiscard]] constexpr bool changes_something() const { return is_write() && effect != Effect::passing; }
  [[nodiscard]] constexpr bool reads_body() const { return method != Method::get && method != Method::del; }
};

// The status with which the operation answers an error.
[[nodiscard]] int status_of(const ApiError& error, const Operation& operation);
[[nodiscard]] int status_of(const ApiError& error);  // where no operation was found

}  // namespace svc::api
