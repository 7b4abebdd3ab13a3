// The struct types that a typed-data document declares.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "signing/hash.h"

namespace svc::signing {

// "Order[2][]" is of base Order, with dimensions 2 and then none given; the last is the outermost.
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

// How a value of a type without dimensions is encoded.
enum class Atom { address, boolean, bytes, fixed_bytes, signed_integer, text, unsigned_integer };

struct AtomicType {
  Atom atom;
  int size = 0;  // bytes of fixed_bytes, bits of integers
};

// nullopt if it is not the name of an atomic type: those of EIP-712, sizes always given.
[[nodiscard]] std::optional<AtomicType> atomic_type(std::string_view name);

// Every member's type is atomic or declared here, whatever its dimensions.
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
  std::map<std::string, Hash32, std::less<>> hashes_;  // of those asked for
};

}  // namespace svc::signing
