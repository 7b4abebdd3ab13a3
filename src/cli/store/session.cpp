#include "cli/store/session.h"

#include <set>

#include "base/encoding.h"
#include "base/random.h"
#include "cli/machine/private_file.h"
#include "cli/store/kept_document.h"

namespace svc::cli {
namespace {

KeptDocument document_of(const Paths& paths, std::string_view network) {
  const std::filesystem::path file = paths.session(network);
  return {file, 1,
          failed("session_damaged", "the session file ", file.string(), " is damaged or of another version")
              .to_try({"rm " + file.string(), concat("svc -n ", network, " login --wallet NAME")})};
}

// Token and ring keys, one per line.
Secret secrets_text(const Session& session) {
  std::string text(session.token.reveal());
  for (const signing::SealKey& ring : session.rings) text += "\n" + to_hex(ring);
  return Secret(std::move(text));
}

void take_apart(std::string_view secrets, Session& session) {
  session.token = Secret(std::string(take_line(secrets)));
  while (!secrets.empty()) {
    const auto ring = from_hex_exact<32>(take_line(secrets));
    if (ring) session.rings.emplace_back(*ring);
  }
}

std::filesystem::path key_of(const Paths& paths, const Json& sealed) {
  // The id is part of a file name, and the session file may be damaged.
  const std::string id = sealed.text_at("id");
  const bool is_uuid = id.size() == 36 && id.find_first_not_of("0123456789abcdef-") == std::string::npos;
  return paths.session_key(is_uuid ? id : "none");
}

void unseal(const Paths& paths, Session& session) {
  const auto text = read_private(key_of(paths, *session.sealed));
  if (!text) session.key_unreadable = text.error();
  const auto key = from_hex_exact<32>(text && *text ? std::string_view(**text).substr(0, 64) : std::string_view());
  if (!key) return;
  const auto secrets = signing::open(session.sealed->dump(), signing::SealKey(*key));
  if (secrets) take_apart(secrets->reveal(), session);
}

// The second line of a key file names its session file, because all networks' keys are in that folder.
std::string owner_line(const Paths& paths, std::string_view network) {
  return paths.session(network).string() + "\n";
}

Result<void> seal(const Paths& paths, std::string_view network, Session& session) {
  signing::SealKey key;
  fill_random(key);
  const Secret secrets = secrets_text(session);
  Json box = *parse_json(signing::seal(as_bytes(secrets.reveal()), key, signing::fresh_seal_entropy()));
  const Secret text(to_hex(key) + "\n" + owner_line(paths, network));
  SVC_TRY(write_private(key_of(paths, box), text.reveal()));
  session.sealed = std::move(box);
  return {};
}

std::optional<Session> read_session(const Paths& paths, const Json& document) {
  const auto account = document.address_at("account");
  const auto wallet = document.string_at("wallet");
  const auto expires = document.integer_at("expires_at_ms");
  if (!account || !wallet || !expires) return std::nullopt;
  Session session{.account = *account,
                  .wallet = std::string(*wallet),
                  .expires_at_ms = *expires,
                  .server_ahead_ms = document.integer_at("server_ahead_ms").value_or(0)};
  session.keys_stay = document.truth_at("keys_stay");
  session.locked = document.truth_at("locked");
  if (const Json* sealed = document.find("sealed")) {
    session.sealed = *sealed;
    unseal(paths, session);
  }
  return session;
}

struct Read {
  Sessions sessions;
  bool stale = false;  // the file has secrets that have expired
};

Result<Read> read_sessions(const Paths& paths, const KeptDocument& file, const Json& document, TimestampMs now_ms) {
  Read read;
  const Json* list = document.find("sessions");
  if (list == nullptr) return unexpected(file.damaged());
  for (const Json& one : list->items()) {
    auto session = read_session(paths, one);
    if (!session) return unexpected(file.damaged());
    const bool expired = session->expires_at_ms <= now_ms;
    const bool keeps_keys = session->keys_stay && session->open();
    const bool over = expired && (keeps_keys ? session->has_token() : session->open() || session->sealed.has_value());
    read.stale = read.stale || over;
    if (over) keeps_keys ? session->drop_token() : session->close();
    read.sessions.all.push_back(std::move(*session));
  }
  read.sessions.current = document.address_at("current");
  read.sessions.ever_logged_in = true;
  return read;
}

Result<Read> read_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms) {
  constexpr int reads_max = 5;
  const KeptDocument file = document_of(paths, network);
  std::optional<std::string> before;
  for (int count = 0;; ++count) {
    const auto document = SVC_TRY(file.read());
    if (!document) return Read{};
    auto read = SVC_TRY(read_sessions(paths, file, *document, now_ms));
    // A concurrent process that replaced a session after our read has removed its key.
    const bool whole = std::ranges::none_of(read.sessions.all, &Session::out_of_reach);
    if (whole || count == reads_max) return read;
    std::string text = document->dump();
    if (before == text) return read;
    before = std::move(text);
  }
}

Result<void> write_sessions(const Paths& paths, std::string_view network, Sessions& sessions) {
  Json list = Json::array();
  for (Session& one : sessions.all) {
    if (one.open() && !one.sealed) SVC_TRY(seal(paths, network, one));
    Json entry = Json::object(
        {{"account", to_string(one.account)}, {"wallet", one.wallet}, {"expires_at_ms", one.expires_at_ms}});
    entry.set("server_ahead_ms", one.server_ahead_ms);
    if (one.keys_stay) entry.set("keys_stay", true);
    if (one.locked) entry.set("locked", true);
    if (one.sealed) entry.set("sealed", *one.sealed);
    list.push(std::move(entry));
  }
  Json members = Json::object({{"network", network}});
  members.set("current", sessions.current);
  members.set("sessions", std::move(list));
  return document_of(paths, network).write(members);
}

// The key files of the sessions in such a document.
Result<std::set<std::filesystem::path>> keys_in(const Paths& paths, const std::filesystem::path& file) {
  std::set<std::filesystem::path> keys;
  const auto text = SVC_TRY(read_private(file));
  const Json document = json_or_null(text.value_or(""));
  for (const Json& one : document.items_at("sessions")) {
    if (const Json* sealed = one.find("sealed")) keys.insert(key_of(paths, *sealed));
  }
  return keys;
}

// All key files of this network's sessions, including those whose writer was killed in between.
std::set<std::filesystem::path> keys_made_for(const Paths& paths, std::string_view network) {
  std::set<std::filesystem::path> keys;
  const std::filesystem::path folder = paths.session_key("none").parent_path();
  for (const std::string& name : list_private(folder)) {
    const auto text = read_private(folder / name);
    const std::size_t line = text && *text ? (*text)->find('\n') : std::string::npos;
    if (line != std::string::npos && (*text)->substr(line + 1) == owner_line(paths, network))
      keys.insert(folder / name);
  }
  return keys;
}

// To be called under the file's lock. A key is removed after the last file that names it.
Result<void> remove_leftovers(const Paths& paths, std::string_view network, std::set<std::filesystem::path> keys) {
  SVC_TRY(sweep_leftovers(paths.keys(network)));
  const std::filesystem::path file = paths.session(network);
  for (const std::filesystem::path& left : leftovers_of(file)) {
    keys.merge(SVC_TRY(keys_in(paths, left)));
    SVC_TRY(remove_private(left));
  }
  keys.merge(keys_made_for(paths, network));
  for (const std::filesystem::path& key : SVC_TRY(keys_in(paths, file))) keys.erase(key);
  for (const std::filesystem::path& key : keys) SVC_TRY(remove_private(key));
  return {};
}

// A logout holds even if the session file cannot be written, on a full disk: without its key nothing opens a session.
void remove_keys_of_ended(const Paths& paths, const Sessions& before, const Sessions& after, Failure& failure) {
  std::size_t removed = 0;
  for (const Session& one : before.all) {
    const Session* now = after.find(one.account);
    const bool goes_on = now != nullptr && now->open();
    if (!one.sealed || goes_on) continue;
    const auto gone = remove_private(key_of(paths, *one.sealed));
    if (gone && *gone) ++removed;
  }
  if (removed > 0)
    failure.message += concat("; removed all the same: the keys that open the ended sessions, ", removed);
}

Result<Sessions> change_locked_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms,
                                        const std::function<void(Sessions&)>& change) {
  auto read = SVC_TRY(read_sessions(paths, network, now_ms));
  auto before = SVC_TRY(keys_in(paths, paths.session(network)));
  const Sessions held = read.sessions;
  change(read.sessions);
  if (auto written = write_sessions(paths, network, read.sessions); !written) {
    remove_keys_of_ended(paths, held, read.sessions, written.error());
    return unexpected(std::move(written.error()));
  }
  SVC_TRY(remove_leftovers(paths, network, std::move(before)));
  return std::move(read.sessions);
}

}  // namespace

const Session* Sessions::find(const Address& account) const {
  return found_in(all, account, &Session::account);
}

const Session* Sessions::find_wallet(std::string_view wallet) const {
  return found_in(all, wallet, &Session::wallet);
}

void Sessions::enter(Session session) {
  current = session.account;
  std::erase_if(all,
                [&](const Session& one) { return one.account == session.account || one.wallet == session.wallet; });
  all.push_back(std::move(session));
}

Result<Sessions> load_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms) {
  auto read = SVC_TRY(read_sessions(paths, network, now_ms));
  if (read.stale) {
    // A full disk or a hanging process is no reason not to use what was read.
    const auto lock = document_of(paths, network).try_lock();
    if (lock && *lock)
      if (auto changed = change_locked_sessions(paths, network, now_ms, [](Sessions&) {})) return changed;
  }
  return std::move(read.sessions);
}

Result<Sessions> change_sessions(const Paths& paths, std::string_view network, TimestampMs now_ms,
                                 const std::function<void(Sessions&)>& change) {
  auto lock = document_of(paths, network).lock();
  if (lock) return change_locked_sessions(paths, network, now_ms, change);
  // The disk takes no file of a lock. Keys in the runtime folder can be removed all the same.
  if (auto read = read_sessions(paths, network, now_ms)) {
    const Sessions held = read->sessions;
    change(read->sessions);
    remove_keys_of_ended(paths, held, read->sessions, lock.error());
  }
  return unexpected(std::move(lock.error()));
}

Result<void> sweep_sessions(const Paths& paths, std::string_view network) {
  SVC_TRY(sweep_leftovers(paths.keys(network)));
  auto keys = keys_made_for(paths, network);
  for (const std::filesystem::path& key : SVC_TRY(keys_in(paths, paths.session(network)))) keys.erase(key);
  if (keys.empty() && leftovers_of(paths.session(network)).empty()) return {};
  const auto lock = SVC_TRY(document_of(paths, network).lock());
  return remove_leftovers(paths, network, {});
}

Result<std::int64_t> close_sessions(const Paths& paths, std::string_view network,
                                    const std::optional<std::string>& wallet, TimestampMs now_ms) {
  const auto closes = [&](const Session& one) {
    return (one.open() || one.out_of_reach()) && (!wallet || one.wallet == *wallet);
  };
  SVC_TRY(sweep_sessions(paths, network));
  const auto held = SVC_TRY(load_sessions(paths, network, now_ms));
  std::int64_t closed = 0;
  if (std::ranges::none_of(held.all, closes)) return closed;
  SVC_TRY(change_sessions(paths, network, now_ms, [&](Sessions& sessions) {
    for (Session& session : sessions.all) {
      if (!closes(session)) continue;
      session.close();
      session.expires_at_ms = now_ms;
      session.locked = true;
      ++closed;
    }
  }));
  return closed;
}

}  // namespace svc::cli
