#include "sim/services/api_key_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/archive.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "signing/keystore.h"

namespace svc::sim {
namespace {

// Stored in this form (base/archive.h), under the key's id.
struct KeyRow {
  Address account{};
  std::optional<std::string> label{};
  std::uint32_t ceiling_per_second = 0;
  TimestampMs created_at_ms = 0;
  std::string secret{};  // hex
  std::uint64_t number = 0;
  std::optional<std::string> network{};  // absent: minted before networks were stored
};

// nullptr if its secret is not that of a key.
std::shared_ptr<const ApiKey> key_in(const std::string& id, const KeyRow& row) {
  auto hmac = signing::HmacKey::from_hex(row.secret);
  if (!hmac) return nullptr;
  return std::make_shared<const ApiKey>(ApiKey{.id = id,
                                               .account = row.account,
                                               .label = row.label,
                                               .ceiling_per_second = row.ceiling_per_second,
                                               .created_at_ms = row.created_at_ms,
                                               .hmac = std::move(*hmac),
                                               .number = row.number});
}

}  // namespace

ApiKeyStore::ApiKeyStore(SecretStream ids_and_secrets, api::NetworkId network)
    : network_(network), stream_(ids_and_secrets) {}

std::optional<MintedKey> ApiKeyStore::create(const Address& account, std::optional<std::string> label,
                                             std::uint32_t ceiling_per_second, TimestampMs now_ms,
                                             RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  if (by_account_[account].size() >= limits::api_keys_per_account_max) return std::nullopt;

  MintedKey minted;
  do {
    minted.id = std::string(key_id_prefix).append(stream_.draw_hex(key_id_bytes).reveal());
  } while (by_id_.contains(minted.id));
  minted.secret = stream_.draw_hex(key_secret_bytes);

  const KeyRow row{.account = account,
                   .label = std::move(label),
                   .ceiling_per_second = ceiling_per_second,
                   .created_at_ms = now_ms,
                   .secret = std::string(minted.secret.reveal()),
                   .number = last_number_ + 1,
                   .network = std::string(api::to_string(network_))};
  auto key = key_in(minted.id, row);
  SVC_ASSERT(key);
  insert(std::move(key));
  records.push_back({RecordTable::api_keys, minted.id, to_archive(row)});
  records.push_back({RecordTable::api_key_stream, {}, to_archive(stream_)});
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

bool ApiKeyStore::remove(const Address& account, std::string_view id, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const auto key = by_id_.find(id);
  if (key == by_id_.end() || key->second->account != account) return false;
  records.push_back({RecordTable::api_keys, key->first, std::nullopt});
  std::erase(by_account_.at(account), key->second);
  by_id_.erase(key);
  return true;
}

void ApiKeyStore::put_back(std::shared_ptr<const ApiKey> key) {
  const std::lock_guard lock(mutex_);
  insert(std::move(key));
}

void ApiKeyStore::insert(std::shared_ptr<const ApiKey> key) {
  last_number_ = std::max(last_number_, key->number);
  auto& owned = by_account_[key->account];
  const auto later = [](std::uint64_t number, const auto& other) { return number < other->number; };
  owned.insert(std::upper_bound(owned.begin(), owned.end(), key->number, later), key);
  by_id_.insert_or_assign(key->id, std::move(key));
}

bool ApiKeyStore::restore(const RecordChange& change) {
  const std::lock_guard lock(mutex_);
  if (change.table == RecordTable::api_key_stream) {
    if (!change.value) return false;
    ArchiveReader reader(*change.value);
    reader(stream_);
    return reader.done();
  }
  if (change.table != RecordTable::api_keys) return true;
  if (const auto known = by_id_.find(change.key); known != by_id_.end()) {
    std::erase(by_account_.at(known->second->account), known->second);
    by_id_.erase(known);
  }
  if (!change.value) return true;
  const auto row = from_archive<KeyRow>(*change.value);
  if (!row || !is_name(change.key) || (row->label && !is_utf8(*row->label)) || row->number > limits::counter_max ||
      !is_clock_time(row->created_at_ms))
    return false;
  last_number_ = std::max(last_number_, row->number);
  if (row->network ? *row->network != api::to_string(network_) : network_ == api::NetworkId::mainnet) return true;
  auto key = key_in(change.key, *row);
  if (!key) return false;
  insert(std::move(key));
  return true;
}

std::uint64_t SecretStream::next() {
  if (source_ == SecretSource::seed) return seeded_.next();
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  signing::fill_random(bytes);
  std::uint64_t word = 0;
  for (const std::uint8_t byte : bytes) word = word << 8 | byte;
  return word;
}

Secret SecretStream::draw_hex(std::size_t bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  SVC_ASSERT(bytes % sizeof(std::uint64_t) == 0);
  std::string text;
  text.reserve(2 * bytes);
  for (std::size_t drawn = 0; drawn < bytes; drawn += sizeof(std::uint64_t)) {
    const std::uint64_t word = next();
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(word >> shift) & 0xf];
  }
  return Secret(std::move(text));
}

}  // namespace svc::sim
