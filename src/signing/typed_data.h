#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>

#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/hash.h"

// The struct types that a typed-data document declares.

namespace svc::signing {

// "Order[2][]" has the base Order, with dimensions 2 and then an open one; the last is the outermost.
struct TypeName {
  std::string text;
  std::string base;
  std::vector<std::optional<std::size_t>> dimensions;
};

struct TypeMember {
  std::string name;
  TypeName type;
};

using StructType = std::vector<TypeMember>;

// How a value without dimensions is encoded.
enum class Atom { address, boolean, bytes, fixed_bytes, signed_integer, text, unsigned_integer };

struct AtomicType {
  Atom atom;
  int size = 0;  // bytes of fixed_bytes, bits of integers
};

// nullopt if it is not the name of an atomic type: those of EIP-712, always with sizes.
[[nodiscard]] std::optional<AtomicType> atomic_type(std::string_view name);

// Every member's type is atomic or declared here, with any dimensions.
class StructTypes {
 public:
  // The document's "types". The error names the place.
  [[nodiscard]] static Result<StructTypes, std::string> parse(const nlohmann::json& types);

  // nullptr if not declared.
  [[nodiscard]] const StructType* find(std::string_view name) const;
  // The name must not be taken.
  void declare(std::string name, StructType type);

  // The declared type as hashed: itself, then every type it refers to, by name.
  [[nodiscard]] std::string type_string(const std::string& name) const;
  [[nodiscard]] const Hash32& type_hash(const std::string& name);

 private:
  std::map<std::string, StructType, std::less<>> types_;
  std::map<std::string, Hash32, std::less<>> hashes_;  // computed on request
};

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
