// Look-ups that tell in one word whether something is there.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

namespace svc {

// The element of a range that is that value, or whose projection is; null if there is none.
template <class Range, class Value, class Projection = std::identity>
[[nodiscard]] constexpr auto found_in(Range& range, const Value& value, Projection projection = {}) {
  const auto found = std::ranges::find(range, value, projection);
  return found == std::ranges::end(range) ? nullptr : std::addressof(*found);
}
// The first that fits.
template <class Range, class Fits>
[[nodiscard]] constexpr auto found_where(Range& range, Fits fits) {
  const auto found = std::ranges::find_if(range, fits);
  return found == std::ranges::end(range) ? nullptr : std::addressof(*found);
}
template <class Range, class Value, class Projection = std::identity>
[[nodiscard]] constexpr bool is_among(const Value& value, const Range& range, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

// The value at that key of a map; null if there is none.
template <class Map, class Key = typename Map::key_type>
[[nodiscard]] constexpr auto found_at(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : std::addressof(found->second);
}
// A copy of it; nullopt if there is none.
template <class Map, class Key = typename Map::key_type>
[[nodiscard]] std::optional<typename Map::mapped_type> value_in(const Map& map, const Key& key) {
  const auto* found = found_at(map, key);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace svc
