#include "sim/services/session_store.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/archive.h"
#include "base/encoding.h"
#include "base/limits.h"

namespace svc::sim {

signing::Hash32 token_hash(std::string_view token) {
  return signing::sha256(token);
}

std::optional<signing::Hash32> token_hash(const std::optional<Secret>& token) {
  return token ? std::optional(token_hash(token->reveal())) : std::nullopt;
}

Secret SessionStore::open(const Address& account, const std::optional<signing::Hash32>& drawn, TimestampMs now_ms) {
  while (!by_number_.empty() && sessions_.at(by_number_.begin()->second).ends_at_ms <= now_ms) drop_oldest();
  while (sessions_.size() >= limits::sessions_max) drop_oldest();
  Secret token = drawn ? Secret() : tokens_.draw_hex(session_token_bytes, account);
  const signing::Hash32 hash = drawn ? *drawn : token_hash(token.reveal());
  const Session session{.account = account,
                        .ends_at_ms = now_ms + limits::session_lifetime_ms,
                        .number = by_number_.empty() ? 1 : by_number_.rbegin()->first + 1};
  // Nobody draws a hash twice; if it happens all the same, the session that has it stays.
  if (sessions_.emplace(hash, session).second) by_number_.emplace(session.number, hash);
  return token;
}

std::optional<Address> SessionStore::find(std::string_view token, TimestampMs now_ms) const {
  const auto session = sessions_.find(token_hash(token));
  if (session == sessions_.end() || session->second.ends_at_ms <= now_ms) return std::nullopt;
  return session->second.account;
}

std::optional<TimestampMs> SessionStore::next_end_ms(TimestampMs now_ms) const {
  for (const auto& [number, hash] : by_number_)
    if (const TimestampMs ends_at_ms = sessions_.at(hash).ends_at_ms; ends_at_ms > now_ms) return ends_at_ms;
  return std::nullopt;
}

bool SessionStore::is_valid(const Session& session) {
  return session.number != 0 && session.number <= limits::counter_max && is_clock_time(session.ends_at_ms);
}

void SessionStore::drop_oldest() {
  const auto oldest = by_number_.begin();
  sessions_.erase(oldest->second);
  by_number_.erase(oldest);
}

Secret StreamTokenStore::mint(const StreamGrant& grant, const std::optional<signing::Hash32>& drawn,
                              TimestampMs now_ms) {
  while (!oldest_first_.empty()) {
    const auto oldest = entries_.find(oldest_first_.front());
    if (oldest != entries_.end() && now_ms < oldest->second.ends_at_ms) break;
    drop_oldest();
  }
  while (oldest_first_.size() >= limits::stream_tokens_max) drop_oldest();

  ++minted_;
  Secret token;
  if (!drawn) {
    const std::string particulars = std::string(seed_.reveal()) + ' ' + to_string(grant.account) + ' ' +
                                    std::to_string(now_ms) + ' ' + std::to_string(minted_);
    const signing::Hash32 digest = signing::sha256(particulars);
    token = Secret(to_hex(std::span(digest).first(stream_token_bytes)));
  }
  const signing::Hash32 hash = drawn ? *drawn : token_hash(token.reveal());
  const Entry entry{.grant = grant, .ends_at_ms = now_ms + limits::stream_token_lifetime_ms};
  if (entries_.emplace(hash, entry).second) oldest_first_.push_back(hash);
  return token;
}

std::optional<StreamGrant> StreamTokenStore::redeem(const signing::Hash32& token, TimestampMs now_ms) {
  const auto found = entries_.find(token);
  if (found == entries_.end() || found->second.ends_at_ms <= now_ms) return std::nullopt;
  const StreamGrant grant = found->second.grant;
  entries_.erase(found);
  return grant;
}

bool StreamTokenStore::is_valid() const {
  const bool times =
      std::ranges::all_of(entries_, [](const auto& entry) { return is_clock_time(entry.second.ends_at_ms); });
  // Every token gets one turn to be dropped.
  const std::set<signing::Hash32> turns(oldest_first_.begin(), oldest_first_.end());
  const bool listed = std::ranges::all_of(entries_, [&](const auto& entry) { return turns.contains(entry.first); });
  return times && minted_ <= limits::counter_max && oldest_first_.size() <= limits::stream_tokens_max &&
         turns.size() == oldest_first_.size() && listed;
}

void StreamTokenStore::drop_oldest() {
  entries_.erase(oldest_first_.front());
  oldest_first_.pop_front();
}

}  // namespace svc::sim
