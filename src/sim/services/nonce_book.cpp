#include "sim/services/nonce_book.h"

#include <algorithm>

#include "base/archive.h"

namespace svc::sim {

bool NonceBook::is_fresh(const SpentNonce& spent) const {
  const auto known = highest(spent.sequence, spent.signer);
  return !known || spent.nonce > *known;
}

bool NonceBook::spend(const SpentNonces& spent) {
  const bool all_fresh = std::ranges::all_of(spent, [&](const SpentNonce& one) { return is_fresh(one); });
  for (const auto& [sequence, signer, nonce] : spent) {
    const auto [highest, first] = highest_.try_emplace({sequence, signer}, nonce);
    if (!first) highest->second = std::max(highest->second, nonce);
  }
  return all_fresh;
}

std::optional<std::uint64_t> NonceBook::highest(NonceSequence sequence, const Address& signer) const {
  const auto known = highest_.find({sequence, signer});
  return known == highest_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<KeyedRequest> IdempotencyKeys::find(const Address& account, std::string_view key,
                                                  TimestampMs now_ms) const {
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return std::nullopt;
  const auto found = own->second.find(key);
  return found == own->second.end() || !lives(found->second, now_ms) ? std::nullopt : std::optional(found->second);
}

bool IdempotencyKeys::is_full(const Address& account, TimestampMs now_ms) const {
  const auto own = by_account_.find(account);
  if (own == by_account_.end() || own->second.size() < keys_max_) return false;
  return std::ranges::all_of(own->second, [&](const auto& entry) { return lives(entry.second, now_ms); });
}

void IdempotencyKeys::put(const Address& account, std::string_view key, const KeyedRequest& request) {
  OfAccount& own = by_account_[account];
  std::erase_if(own, [&](const auto& entry) { return !lives(entry.second, request.first_used_ms); });
  own.insert_or_assign(std::string(key), request);
}

bool IdempotencyKeys::is_valid() const {
  return std::ranges::all_of(by_account_, [](const auto& own) {
    return std::ranges::all_of(own.second, [](const auto& entry) {
      return is_name(entry.first) && is_sum(entry.second.amount) && is_clock_time(entry.second.first_used_ms);
    });
  });
}

}  // namespace svc::sim
