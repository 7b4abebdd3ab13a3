#include "sim/services/session_store.h"

#include <span>

#include "base/archive.h"
#include "base/encoding.h"
#include "base/limits.h"

namespace svc::sim {

Secret SessionStore::open(const Address& account, TimestampMs now_ms, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  while (!by_number_.empty() && sessions_.at(by_number_.begin()->second).ends_at_ms <= now_ms) drop_oldest(records);
  while (sessions_.size() >= limits::sessions_max) drop_oldest(records);
  Secret token = tokens_.draw_hex(session_token_bytes);
  const signing::Hash32 hash = signing::sha256(token.reveal());
  const Session session{.account = account,
                        .ends_at_ms = now_ms + limits::session_lifetime_ms,
                        .number = by_number_.empty() ? 1 : by_number_.rbegin()->first + 1};
  sessions_.emplace(hash, session);
  by_number_.emplace(session.number, hash);
  records.push_back({RecordTable::sessions, to_archive(hash), to_archive(session)});
  records.push_back({RecordTable::session_stream, {}, to_archive(tokens_)});
  return token;
}

std::optional<Address> SessionStore::find(std::string_view token, TimestampMs now_ms) const {
  const signing::Hash32 hash = signing::sha256(token);
  const std::lock_guard lock(mutex_);
  const auto session = sessions_.find(hash);
  if (session == sessions_.end() || session->second.ends_at_ms <= now_ms) return std::nullopt;
  return session->second.account;
}

std::optional<TimestampMs> SessionStore::next_end_ms(TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, hash] : by_number_)
    if (const TimestampMs ends_at_ms = sessions_.at(hash).ends_at_ms; ends_at_ms > now_ms) return ends_at_ms;
  return std::nullopt;
}

std::size_t SessionStore::size() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

void SessionStore::drop_oldest(RecordBatch& records) {
  const auto oldest = by_number_.begin();
  records.push_back({RecordTable::sessions, to_archive(oldest->second), std::nullopt});
  sessions_.erase(oldest->second);
  by_number_.erase(oldest);
}

bool SessionStore::restore(const RecordChange& change) {
  const std::lock_guard lock(mutex_);
  if (change.table == RecordTable::session_stream) {
    if (!change.value) return false;
    ArchiveReader reader(*change.value);
    reader(tokens_);
    return reader.done();
  }
  if (change.table != RecordTable::sessions) return true;
  const auto hash = from_archive<signing::Hash32>(change.key);
  if (!hash) return false;
  if (const auto known = sessions_.find(*hash); known != sessions_.end()) {
    by_number_.erase(known->second.number);
    sessions_.erase(known);
  }
  if (!change.value) return true;
  const auto session = from_archive<Session>(*change.value);
  if (!session || session->number == 0 || session->number > limits::counter_max ||
      !is_clock_time(session->ends_at_ms) || !by_number_.emplace(session->number, *hash).second)
    return false;
  sessions_.emplace(*hash, *session);
  return true;
}

StreamTokenStore::StreamTokenStore(SecretStream secret) : seed_(secret.draw_hex(session_token_bytes)) {}

Secret StreamTokenStore::mint(const StreamGrant& grant, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  while (!oldest_first_.empty()) {
    const auto oldest = entries_.find(oldest_first_.front());
    if (oldest != entries_.end() && now_ms < oldest->second.ends_at_ms) break;
    drop_oldest();
  }
  while (oldest_first_.size() >= limits::stream_tokens_max) drop_oldest();

  const std::string particulars = std::string(seed_.reveal()) + ' ' + to_string(grant.account) + ' ' +
                                  std::to_string(now_ms) + ' ' + std::to_string(++minted_);
  const signing::Hash32 drawn = signing::sha256(particulars);
  Secret token(to_hex(std::span(drawn).first(stream_token_bytes)));
  const signing::Hash32 hash = signing::sha256(token.reveal());
  entries_.insert_or_assign(hash, Entry{.grant = grant, .ends_at_ms = now_ms + limits::stream_token_lifetime_ms});
  oldest_first_.push_back(hash);
  return token;
}

std::optional<StreamGrant> StreamTokenStore::redeem(std::string_view token, TimestampMs now_ms) {
  const signing::Hash32 hash = signing::sha256(token);
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(hash);
  if (found == entries_.end()) return std::nullopt;
  const Entry entry = found->second;
  entries_.erase(found);
  if (entry.ends_at_ms <= now_ms) return std::nullopt;
  return entry.grant;
}

std::size_t StreamTokenStore::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void StreamTokenStore::drop_oldest() {
  entries_.erase(oldest_first_.front());
  oldest_first_.pop_front();
}

}  // namespace svc::sim
