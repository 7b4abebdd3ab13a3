// The names of enumerators, as the compiler knows them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace svc {

// Empty if the value is no enumerator. The compiler spells one by its name, and any other value as a cast:
// "(svc::Side)7".
template <auto value>
[[nodiscard]] constexpr std::string_view enumerator_name() {
  constexpr std::string_view before = "value = ";
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find(before) + before.size());
  name = name.substr(0, name.find_first_of(";]"));
  return name.starts_with('(') ? std::string_view() : name.substr(name.rfind(':') + 1);
}
// Of the enumerators up to that one, by their numbers.
template <class E, E last>
inline constexpr auto enumerator_names = []<std::size_t... number>(std::index_sequence<number...>) {
  return std::array{enumerator_name<static_cast<E>(number)>()...};
}
(std::make_index_sequence<static_cast<std::size_t>(last) + 1>{});

// The name in capitals: StopLimit for stop_limit. Empty for `none`.
template <auto value>
struct CapitalName {
  static constexpr std::string_view name = enumerator_name<value>();
  static constexpr auto letters = [] {
    std::array<char, name.size() + 1> capital{};
    std::size_t size = 0;
    for (std::size_t i = 0; i < name.size() && name != "none"; ++i)
      if (name[i] != '_')
        capital[size++] = i == 0 || name[i - 1] == '_' ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
    return capital;
  }();
  static constexpr std::string_view text{letters.data()};
};
template <class E, E last>
inline constexpr auto capital_names = []<std::size_t... number>(std::index_sequence<number...>) {
  return std::array{CapitalName<static_cast<E>(number)>::text...};
}
(std::make_index_sequence<static_cast<std::size_t>(last) + 1>{});

}  // namespace svc
