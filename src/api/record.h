// A record is a struct with one list of fields. Strict decoding, encoding, JSON Schema, path, query and
// header placement and table columns derive from it.
//
//   struct AdjustMarginRequest {
//     MarketId market_id;
//     DecimalText amount;
//     static constexpr FieldInfo fields[] = {
//         field<&AdjustMarginRequest::market_id>("market_id", "Market"),
//         field<&AdjustMarginRequest::amount>("amount", "Margin in USDX")};
//   };
//
// Fields are declared in wire order. The list is an array of one erased type, not a tuple: a tuple of a
// hundred and fifty records costs every file that includes them six seconds (D-120).
//
// std::optional<T> means "may be absent or null" on input; on output an empty optional is written as
// null unless the field says omit_when_empty().
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/error_catalog.h"

namespace svc::api {

// Where a field travels. In a request path and query parameters leave the body; in a response a header
// does. `whole_body` makes one field the body itself, for bodies that are bare arrays.
enum class In : std::uint8_t { body, whole_body, path, query, header };

// The texts of an enumeration, indexed by its values, which count from 0.
struct EnumNames {
  std::string_view name;
  std::span<const std::string_view> texts;
  bool any_case = false;  // accepts any case on input
};

// An enumeration on the wire provides `constexpr EnumNames enum_names(E)` beside it.
template <class E>
concept WireEnum = requires(E e) {
  { enum_names(e) } -> std::same_as<EnumNames>;
};

template <WireEnum E>
[[nodiscard]] constexpr std::string_view to_string(E value) {
  return enum_names(value).texts[static_cast<std::size_t>(value)];
}

// What the codec knows about a type (type_info.h). Instantiated for each record in records/*.cpp.
struct TypeInfo;
template <class T>
[[nodiscard]] const TypeInfo& type_of();

struct FieldInfo {
  std::string_view name;
  std::string_view doc;
  const TypeInfo& (*type)() = nullptr;
  void* (*member)(void* record) = nullptr;
  In in = In::body;
  bool may_be_absent = false;  // absent leaves the member's default; optionals need not say so
  bool omitted_if_empty = false;
  std::uint32_t maximum = 0;                    // of a page size: larger values are clamped to it; 0 means no such rule
  const EnumNames* spelling = nullptr;          // other texts than the enumeration's own
  ErrorCode refusal = ErrorCode::invalid_json;  // code of a malformed value, where it has one of its own

  [[nodiscard]] constexpr FieldInfo path() const { return placed(In::path); }
  [[nodiscard]] constexpr FieldInfo query() const { return placed(In::query); }
  [[nodiscard]] constexpr FieldInfo header() const { return placed(In::header); }
  [[nodiscard]] constexpr FieldInfo whole_body() const { return placed(In::whole_body); }
  // May be absent; the member keeps its default then.
  [[nodiscard]] constexpr FieldInfo defaulted() const {
    FieldInfo f = *this;
    f.may_be_absent = true;
    return f;
  }
  [[nodiscard]] constexpr FieldInfo omit_when_empty() const {
    FieldInfo f = *this;
    f.omitted_if_empty = true;
    return f;
  }
  // A page size in the query: 1 or more, clamped to `rows`, the member's default when absent.
  [[nodiscard]] constexpr FieldInfo page_of_at_most(std::uint32_t rows) const {
    FieldInfo f = query().defaulted();
    f.maximum = rows;
    return f;
  }
  [[nodiscard]] constexpr FieldInfo spelled(const EnumNames& names) const {
    FieldInfo f = *this;
    f.spelling = &names;
    return f;
  }
  [[nodiscard]] constexpr FieldInfo refused_as(ErrorCode code) const {
    FieldInfo f = *this;
    f.refusal = code;
    return f;
  }

 private:
  [[nodiscard]] constexpr FieldInfo placed(In where) const {
    FieldInfo f = *this;
    f.in = where;
    return f;
  }
};

template <auto Member>
struct MemberAccess;
template <class R, class M, M R::*Member>
struct MemberAccess<Member> {
  using Type = M;
  static void* get(void* record) { return &(static_cast<R*>(record)->*Member); }
};

template <auto Member>
[[nodiscard]] constexpr FieldInfo field(std::string_view name, std::string_view doc) {
  FieldInfo f;
  f.name = name;
  f.doc = doc;
  f.type = &type_of<typename MemberAccess<Member>::Type>;
  f.member = &MemberAccess<Member>::get;
  return f;
}

template <class T>
concept Record = requires {
  T::fields;
};

// A request or response without fields: an empty body, or any object on input of none.
struct Empty {
  static constexpr std::span<const FieldInfo> fields{};
};

}  // namespace svc::api
