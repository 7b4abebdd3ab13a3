// Which client ids an account has used.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "base/containers.h"
#include "sim/engine/digest.h"
#include "sim/engine/ids.h"

namespace svc::engine {

// Client ids are unique per account forever (rule 3.10).
//
// Only a 128-bit mix of account and text is kept, because the set never shrinks. If an account crafts two texts
// that collide, the second is treated as a repeat, for that account only.
class ClientIds {
 public:
  // The last order with this id, live or ended; nullopt if the id was never used.
  [[nodiscard]] std::optional<OrderId> find(AccountIndex account, const ClientId& id) const {
    return value_in(used_, key_of(account, id));
  }
  // Assigns the id to this order from now on.
  void assign(AccountIndex account, const ClientId& id, OrderId order) {
    const Key key = key_of(account, id);
    used_[key] = order;
    Digest digest(digest_);
    digest.add(key.high);
    digest.add(key.low);
    digest.add(order.value);
    digest_ = digest.value();
  }

  // Changes with every assignment; equal histories give equal digests.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }

  template <class Archive>
  void archive(Archive& archive) {
    if constexpr (Archive::reading) {
      std::vector<Use> uses;
      archive(digest_, uses);
      used_.clear();
      used_.reserve(uses.size());
      for (const Use& use : uses) used_.emplace(use.key, use.order);
    } else {
      archive(digest_, uses());
    }
  }

 private:
  struct Key {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct KeyHash {
    using is_avalanching = void;  // a digest is mixed already
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
  };
  struct Use {
    Key key{};
    OrderId order{};
  };
  [[nodiscard]] static Key key_of(AccountIndex account, const ClientId& id) {
    const auto digest_from = [&](std::uint64_t seed) {
      Digest digest(seed);
      digest.add(account.value);
      digest.add(id.text());
      return digest.value();
    };
    return {digest_from(1), digest_from(2)};
  }
  // Sorted by key, so that equal sets have equal archives.
  [[nodiscard]] std::vector<Use> uses() const {
    std::vector<Use> uses;
    uses.reserve(used_.size());
    for (const auto& [key, order] : used_) uses.push_back({key, order});
    std::ranges::sort(uses, {}, &Use::key);
    return uses;
  }

  boost::unordered_flat_map<Key, OrderId, KeyHash> used_;
  std::uint64_t digest_ = 0;
};

}  // namespace svc::engine
