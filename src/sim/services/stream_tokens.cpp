#include "sim/services/stream_tokens.h"

#include <span>
#include <string>

#include "base/hex.h"
#include "base/limits.h"
#include "sim/services/credential_text.h"

namespace svc::sim {

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
