#include "sim/services/session_store.h"

#include <utility>

#include "base/limits.h"
#include "sim/services/credential_text.h"

namespace svc::sim {

Secret SessionStore::open(const Address& account, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  while (!oldest_first_.empty() && sessions_.at(oldest_first_.front()).ends_at_ms <= now_ms) drop_oldest();
  while (sessions_.size() >= limits::sessions_max) drop_oldest();
  Secret token = draw_hex(tokens_, session_token_bytes);
  const signing::Hash32 hash = signing::sha256(token.reveal());
  sessions_.emplace(hash, Session{.account = account, .ends_at_ms = now_ms + limits::session_lifetime_ms});
  oldest_first_.push_back(hash);
  return token;
}

std::optional<Address> SessionStore::find(std::string_view token, TimestampMs now_ms) const {
  const signing::Hash32 hash = signing::sha256(token);
  const std::lock_guard lock(mutex_);
  const auto session = sessions_.find(hash);
  if (session == sessions_.end() || session->second.ends_at_ms <= now_ms) return std::nullopt;
  return session->second.account;
}

std::size_t SessionStore::size() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

void SessionStore::drop_oldest() {
  sessions_.erase(oldest_first_.front());
  oldest_first_.pop_front();
}

}  // namespace svc::sim
