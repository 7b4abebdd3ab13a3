// An open login: the session token and the ring keys that open the account's API secrets.
//
// One file per network, mode 0600. Several accounts may be logged in at once; the last one to log in
// is the current one. When a session expires its token is taken out of the file, and the ring keys
// as well unless they are to stay; who it was stays, so that messages can say which wallet to log in again.
//
// The secrets are sealed under a random key of that session, which lies in the runtime folder and goes with the
// session: neither a copy of the disk opens them, nor, once the session is closed, anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"
#include "signing/keystore.h"

namespace svc::cli {

inline constexpr std::string_view session_damaged_code = "session_damaged";

struct Session {
  Address account;
  std::string wallet;
  TimestampMs expires_at_ms = 0;
  std::int64_t server_ahead_ms = 0;       // of our clock, when it was opened
  bool locked = false;                    // `keystore lock` ended it early
  bool is_substitute = false;             // for one that is not there: the wallet's password opens its API keys
  bool keys_stay = false;                 // the ring keys outlast the token, until somebody logs out (D-301)
  Secret token{};                         // empty once expired
  std::vector<signing::SealKey> rings{};  // newest first; empty once expired, or where its key is not to be had
  std::optional<Json> sealed{};           // the two above as they lie in the file; nullopt: not written yet

  // API secrets can be opened; and the server takes the token.
  [[nodiscard]] bool open() const { return !rings.empty(); }
  [[nodiscard]] bool has_token() const { return open() && !token.empty(); }
  // It lasts, and cannot be opened from here.
  [[nodiscard]] bool out_of_reach() const { return !open() && sealed.has_value(); }
  // By our clock, if the server's is that far ahead of it now: the server ends a session by its own.
  [[nodiscard]] TimestampMs ends_at_ms(std::int64_t ahead_now_ms) const {
    return expires_at_ms + server_ahead_ms - ahead_now_ms;
  }
  void drop_token() {
    token = Secret();
    sealed.reset();
  }
  void close() {
    rings.clear();
    token = Secret();
    sealed.reset();
  }
};

struct Sessions {
  std::vector<Session> all;
  std::optional<Address> current;
  bool ever_logged_in = false;  // logged in here once: where nobody is selected now that was somebody's wish

  [[nodiscard]] const Session* find(const Address& account) const;
  [[nodiscard]] const Session* find_wallet(std::string_view wallet) const;
  [[nodiscard]] const Session* current_session() const { return current ? find(*current) : nullptr; }
  // Replaces the session of that account and makes it the current one.
  void enter(Session session);
};

// Removes what logins that were killed left behind.
[[nodiscard]] Result<void, Failure> sweep_sessions(const Paths& paths, std::string_view network);

// Takes the secrets out of the open sessions of that wallet, or of all; returns how many those were.
[[nodiscard]] Result<std::int64_t, Failure> close_sessions(const Paths& paths, std::string_view network,
                                                           const std::optional<std::string>& wallet,
                                                           TimestampMs now_ms);

// Expired sessions come back closed, and are closed in the file as well, if it can be written.
[[nodiscard]] Result<Sessions, Failure> load_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms);

// Reads the sessions, expired ones closed, has them changed, and writes them again, under the file's lock: of several
// logins at once none is lost. Returns them as they were written.
[[nodiscard]] Result<Sessions, Failure> change_sessions(const Paths& paths, std::string_view network,
                                                        TimestampMs now_ms,
                                                        const std::function<void(Sessions&)>& change);

}  // namespace svc::cli
