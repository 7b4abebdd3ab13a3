// The struct that a request contains: an action, or what its owner signs. The client signs this result and the gateway
// checks the signature against it, so that a signature covers exactly what will be executed.
//
// Rules
//   (A1) JSON text is signed as it is in the body; numbers are never normalised
//   (A2) an optional text that is absent or null signs as "", and an explicit "" is refused
//   (A3) basis points sign as their decimal digits and must fit 32 bits; absent signs as "";
//        absent reduce_only is false
//   (A4) the market of amend and cancel is the query's first market_id, percent-decoded, '+' a space;
//        absent signs as "", explicitly empty is refused
//   (A5) the order id is the last segment of the path
//   (A6) the operation decides, whatever precedes its path: /orders and /api/v1/orders sign alike
//
// A body with a repeated member is refused: two parsers could read two different trades. (D-103)
#pragma once

#include <functional>

#include "base/result.h"
#include "signing/actions.h"
#include "signing/hmac.h"
#include "signing/typed_data.h"

namespace svc::signing {

// Why a request gives no struct: what was expected, and whether of the query or the path, not of the body.
struct Unformed {
  Unformed(std::string expected, bool is_target = false) : why(std::move(expected)), of_target(is_target) {}
  std::string why;
  bool of_target;
};

// Members that no action signs are ignored.
template <class Action>
[[nodiscard]] Result<ActionStruct, Unformed> action_of(const RequestParts& request, ActionContext context);

// Likewise what an owner signs; the signer supplies time and nonce.
template <class Struct>
[[nodiscard]] Result<Struct, std::string> owner_struct_of(const RequestParts& request);

// What an owner signs, without its C++ type.
struct OwnerSigned {
  std::string_view name{};  // "TransferIntent"
  Address account{};        // who has to sign it, and
  std::string domain{};     // the deployment text, if the struct has both
  Hash32 hash{};
  std::function<std::string(const Domain&)> document{};  // for signers that want to see it
};
template <class Struct>
[[nodiscard]] OwnerSigned owner_signed(Struct one) {
  OwnerSigned asked{.name = Struct::name, .hash = struct_hash(one)};
  if constexpr (requires { one.domain; }) {
    asked.account = one.account;
    asked.domain = one.domain;
  }
  asked.document = [one = std::move(one)](const Domain& domain) { return typed_data_text(domain, one); };
  return asked;
}

// What is known only when it is signed. Not every struct has a nonce.
struct OwnerStamp {
  std::uint64_t timestamp_ms = 0;
  std::uint64_t nonce = 0;
};
using OwnerForm = Result<OwnerSigned, std::string> (*)(const RequestParts& request, const OwnerStamp& stamp);
template <class Struct>
[[nodiscard]] Result<OwnerSigned, std::string> owner_form_of(const RequestParts& request, const OwnerStamp& stamp) {
  auto one = SVC_TRY(owner_struct_of<Struct>(request));
  if constexpr (requires { one.timestamp_ms; }) one.timestamp_ms = stamp.timestamp_ms;
  if constexpr (requires { one.nonce; }) one.nonce = stamp.nonce;
  return owner_signed(std::move(one));
}

// The struct that an operation reads, without its C++ type.
struct ActionForm {
  std::string_view name;  // "PlaceOrder"
  Result<ActionStruct, Unformed> (*read)(const RequestParts& request, ActionContext context);
};

template <class Action>
inline constexpr ActionForm form_of{Action::name, &action_of<Action>};

}  // namespace svc::signing
