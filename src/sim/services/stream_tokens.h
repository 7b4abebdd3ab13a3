// Tokens that open a stream: one upgrade within 60 seconds, for the account they were minted for.
// (API: POST /ws/token and /ws-tokens)
//
// Each network has its own store, so a token is good on the network that minted it alone. Only hashes are
// kept. A token is derived from a seeded secret, its account, the time and a number: equal histories mint
// equal tokens, and a restart mints none a second time for somebody else. They are not kept beyond the
// process: after a restart clients mint anew, as they do after any disconnect.
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/secret.h"
#include "signing/hash.h"
#include "sim/services/credential_text.h"

namespace svc::sim {

enum class StreamChannels : std::uint8_t {
  all,          // of POST /ws/token
  public_only,  // of POST /ws-tokens, which older clients use
};

struct StreamGrant {
  Address account;
  StreamChannels channels = StreamChannels::all;

  bool operator==(const StreamGrant&) const = default;
};

class StreamTokenStore {
 public:
  explicit StreamTokenStore(SecretStream secret);

  // 48 hex digits. Beyond limits::stream_tokens_max the oldest token is forgotten.
  [[nodiscard]] Secret mint(const StreamGrant& grant, TimestampMs now_ms);

  // What the token is good for, once; nullopt if it is unknown, over or was used.
  [[nodiscard]] std::optional<StreamGrant> redeem(std::string_view token, TimestampMs now_ms);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry {
    StreamGrant grant;
    TimestampMs ends_at_ms = 0;
  };

  void drop_oldest();

  mutable Ranked<LockRank::store> mutex_;
  Secret seed_;
  std::uint64_t minted_ = 0;
  // Looked up by hash: comparing hashes tells nothing about how much of a guessed token was right.
  std::map<signing::Hash32, Entry> entries_;
  std::deque<signing::Hash32> oldest_first_;  // redeemed ones included until their turn comes
};

}  // namespace svc::sim
