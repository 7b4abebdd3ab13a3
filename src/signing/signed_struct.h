// An EIP-712 struct as a C++ struct with one row for each member, in the order in which they are signed: type, name
// here, name in the type, and where a request contains it.
//
//   SVC_SIGNED(ReadTransfer,
//       (Address, account, "account")
//       (std::uint64_t, timestamp_ms, "timestampMs"));
//
// Its type string, its hash, the document for other signers (typed_data.h) and its construction from a request
// (action_request.h) all derive from that list.
#pragma once

#include <algorithm>
#include <concepts>
#include <tuple>
#include <vector>

#include "base/address.h"
#include "base/rows.h"
#include "signing/hash.h"
#include "signing/uint256.h"

namespace svc::signing {

// Where a request contains a member. Members of the body have the struct's names in snake case: clientId is
// `client_id`. The two `as_it_is` are for what an owner signs: an empty text is signed too, because the operation
// itself refuses it. An address is read from its text.
enum class From : std::uint8_t {
  caller,          // not in the request: supplied by the signer
  body,            // text
  body_as_it_is,   // text, which may be empty
  body_if_any,     // text; absent or null signs as ""
  digits_if_any,   // a whole number of 32 bits, signed as its decimal digits; absent or null signs as ""
  number,          // a whole number of 32 bits
  flag_if_any,     // true or false; absent or null is false
  whole_body,      // a struct, or an array of structs
  query,           // the first value of that name; absent signs as ""
  query_as_it_is,  // likewise; one that is there may be empty
  path,            // the last segment
};

template <class Struct, class Value>
struct Member {
  Value Struct::*at;
  std::string_view name;  // in the type
  From from = From::caller;
};
template <class Struct, class Value>
Member(Value Struct::*, std::string_view, From = From::caller) -> Member<Struct, Value>;

// A struct of these rows; SVC_SIGNED_MEMBERS is what every such struct has.
#define SVC_SIGNED(Struct, rows)                                                            \
  struct Struct {                                                                           \
    SVC_SIGNED_MEMBERS(Struct, rows)                                                        \
    static constexpr auto members() { return std::tuple(SVC_ROWS(SVC_FIRST_SIGNED rows)); } \
  }
#define SVC_SIGNED_MEMBERS(Struct, rows)          \
  using Self = Struct;                            \
  SVC_ROWS(SVC_VALUE rows)                        \
  bool operator==(const Struct&) const = default; \
  static constexpr std::string_view name = #Struct;

#define SVC_VALUE(type, member, ...) \
  type member{};                     \
  SVC_NEXT_VALUE
#define SVC_NEXT_VALUE(type, member, ...) \
  type member{};                          \
  SVC_VALUE
#define SVC_VALUE_END
#define SVC_NEXT_VALUE_END
#define SVC_FIRST_SIGNED(type, member, ...) Member{&Self::member, __VA_ARGS__} SVC_MORE_SIGNED
#define SVC_MORE_SIGNED(type, member, ...) , Member{&Self::member, __VA_ARGS__} SVC_STILL_MORE_SIGNED
#define SVC_STILL_MORE_SIGNED(type, member, ...) , Member{&Self::member, __VA_ARGS__} SVC_MORE_SIGNED
#define SVC_MORE_SIGNED_END
#define SVC_STILL_MORE_SIGNED_END

// The name of a member in the body or the query: "market_id" for "marketId".
[[nodiscard]] constexpr std::string request_name(std::string_view member) {
  std::string name;
  for (const char letter : member) {
    if (letter != lower_letter(letter)) name += '_';
    name += lower_letter(letter);
  }
  return name;
}

template <class T>
concept SignedStruct = requires {
  T::members();
};

// Calls f(member) for each in order.
template <SignedStruct Struct, class F>
constexpr void for_each_member(F&& f) {
  std::apply([&](const auto&... member) { (f(member), ...); }, Struct::members());
}

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

// What `of` makes of each struct of a list. A [[gnu::used]] list of addresses makes the compiler emit their functions.
template <template <class...> class List, class... Struct, class Of>
constexpr auto of_every_struct(std::type_identity<List<Struct...>>, Of of) {
  return std::tuple(of.template operator()<Struct>()...);
}

// "uint64", "OrderParams", "OrderParams[]"
template <class Value>
[[nodiscard]] std::string member_type() {
  if constexpr (is_list<Value>)
    return member_type<typename Value::value_type>() + "[]";
  else if constexpr (SignedStruct<Value>)
    return std::string(Value::name);
  else if constexpr (std::is_same_v<Value, std::string>)
    return "string";
  else if constexpr (std::is_same_v<Value, bool>)
    return "bool";
  else if constexpr (std::is_same_v<Value, Address>)
    return "address";
  else if constexpr (std::is_same_v<Value, Uint256>)
    return "uint256";
  else
    return "uint" + std::to_string(8 * sizeof(Value));
}

// Calls f.template operator()<Struct>() for the struct and those that it refers to.
template <class Struct, class F>
void for_each_struct(F&& f) {
  if constexpr (is_list<Struct>) {
    for_each_struct<typename Struct::value_type>(f);
  } else if constexpr (SignedStruct<Struct>) {
    f.template operator()<Struct>();
    for_each_member<Struct>([&]<class Value>(const Member<Struct, Value>&) { for_each_struct<Value>(f); });
  }
}

// As hashed: the struct's type followed by the types it refers to.
template <SignedStruct Struct>
[[nodiscard]] const std::string& type_string() {
  static const std::string text = [] {
    std::string all;
    for_each_struct<Struct>([&]<class One>() {
      all.append(One::name).append("(");
      for_each_member<One>([&]<class Value>(const Member<One, Value>& member) {
        all.append(all.back() == '(' ? "" : ",").append(member_type<Value>()).append(" ").append(member.name);
      });
      all.append(")");
    });
    return all;
  }();
  return text;
}

template <SignedStruct Struct>
[[nodiscard]] Hash32 struct_hash(const Struct& one);

// Hashes a struct member by member.
class StructEncoder {
 public:
  explicit StructEncoder(const Hash32& type_hash) { word(type_hash); }

  // 32 bytes, unchanged.
  StructEncoder& word(const Hash32& bytes) {
    hash_.update(bytes);
    return *this;
  }
  StructEncoder& add(std::string_view value) {
    static const Hash32 hash_of_nothing = keccak256(std::string_view{});  // most members of an order are absent
    return word(value.empty() ? hash_of_nothing : keccak256(value));
  }
  StructEncoder& add(const Uint256& value) { return word(value.big_endian); }
  StructEncoder& add(std::integral auto value) { return add(Uint256(static_cast<std::uint64_t>(value))); }
  StructEncoder& add(const Address& value) {
    Hash32 padded{};
    std::copy(value.bytes.begin(), value.bytes.end(), padded.begin() + 12);
    return word(padded);
  }
  template <SignedStruct Struct>
  StructEncoder& add(const Struct& value) {
    return word(struct_hash(value));
  }
  template <SignedStruct Struct>
  StructEncoder& add(const std::vector<Struct>& values) {
    Keccak256 hashes;
    for (const Struct& value : values) hashes.update(struct_hash(value));
    return word(hashes.finish());
  }

  [[nodiscard]] Hash32 finish() { return hash_.finish(); }

 private:
  Keccak256 hash_;
};

template <SignedStruct Struct>
[[nodiscard]] Hash32 struct_hash(const Struct& one) {
  static const Hash32 type_hash = keccak256(type_string<Struct>());
  StructEncoder encoder(type_hash);
  for_each_member<Struct>([&](const auto& member) { encoder.add(one.*member.at); });
  return encoder.finish();
}

}  // namespace svc::signing
