#include "cli/secrets/session.h"

#include <algorithm>

#include "base/hex.h"
#include "cli/files/private_file.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

constexpr std::int64_t session_file_version = 1;

Failure damaged(const Paths& paths, std::string_view network) {
  const std::string file = paths.session(network).string();
  return {.exit = ExitCode::authentication,
          .code = "session_damaged",
          .message = "the session file " + file + " is damaged or of another version",
          .actions = {"rm " + file, "svc -n " + std::string(network) + " login --wallet NAME"}};
}

std::optional<Session> read_session(const Json& document) {
  const auto account = parse_address(document.string_at("account").value_or(""));
  const auto wallet = document.string_at("wallet");
  const auto expires = document.integer_at("expires_at_ms");
  if (!account || !wallet || !expires) return std::nullopt;
  Session session{.account = *account,
                  .wallet = std::string(*wallet),
                  .expires_at_ms = *expires,
                  .server_ahead_ms = document.integer_at("server_ahead_ms").value_or(0),
                  .token = {}};
  const auto ring = from_hex_exact<32>(document.string_at("ring").value_or(""));
  if (ring) {
    session.ring = *ring;
    session.token = Secret(std::string(document.string_at("token").value_or("")));
  }
  return session;
}

struct Read {
  Sessions sessions;
  bool expired = false;  // some were open in the file and are closed here
};

Result<Read, Failure> read_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms) {
  const auto text = read_private(paths.session(network));
  if (!text) return unexpected(text.error());
  Read read;
  if (!*text) return read;
  const auto document = parse_json(**text);
  const Json* list = document ? document->find("sessions") : nullptr;
  if (list == nullptr || document->integer_at("version") != session_file_version) {
    return unexpected(damaged(paths, network));
  }
  for (const Json& one : list->items()) {
    auto session = read_session(one);
    if (!session) return unexpected(damaged(paths, network));
    if (session->open() && session->expires_at_ms <= now_ms) {
      session->close();
      read.expired = true;
    }
    read.sessions.all.push_back(std::move(*session));
  }
  read.sessions.current = parse_address(document->string_at("current").value_or(""));
  return read;
}

Result<void, Failure> write_sessions(const Paths& paths, std::string_view network, const Sessions& sessions) {
  Json list = Json::array();
  for (const Session& one : sessions.all) {
    Json entry = Json::object(
        {{"account", to_string(one.account)}, {"wallet", one.wallet}, {"expires_at_ms", one.expires_at_ms}});
    entry.set("server_ahead_ms", one.server_ahead_ms);
    if (one.open()) {
      entry.set("token", one.token.reveal());
      entry.set("ring", to_hex(*one.ring));
    }
    list.push(std::move(entry));
  }
  Json document = Json::object({{"version", session_file_version}, {"network", network}});
  document.set("current", sessions.current ? Json(to_string(*sessions.current)) : Json());
  document.set("sessions", std::move(list));
  return write_private(paths.session(network), document.dump() + "\n");
}

}  // namespace

const Session* Sessions::find(const Address& account) const {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Session& one) { return one.account == account; });
  return found == all.end() ? nullptr : &*found;
}

const Session* Sessions::find_wallet(std::string_view wallet) const {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Session& one) { return one.wallet == wallet; });
  return found == all.end() ? nullptr : &*found;
}

void Sessions::enter(Session session) {
  current = session.account;
  std::erase_if(all, [&](const Session& one) { return one.account == session.account; });
  all.push_back(std::move(session));
}

Result<Sessions, Failure> load_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms) {
  auto read = read_sessions(paths, network, now_ms);
  if (!read) return unexpected(read.error());
  if (read->expired) return change_sessions(paths, network, now_ms, [](Sessions&) {});
  return std::move(read->sessions);
}

Result<Sessions, Failure> change_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms,
                                          const std::function<void(Sessions&)>& change) {
  const auto lock = FileLock::take(paths.session(network).string() + ".lock");
  if (!lock) return unexpected(lock.error());
  auto read = read_sessions(paths, network, now_ms);
  if (!read) return unexpected(read.error());
  change(read->sessions);
  if (const auto written = write_sessions(paths, network, read->sessions); !written) {
    return unexpected(written.error());
  }
  return std::move(read->sessions);
}

Result<std::int64_t, Failure> close_sessions(const Paths& paths, std::string_view network,
                                             const std::optional<std::string>& wallet, TimestampMs now_ms) {
  const auto closes = [&](const Session& one) { return one.open() && (!wallet || one.wallet == *wallet); };
  const auto held = load_sessions(paths, network, now_ms);
  if (!held) return unexpected(held.error());
  std::int64_t closed = 0;
  if (std::none_of(held->all.begin(), held->all.end(), closes)) return closed;
  const auto changed = change_sessions(paths, network, now_ms, [&](Sessions& sessions) {
    for (Session& session : sessions.all) {
      if (!closes(session)) continue;
      session.close();
      session.expires_at_ms = now_ms;
      ++closed;
    }
  });
  if (!changed) return unexpected(changed.error());
  return closed;
}

}  // namespace svc::cli
