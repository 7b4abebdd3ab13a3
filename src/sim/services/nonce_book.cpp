#include "sim/services/nonce_book.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/archive.h"

namespace svc::sim {

bool NonceBook::spend(const Address& signer, std::initializer_list<std::uint64_t> nonces, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const auto known = highest_.find(signer);
  bool all_fresh = true;
  for (const std::uint64_t nonce : nonces) all_fresh = all_fresh && (known == highest_.end() || nonce > known->second);
  const std::uint64_t largest = std::max(nonces);
  if (known != highest_.end() && known->second >= largest) return all_fresh;
  highest_.insert_or_assign(signer, largest);
  records.push_back({table_, to_archive(signer), to_archive(largest)});
  return all_fresh;
}

bool NonceBook::restore(const RecordChange& change) {
  if (change.table != table_) return true;
  if (!change.value) return false;  // never removed
  const auto signer = from_archive<Address>(change.key);
  const auto highest = from_archive<std::uint64_t>(*change.value);
  if (!signer || !highest) return false;
  const std::lock_guard lock(mutex_);
  highest_.insert_or_assign(*signer, *highest);
  return true;
}

std::optional<std::uint64_t> NonceBook::highest(const Address& signer) const {
  const std::lock_guard lock(mutex_);
  const auto known = highest_.find(signer);
  if (known == highest_.end()) return std::nullopt;
  return known->second;
}

namespace {

bool lives(const KeyedRequest& request, TimestampMs now_ms) {
  return now_ms < request.first_used_ms + limits::idempotency_key_lifetime_ms;
}

std::string row_key(const Address& account, std::string_view key) {
  return to_archive(std::pair(account, std::string(key)));
}

}  // namespace

std::optional<KeyedRequest> IdempotencyKeys::find(const Address& account, std::string_view key,
                                                  TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return std::nullopt;
  const auto found = own->second.find(key);
  return found == own->second.end() || !lives(found->second, now_ms) ? std::nullopt : std::optional(found->second);
}

bool IdempotencyKeys::is_full(const Address& account, TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto own = by_account_.find(account);
  if (own == by_account_.end() || own->second.size() < keys_max_) return false;
  return std::ranges::all_of(own->second, [&](const auto& entry) { return lives(entry.second, now_ms); });
}

bool IdempotencyKeys::stand_for(const ChainMovements& withdrawals, TimestampMs now_ms) const {
  std::vector<std::uint64_t> named;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [account, own] : by_account_)
      for (const auto& [key, request] : own)
        if (lives(request, now_ms)) named.push_back(request.withdrawal);
  }
  return std::ranges::all_of(named, [&](std::uint64_t number) { return withdrawals.find(number).has_value(); });
}

RecordChange IdempotencyKeys::row(const Address& account, std::string_view key, const KeyedRequest& request) {
  return {.table = RecordTable::idempotency_keys, .key = row_key(account, key), .value = to_archive(request)};
}

void IdempotencyKeys::put(const Address& account, std::string_view key, const KeyedRequest& request,
                          RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  OfAccount& own = by_account_[account];
  own.insert_or_assign(std::string(key), request);
  for (auto entry = own.begin(); entry != own.end();) {
    if (lives(entry->second, request.first_used_ms)) {
      ++entry;
      continue;
    }
    records.push_back(
        {.table = RecordTable::idempotency_keys, .key = row_key(account, entry->first), .value = std::nullopt});
    entry = own.erase(entry);
  }
}

bool IdempotencyKeys::restore(const RecordChange& change) {
  if (change.table != RecordTable::idempotency_keys) return true;
  const auto key = from_archive<std::pair<Address, std::string>>(change.key);
  if (!key) return false;
  const std::lock_guard lock(mutex_);
  if (!change.value) {
    by_account_[key->first].erase(key->second);
    return true;
  }
  const auto request = from_archive<KeyedRequest>(*change.value);
  if (!request || !is_sum(request->amount) || !is_clock_time(request->first_used_ms)) return false;
  by_account_[key->first].insert_or_assign(key->second, *request);
  return true;
}

}  // namespace svc::sim
