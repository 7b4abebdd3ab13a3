// Sessions opened by POST /auth/login: a token of 64 hex digits stands for its account for 24 hours.
//
// Unless the sandbox is open to others, tokens are drawn from a seeded stream, so that one of the same seed hands out
// the same ones; they protect nothing real then. Only their hashes are kept. (D-222)
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/secret.h"
#include "signing/hash.h"
#include "sim/sequencer/record.h"
#include "sim/services/credential_text.h"

namespace svc::sim {

class SessionStore {
 public:
  explicit SessionStore(SecretStream tokens) : tokens_(tokens) {}

  // Opens a session and returns its token. Beyond limits::sessions_max the oldest session ends.
  [[nodiscard]] Secret open(const Address& account, TimestampMs now_ms, RecordBatch& records);

  // Whose session it is; nullopt if it is unknown or over.
  [[nodiscard]] std::optional<Address> find(std::string_view token, TimestampMs now_ms) const;

  [[nodiscard]] std::size_t size() const;

  // When the next one ends, after that instant; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  // Kept as it stands here (base/archive.h), under the token's hash.
  struct Session {
    Address account{};
    TimestampMs ends_at_ms = 0;
    std::uint64_t number = 0;
  };

  void drop_oldest(RecordBatch& records);

  mutable Ranked<LockRank::store> mutex_;
  SecretStream tokens_;
  // Looked up by hash: comparing hashes tells nothing about how much of a guessed token was right.
  std::map<signing::Hash32, Session> sessions_;
  std::map<std::uint64_t, signing::Hash32> by_number_;  // every session lives equally long: in order of their ends
};

}  // namespace svc::sim
