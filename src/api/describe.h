// Builds the TypeInfo of a type. Included where records are instantiated: by the tables of operations, and by
// contract/*.cpp for what no operation has. All others use type_of<T>().
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "api/record.h"
#include "api/values.h"
#include "base/address.h"
#include "base/secret.h"

namespace svc::api {

namespace describe {

template <class T>
consteval std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t end = text.find_first_of(";]", text.find("T = "));
  text = text.substr(0, end);
  const std::size_t start = text.find("T = ") + 4;
  text.remove_prefix(start);
  const std::size_t scope = text.substr(0, text.find('<')).rfind("::");
  if (scope != std::string_view::npos) text.remove_prefix(scope + 2);
  return text;
}

template <class T>
struct Scalar;  // no definition: not a type of the wire

template <Kind K>
struct ScalarKind {
  static constexpr TypeInfo info{.kind = K};
};

template <>
struct Scalar<std::string> : ScalarKind<Kind::text> {};
template <>
struct Scalar<Secret> : ScalarKind<Kind::secret> {};
template <>
struct Scalar<bool> : ScalarKind<Kind::boolean> {};
template <>
struct Scalar<std::int64_t> : ScalarKind<Kind::int64> {};
template <>
struct Scalar<std::uint64_t> : ScalarKind<Kind::uint64> {};
template <>
struct Scalar<std::uint32_t> : ScalarKind<Kind::uint32> {};
template <>
struct Scalar<DecimalText> : ScalarKind<Kind::decimal> {};
template <>
struct Scalar<NumberText> : ScalarKind<Kind::number> {};
template <>
struct Scalar<JsonObjectText> : ScalarKind<Kind::json_object> {};
template <>
struct Scalar<Address> : ScalarKind<Kind::address> {};
template <>
struct Scalar<MarketId> : ScalarKind<Kind::market_id> {};

template <WireEnum E>
struct Enumeration {
  static_assert(sizeof(E) == 1, "a wire enumeration is one byte, so that the codec can write it by index");
  static constexpr EnumNames names = enum_names(E{});
  static constexpr TypeInfo info{.kind = Kind::enumeration, .name = names.name, .names = &names};
};

template <class T>
struct Optional {
  using Container = std::optional<T>;
  static void* emplace(void* c) { return &static_cast<Container*>(c)->emplace(); }
  static void clear(void* c) { static_cast<Container*>(c)->reset(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->has_value() ? 1 : 0; }
  static const void* at(const void* c, std::size_t) { return &**static_cast<const Container*>(c); }

  static constexpr ContainerAccess access{.emplace = &emplace, .clear = &clear, .size = &size, .at = &at};
  static constexpr TypeInfo info{.kind = Kind::optional, .element = &type_of<T>, .container = &access};
};

template <class T>
struct ListOf {
  using Container = std::vector<T>;
  static void* emplace(void* c) { return &static_cast<Container*>(c)->emplace_back(); }
  static void clear(void* c) { static_cast<Container*>(c)->clear(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->size(); }
  static const void* at(const void* c, std::size_t i) { return &(*static_cast<const Container*>(c))[i]; }

  static constexpr ContainerAccess access{.emplace = &emplace, .clear = &clear, .size = &size, .at = &at};
  static constexpr TypeInfo info{.kind = Kind::list, .element = &type_of<T>, .container = &access};
};

template <class T>
struct MapOf {
  using Container = std::map<std::string, T>;
  static void clear(void* c) { static_cast<Container*>(c)->clear(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->size(); }
  static void* insert(void* c, const std::string& key) {
    const auto [position, added] = static_cast<Container*>(c)->try_emplace(key);
    return added ? &position->second : nullptr;
  }
  static void each(const void* c, void* context, void (*visit)(void*, const std::string&, const void*)) {
    for (const auto& [key, element] : *static_cast<const Container*>(c)) visit(context, key, &element);
  }

  static constexpr ContainerAccess access{.clear = &clear, .size = &size, .insert = &insert, .each = &each};
  static constexpr TypeInfo info{.kind = Kind::map, .element = &type_of<T>, .container = &access};
};

template <class T>
struct MembersOf {
  using Container = Members<T>;
  static void clear(void* c) { static_cast<Container*>(c)->clear(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->size(); }
  static void* insert(void* c, const std::string& key) {
    auto& members = *static_cast<Container*>(c);
    if (std::ranges::find(members, key, &Container::value_type::first) != members.end()) return nullptr;
    return &members.emplace_back(key, T{}).second;
  }
  static void each(const void* c, void* context, void (*visit)(void*, const std::string&, const void*)) {
    for (const auto& [key, element] : *static_cast<const Container*>(c)) visit(context, key, &element);
  }

  static constexpr ContainerAccess access{.clear = &clear, .size = &size, .insert = &insert, .each = &each};
  static constexpr TypeInfo info{.kind = Kind::map, .element = &type_of<T>, .container = &access};
};

template <class R>
consteval bool is_array_shaped() {
  if constexpr (requires { R::as_array; }) return R::as_array;
  return false;
}

template <Record R>
struct RecordOf {
  static void with_default(void* context, void (*visit)(void*, const void*)) {
    const R fresh{};
    visit(context, &fresh);
  }

  static constexpr TypeInfo info{.kind = Kind::record,
                                 .name = type_name<R>(),
                                 .fields = std::span<const FieldInfo>(R::fields),
                                 .as_array = is_array_shaped<R>(),
                                 .with_default = &with_default};
};

// A type with a custom form has `constexpr const CustomForm* custom_form(const T*)` beside it.
template <class T>
concept Custom = requires(const T* value) {
  { custom_form(value) } -> std::same_as<const CustomForm*>;
};

template <Custom T>
struct CustomOf {
  static constexpr TypeInfo info{
      .kind = Kind::custom, .name = type_name<T>(), .custom = custom_form(static_cast<const T*>(nullptr))};
};

template <class T>
struct Choose : Scalar<T> {};
template <WireEnum T>
struct Choose<T> : Enumeration<T> {};
template <Record T>
struct Choose<T> : RecordOf<T> {};
template <Custom T>
struct Choose<T> : CustomOf<T> {};
template <class T>
struct Choose<std::optional<T>> : Optional<T> {};
template <class T>
struct Choose<std::vector<T>> : ListOf<T> {};
template <class T>
struct Choose<Members<T>> : MembersOf<T> {};
template <class T>
struct Choose<std::map<std::string, T>> : MapOf<T> {};

}  // namespace describe

template <class T>
const TypeInfo& type_of() {
  return describe::Choose<T>::info;
}

}  // namespace svc::api
