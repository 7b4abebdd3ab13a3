#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/hash.h"

namespace svc::signing {

// Documents for other signers (eth_signTypedData_v4) of the structs that this program signs. Their digest is the
// one that this program would sign itself: hash_typed_data reads them back.
[[nodiscard]] std::string typed_data_text(const Domain& domain, const ActionStruct& action);
template <SignedStruct Struct>
[[nodiscard]] std::string typed_data_text(const Domain& domain, const Struct& one);

// A typed-data document for wallets (eth_signTypedData_v4): types, primaryType, domain, message.
//
// Values
//   uintN, intN     JSON integer of at most 2^53 - 1, or decimal text, or 0x and hex digits; '-' for intN
//   address         0x and 40 hex digits; mixed case must carry the right checksum (EIP-55)
//   bytes, bytesN   0x and hex digits; bytesN exactly N bytes
//   bool, string    JSON boolean, JSON string
//   T[], T[n]       JSON array, of exactly n elements for T[n]
//   a struct        JSON object; every member present, other members ignored as wallets do
//
// EIP712Domain may be declared among the types. If not, it consists of those of name, version, chainId,
// verifyingContract and salt that the domain contains, in this order.
struct TypedDataHashes {
  std::string type;  // primary type followed by those it refers to, sorted
  Hash32 domain_separator{};
  std::optional<Hash32> struct_hash;  // none if the primary type is EIP712Domain itself
  Hash32 digest{};
};

// The error names the place and what was expected there: `message.order.price: expected a string`.
[[nodiscard]] Result<TypedDataHashes, std::string> hash_typed_data(std::string_view document);

}  // namespace svc::signing
