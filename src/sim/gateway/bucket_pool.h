// Token buckets by key, of which only the most recently used are kept.
//
// A bucket left alone for a second is full, hence worth nothing: forgetting the one idle longest makes
// room for a new key, and memory stays bounded however many keys there are.
//
// Not thread-safe; owned by the RateLimiter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim/gateway/token_bucket.h"

namespace svc::sim {

// Finds text keys by view, so that a look-up allocates nothing.
struct TextHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <class Key, class Hash = std::hash<Key>>
class BucketPool {
 public:
  explicit BucketPool(std::size_t capacity) : capacity_(capacity) {}

  // The bucket of that key, full if it is new or if its rate is no longer `per_second`. Valid until the
  // next call.
  template <class AnyKey>
  [[nodiscard]] TokenBucket& at(const AnyKey& key, std::uint32_t per_second, TimestampMs now_ms) {
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) {
      latest_first_.splice(latest_first_.begin(), latest_first_, found->second);
      TokenBucket& bucket = found->second->second;
      if (bucket.limit() != per_second) bucket = TokenBucket(per_second, now_ms);
      return bucket;
    }
    if (by_key_.size() >= capacity_) {
      by_key_.erase(latest_first_.back().first);
      latest_first_.pop_back();
    }
    latest_first_.emplace_front(Key(key), TokenBucket(per_second, now_ms));
    by_key_.emplace(latest_first_.front().first, latest_first_.begin());
    return latest_first_.front().second;
  }

  void forget(const Key& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    latest_first_.erase(found->second);
    by_key_.erase(found);
  }

  [[nodiscard]] std::size_t size() const { return by_key_.size(); }

 private:
  using Entry = std::pair<Key, TokenBucket>;

  std::size_t capacity_;
  std::list<Entry> latest_first_;
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash, std::equal_to<>> by_key_;
};

}  // namespace svc::sim
