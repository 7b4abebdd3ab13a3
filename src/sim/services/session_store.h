// Sessions opened by POST /auth/login: a token of 64 hex digits is valid for its account for 24 hours.
//
// Unless the sandbox is reachable by others, tokens are drawn from a seeded stream, so equal seeds give equal
// tokens; they protect nothing real then. Only their hashes are stored. (D-222)
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
#include "base/result.h"
#include "base/secret.h"
#include "signing/hash.h"
#include "sim/sequencer/record.h"
#include "sim/services/api_key_store.h"

namespace svc::sim {

class SessionStore {
 public:
  explicit SessionStore(SecretStream tokens) : tokens_(tokens) {}

  // Opens a session and returns its token. Beyond limits::sessions_max the oldest session ends.
  [[nodiscard]] Secret open(const Address& account, TimestampMs now_ms, RecordBatch& records);

  // The session's account; nullopt if the token is unknown or expired.
  [[nodiscard]] std::optional<Address> find(std::string_view token, TimestampMs now_ms) const;

  [[nodiscard]] std::size_t size() const;

  // When the next session ends after that instant; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  // Stored in this form (base/archive.h), under the token's hash.
  struct Session {
    Address account{};
    TimestampMs ends_at_ms = 0;
    std::uint64_t number = 0;
  };

  void drop_oldest(RecordBatch& records);

  mutable Ranked<LockRank::store> mutex_;
  SecretStream tokens_;
  // Looked up by hash, so that timing reveals nothing about a guessed token.
  std::map<signing::Hash32, Session> sessions_;
  std::map<std::uint64_t, signing::Hash32> by_number_;  // also in order of expiry: all live equally long
};

// Tokens that open a stream: one upgrade within 60 seconds, for the account they were minted for.
// (API: POST /ws/token and /ws-tokens)
//
// Each network has its own store, so a token is valid only on the network that minted it. Only hashes are stored. A
// token is derived from a seeded secret, its account, the time and a number: equal histories mint equal tokens, and
// a restart never mints one a second time for somebody else. Tokens are lost with the process: after a restart
// clients mint new ones, as after any disconnect.

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

  // What the token grants, once; nullopt if it is unknown, expired or used.
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
  // Looked up by hash, so that timing reveals nothing about a guessed token.
  std::map<signing::Hash32, Entry> entries_;
  std::deque<signing::Hash32> oldest_first_;  // redeemed ones stay until their turn
};

}  // namespace svc::sim
