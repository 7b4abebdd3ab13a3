// An open login: the session token and the ring keys that open the account's API secrets.
//
// One file per network, mode 0600. Several accounts may be logged in at once; the last one to log in is the current
// one. When a session expires, its token is removed from the file, and the ring keys too unless they were to be kept.
// The account and wallet stay, so that messages can say which wallet to log in again.
//
// The secrets are sealed under a random key of that session, which is stored in the runtime folder and removed with the
// session. So a copy of the disk does not open them, and nothing does once the session is closed.
#pragma once

#include "base/address.h"
#include "base/clock.h"
#include "base/secret.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"
#include "signing/keystore.h"

namespace svc::cli {

struct Session {
  Address account;
  std::string wallet;
  TimestampMs expires_at_ms = 0;
  std::int64_t server_ahead_ms = 0;         // relative to our clock, at the login
  bool locked = false;                      // `keystore lock` ended it early
  bool is_substitute = false;               // made up for a missing session: the wallet's password opens its API keys
  bool keys_stay = false;                   // the ring keys outlive the token, until a logout (D-301)
  Secret token{};                           // empty once expired
  std::vector<signing::SealKey> rings{};    // newest first; empty once expired, or if the session's key is missing
  std::optional<Json> sealed{};             // token and rings as stored in the file; nullopt: not written yet
  std::optional<Failure> key_unreadable{};  // why the file of the session's key was not read; nullopt if it is missing

  // Whether API secrets can be opened, and whether the server accepts the token.
  [[nodiscard]] bool open() const { return !rings.empty(); }
  [[nodiscard]] bool has_token() const { return open() && !token.empty(); }
  // Still valid, but its secrets cannot be opened from here.
  [[nodiscard]] bool out_of_reach() const { return !open() && sealed.has_value(); }
  // By our clock, given how far the server's is ahead of it now: the server ends a session by its own clock.
  [[nodiscard]] TimestampMs ends_at_ms(std::int64_t ahead_now_ms) const {
    return expires_at_ms + server_ahead_ms - ahead_now_ms;
  }
  void drop_token() {
    token = Secret();
    sealed.reset();
  }
  void close() {
    rings.clear();
    drop_token();
  }
};

struct Sessions {
  std::vector<Session> all;
  std::optional<Address> current;
  bool ever_logged_in = false;  // so that no `current` means that the user logged out

  [[nodiscard]] const Session* find(const Address& account) const;
  [[nodiscard]] const Session* find_wallet(std::string_view wallet) const;
  [[nodiscard]] const Session* current_session() const { return current ? find(*current) : nullptr; }
  // Replaces the session of the account, and that of its wallet for another account: a signer outside may have several.
  // The new one is current.
  void enter(Session session);
};

// Removes what killed logins left behind.
Result<void> sweep_sessions(const Paths& paths, std::string_view network);

// Removes the secrets from the open sessions of that wallet, or of all wallets; returns how many sessions those were.
Result<std::int64_t> close_sessions(const Paths& paths, std::string_view network,
                                    const std::optional<std::string>& wallet, TimestampMs now_ms);

// Expired sessions are returned closed, and closed in the file as well if it can be written.
Result<Sessions> load_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms);

// Reads, closes expired sessions, applies `change` and writes under the file's lock. Returns the sessions as written.
Result<Sessions> change_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms,
                                 const std::function<void(Sessions&)>& change);

}  // namespace svc::cli
