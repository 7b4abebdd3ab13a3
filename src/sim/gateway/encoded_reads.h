// The replies of one public read as last encoded: what many ask for is encoded once per change of what it shows.
//
// A reply counts only for exactly the origin it was made from, so nothing is served across a change. Only short replies
// to the latest few targets are kept.
//
// Thread-safe: one lock, held for a look-up.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"

namespace svc::limits {
inline constexpr std::size_t encoded_reads_max = 8;  // per operation
inline constexpr std::size_t encoded_read_bytes_max = 128 * 1024;
}  // namespace svc::limits

namespace svc::sim {

class EncodedReads {
 public:
  // What a reply was made from.
  struct Origin {
    std::uint64_t views = 0;  // their version
    TimestampMs at_ms = 0;    // 0: whenever it is asked for

    bool operator==(const Origin&) const = default;
  };
  using Reply = std::shared_ptr<const api::HttpResponse>;

  // nullptr: none for this target from this origin.
  [[nodiscard]] Reply find(std::string_view target, const Origin& origin) const {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.origin == origin && entry.target == target) return entry.reply;
    return nullptr;
  }

  // Replaces the reply to that target, or the one that was kept first.
  void keep(std::string_view target, const Origin& origin, const Reply& reply) {
    if (reply->body.size() > limits::encoded_read_bytes_max) return;
    Reply former;  // freed after the lock
    const std::lock_guard lock(mutex_);
    Entry* place = nullptr;
    for (Entry& entry : entries_)
      if (entry.target == target) place = &entry;
    if (place == nullptr) place = &entries_[next_++ % entries_.size()];
    former = std::exchange(place->reply, reply);
    place->target = target;
    place->origin = origin;
  }

 private:
  struct Entry {
    std::string target{};
    Origin origin{};
    Reply reply{};
  };

  mutable Ranked<LockRank::counter> mutex_;
  std::array<Entry, limits::encoded_reads_max> entries_{};
  std::size_t next_ = 0;
};

}  // namespace svc::sim
