// Containers, and what those of the standard lack.
#pragma once

#include <boost/container/deque.hpp>
#include <optional>

namespace svc {

// A queue that takes no memory before something is in it. An account has a dozen, most of which stay empty.
template <class T>
using Deque = boost::container::deque<T>;

// The value at that key of a map; nullopt if there is none.
template <class Map, class Key = typename Map::key_type>
[[nodiscard]] std::optional<typename Map::mapped_type> value_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace svc
