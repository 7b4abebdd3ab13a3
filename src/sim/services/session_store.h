// Sessions opened by POST /auth/login: a token of 64 hex digits is valid for its account for 24 hours. And the tokens
// that open a stream.
//
// Unless the sandbox is reachable by others, tokens are drawn from a seeded stream, so equal seeds give equal
// tokens; they protect nothing real then. Only their hashes are stored. (D-222)
//
// Part of ServicesState: changed by the single writer alone.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/secret.h"
#include "signing/hash.h"
#include "sim/services/secret_stream.h"

namespace svc::sim {

// The hash under which a token is stored and looked up, so that timing reveals nothing about a guessed token.
[[nodiscard]] signing::Hash32 token_hash(std::string_view token);
[[nodiscard]] std::optional<signing::Hash32> token_hash(const std::optional<Secret>& token);

class SessionStore {
 public:
  explicit SessionStore(SecretStream tokens) : tokens_(tokens) {}

  // Opens a session under that hash, or under the next token of the stream, which is returned then; otherwise the
  // result is empty. Beyond limits::sessions_max the oldest session ends.
  [[nodiscard]] Secret open(const Address& account, const std::optional<signing::Hash32>& drawn, TimestampMs now_ms);

  // The session's account; nullopt if the token is unknown or expired.
  [[nodiscard]] std::optional<Address> find(std::string_view token, TimestampMs now_ms) const;

  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

  // When the next session ends after that instant; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(tokens_, sessions_);
    if constexpr (Archive::reading) index(archive);
  }

 private:
  struct Session {
    Address account{};
    TimestampMs ends_at_ms = 0;
    std::uint64_t number = 0;
  };

  template <class Archive>
  void index(Archive& archive) {
    by_number_.clear();
    for (const auto& [hash, session] : sessions_)
      if (!is_valid(session) || !by_number_.emplace(session.number, hash).second) return archive.fail();
  }
  [[nodiscard]] static bool is_valid(const Session& session);
  void drop_oldest();

  SecretStream tokens_;
  std::map<signing::Hash32, Session> sessions_;
  std::map<std::uint64_t, signing::Hash32> by_number_;  // also in order of expiry: all live equally long
};

// Tokens that open a stream: one upgrade within 60 seconds, for the account they were minted for.
// (API: POST /ws/token and /ws-tokens)
//
// Each network has its own store, so a token is valid only on the network that minted it. Only hashes are stored. A
// token is derived from a seeded secret, its account, the time and a number: equal histories mint equal tokens.

enum class StreamChannels : std::uint8_t {
  all,          // of POST /ws/token
  public_only,  // of POST /ws-tokens, which older clients use
};

struct StreamGrant {
  Address account{};
  StreamChannels channels = StreamChannels::all;

  bool operator==(const StreamGrant&) const = default;
};

class StreamTokenStore {
 public:
  explicit StreamTokenStore(SecretStream secret) : seed_(secret.draw_hex(session_token_bytes)) {}

  // Mints a token under that hash, or one of 48 hex digits, which is returned then; otherwise the result is empty.
  // Beyond limits::stream_tokens_max the oldest token is forgotten.
  [[nodiscard]] Secret mint(const StreamGrant& grant, const std::optional<signing::Hash32>& drawn, TimestampMs now_ms);

  // What the token grants, once; nullopt if it is unknown, expired or used.
  [[nodiscard]] std::optional<StreamGrant> redeem(const signing::Hash32& token, TimestampMs now_ms);
  // None opens a stream any more; numbers go on.
  void drop_all() {
    entries_.clear();
    oldest_first_.clear();
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  template <class Archive>
  void archive(Archive& archive) {
    archive(minted_, entries_, oldest_first_);
    archive.check([&] { return is_valid(); });
  }

 private:
  struct Entry {
    StreamGrant grant{};
    TimestampMs ends_at_ms = 0;
  };

  [[nodiscard]] bool is_valid() const;
  void drop_oldest();

  Secret seed_;
  std::uint64_t minted_ = 0;
  std::map<signing::Hash32, Entry> entries_;
  std::deque<signing::Hash32> oldest_first_;  // redeemed ones stay until their turn
};

}  // namespace svc::sim
