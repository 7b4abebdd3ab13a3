#include "sim/services/api_key_store.h"

#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/limits.h"

namespace svc::sim {

std::optional<DrawnKey> key_drawn_before(SecretSource source) {
  const auto id = drawn_before(source, key_id_bytes);
  const auto secret = drawn_before(source, key_secret_bytes);
  if (!id || !secret) return std::nullopt;
  return DrawnKey{.id = std::string(key_id_prefix).append(id->reveal()), .secret = std::string(secret->reveal())};
}

std::optional<MintedKey> ApiKeyStore::create(Terms terms, const std::optional<DrawnKey>& drawn, TimestampMs now_ms) {
  const auto owned = by_account_.find(terms.account);
  if (owned != by_account_.end() && owned->second.size() >= limits::api_keys_per_account_max) return std::nullopt;

  DrawnKey key;
  if (drawn && !by_id_.contains(drawn->id)) {
    key = *drawn;
  } else {
    do {
      key.id = std::string(key_id_prefix).append(stream_.draw_hex(key_id_bytes, terms.account).reveal());
    } while (by_id_.contains(key.id));
    key.secret = drawn ? drawn->secret : stream_.draw_hex(key_secret_bytes, terms.account).reveal();
  }
  const bool inserted = insert({.id = key.id,
                                .account = terms.account,
                                .label = std::move(terms.label),
                                .ceiling_per_second = terms.ceiling_per_second,
                                .created_at_ms = now_ms,
                                .secret = key.secret,
                                .number = last_number_ + 1});
  SVC_ASSERT(inserted);
  return MintedKey{.id = std::move(key.id), .secret = Secret(std::move(key.secret))};
}

std::shared_ptr<const ApiKey> ApiKeyStore::find(std::string_view id) const {
  const auto key = by_id_.find(id);
  return key == by_id_.end() ? nullptr : key->second;
}

std::vector<std::shared_ptr<const ApiKey>> ApiKeyStore::of(const Address& account) const {
  const auto owned = by_account_.find(account);
  return owned == by_account_.end() ? std::vector<std::shared_ptr<const ApiKey>>{} : owned->second;
}

bool ApiKeyStore::remove(const Address& account, std::string_view id) {
  const auto key = by_id_.find(id);
  if (key == by_id_.end() || key->second->account != account) return false;
  std::erase(by_account_.at(account), key->second);
  by_id_.erase(key);
  return true;
}

bool ApiKeyStore::insert(const Row& row) {
  auto hmac = signing::HmacKey::from_hex(row.secret);
  const bool usual = is_name(row.id) && (!row.label || is_utf8(*row.label)) && row.number != 0 &&
                     row.number <= limits::counter_max && is_clock_time(row.created_at_ms);
  if (!hmac || !usual) return false;
  auto key = std::make_shared<const ApiKey>(ApiKey{.id = row.id,
                                                   .account = row.account,
                                                   .label = row.label,
                                                   .ceiling_per_second = row.ceiling_per_second,
                                                   .created_at_ms = row.created_at_ms,
                                                   .secret = Secret(row.secret),
                                                   .hmac = std::move(*hmac),
                                                   .number = row.number});
  if (!by_id_.emplace(row.id, key).second) return false;
  by_account_[row.account].push_back(std::move(key));
  last_number_ = std::max(last_number_, row.number);
  return true;
}

std::vector<ApiKeyStore::Row> ApiKeyStore::all_rows() const {
  std::vector<Row> rows;
  for (const auto& [account, owned] : by_account_)
    for (const auto& key : owned)
      rows.push_back({.id = key->id,
                      .account = account,
                      .label = key->label,
                      .ceiling_per_second = key->ceiling_per_second,
                      .created_at_ms = key->created_at_ms,
                      .secret = std::string(key->secret.reveal()),
                      .number = key->number});
  return rows;
}

bool ApiKeyStore::adopt(const std::vector<Row>& rows) {
  by_id_.clear();
  by_account_.clear();
  return last_number_ <= limits::counter_max && std::ranges::all_of(rows, [&](const Row& row) { return insert(row); });
}

}  // namespace svc::sim
