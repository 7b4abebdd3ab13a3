#include "sim/services/session_store.h"

#include <algorithm>
#include <string>

#include "base/archive.h"
#include "base/limits.h"
#include "base/row_check.h"
#include "base/state_limits.h"
#include "sim/services/credential_text.h"

namespace svc::sim {
namespace {

std::string key_of(const signing::Hash32& hash) {
  return {hash.begin(), hash.end()};
}

}  // namespace

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
  records.push_back({RecordTable::sessions, key_of(hash), to_archive(session)});
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
  records.push_back({RecordTable::sessions, key_of(oldest->second), std::nullopt});
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
  signing::Hash32 hash{};
  if (change.key.size() != hash.size()) return false;
  std::copy(change.key.begin(), change.key.end(), hash.begin());
  if (const auto known = sessions_.find(hash); known != sessions_.end()) {
    by_number_.erase(known->second.number);
    sessions_.erase(known);
  }
  if (!change.value) return true;
  const auto session = from_archive<Session>(*change.value);
  if (!session || session->number == 0 || session->number > limits::counter_max ||
      !is_clock_time(session->ends_at_ms) || !by_number_.emplace(session->number, hash).second)
    return false;
  sessions_.emplace(hash, *session);
  return true;
}

}  // namespace svc::sim
