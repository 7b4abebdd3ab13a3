// Builds the TypeInfo of a type. Included where records are instantiated: by the tables of operations, and by
// contract/*.cpp for what no operation has. All others use type_of<T>().
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/record.h"
#include "api/values.h"
#include "base/address.h"
#include "base/secret.h"

namespace svc::api {

namespace describe {

template <class T>
consteval std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;  // "... T = svc::api::Page<svc::api::Order>; ..."
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const std::size_t scope = text.substr(0, text.find('<')).rfind("::");
  if (scope != std::string_view::npos) text.remove_prefix(scope + 2);
  return text;
}

template <class T>
consteval Kind scalar_kind() {
  if constexpr (std::same_as<T, std::string>) return Kind::text;
  if constexpr (std::same_as<T, Secret>) return Kind::secret;
  if constexpr (std::same_as<T, bool>) return Kind::boolean;
  if constexpr (std::same_as<T, std::int64_t>) return Kind::int64;
  if constexpr (std::same_as<T, std::uint64_t>) return Kind::uint64;
  if constexpr (std::same_as<T, std::uint32_t>) return Kind::uint32;
  if constexpr (std::same_as<T, DecimalText>) return Kind::decimal;
  if constexpr (std::same_as<T, NumberText>) return Kind::number;
  if constexpr (std::same_as<T, JsonObjectText>) return Kind::json_object;
  if constexpr (std::same_as<T, Address>) return Kind::address;
  if constexpr (std::same_as<T, MarketId>) return Kind::market_id;
}

// Does not compile for what is not a type of the wire.
template <class T>
struct Scalar {
  static constexpr TypeInfo info{.kind = scalar_kind<T>()};
};

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

// A std::map, or Members.
template <class Container, class T>
struct MapOf {
  static void clear(void* c) { static_cast<Container*>(c)->clear(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->size(); }
  static void* insert(void* c, const std::string& key) {
    auto& container = *static_cast<Container*>(c);
    if constexpr (std::same_as<Container, Members<T>>) {
      const bool known = std::ranges::find(container, key, &Container::value_type::first) != container.end();
      return known ? nullptr : &container.emplace_back(key, T{}).second;
    } else {
      const auto [position, added] = container.try_emplace(key);
      return added ? &position->second : nullptr;
    }
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
  static const void* fresh() {
    static const R record{};
    return &record;
  }
  static const std::vector<WrittenField>& written() {
    static const std::vector<WrittenField> fields = written_fields(info);
    return fields;
  }

  static constexpr TypeInfo info{.kind = Kind::record,
                                 .name = type_name<R>(),
                                 .fields = std::span<const FieldInfo>(R::fields),
                                 .as_array = is_array_shaped<R>(),
                                 .fresh = &fresh,
                                 .written = &written};
};

// A type with a custom form has it as `static const CustomForm form`.
template <class T>
concept Custom = std::same_as<decltype(T::form), const CustomForm>;

template <Custom T>
struct CustomOf {
  static constexpr TypeInfo info{.kind = Kind::custom, .name = type_name<T>(), .custom = &T::form};
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
struct Choose<Members<T>> : MapOf<Members<T>, T> {};
template <class T>
struct Choose<std::map<std::string, T>> : MapOf<std::map<std::string, T>, T> {};

}  // namespace describe

template <class T>
const TypeInfo& type_of() {
  return describe::Choose<T>::info;
}

}  // namespace svc::api
