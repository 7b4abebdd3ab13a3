#include "sim/services/api_key_store.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "sim/services/credential_text.h"

namespace svc::sim {

ApiKeyStore::ApiKeyStore(Prng ids_and_secrets) : stream_(ids_and_secrets) {}

Result<MintedKey, KeyRefusal> ApiKeyStore::create(const Address& account, std::optional<std::string> label,
                                                  std::uint32_t ceiling_per_second, TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  auto& owned = by_account_[account];
  if (owned.size() >= limits::api_keys_per_account_max) return unexpected(KeyRefusal::too_many);

  MintedKey minted;
  do {
    minted.id = std::string(key_id_prefix).append(draw_hex(stream_, key_id_bytes).reveal());
  } while (by_id_.contains(minted.id));
  minted.secret = draw_hex(stream_, key_secret_bytes);
  auto hmac = signing::HmacKey::from_hex(minted.secret.reveal());
  SVC_ASSERT(hmac);

  auto key = std::make_shared<const ApiKey>(ApiKey{.id = minted.id,
                                                   .account = account,
                                                   .label = std::move(label),
                                                   .ceiling_per_second = ceiling_per_second,
                                                   .created_at_ms = now_ms,
                                                   .hmac = std::move(*hmac)});
  owned.push_back(key);
  by_id_.emplace(minted.id, std::move(key));
  return minted;
}

std::shared_ptr<const ApiKey> ApiKeyStore::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto key = by_id_.find(id);
  return key == by_id_.end() ? nullptr : key->second;
}

std::vector<std::shared_ptr<const ApiKey>> ApiKeyStore::of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto owned = by_account_.find(account);
  return owned == by_account_.end() ? std::vector<std::shared_ptr<const ApiKey>>{} : owned->second;
}

bool ApiKeyStore::remove(const Address& account, std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto key = by_id_.find(id);
  if (key == by_id_.end() || key->second->account != account) return false;
  std::erase(by_account_.at(account), key->second);
  by_id_.erase(key);
  return true;
}

}  // namespace svc::sim
