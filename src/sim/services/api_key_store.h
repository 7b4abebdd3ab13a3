// API keys of one network: who holds them, the secret they sign with, and their own request ceiling.
//
// A key exists only on the network that minted it: each network has its own store and its own log. (API: API keys are
// bound to one network)
//
// Secrets are stored in plain form, because checking a signature needs them.
//
// Ids and secrets are drawn from a seeded stream, or from the system; session_store.h says what they protect.
// (D-222)
//
// Part of ServicesState: changed by the single writer alone. A key that was found stays usable after its deletion.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/secret.h"
#include "signing/hmac.h"
#include "sim/services/secret_stream.h"

namespace svc::sim {

struct ApiKey {
  std::string id;  // prefix, '_', 16 hex digits
  Address account;
  std::optional<std::string> label;
  std::uint32_t ceiling_per_second;  // of its own request bucket; 0: none. Never changes. (D-223)
  TimestampMs created_at_ms;
  Secret secret;  // hex
  signing::HmacKey hmac;
  std::uint64_t number;  // counts up with every key of the store
};

struct MintedKey {
  std::string id{};
  Secret secret{};  // 64 hex digits; shown once
};

// An id and a secret that a command brings; a Secret is not for an archive.
struct DrawnKey {
  std::string id{};
  std::string secret{};
};
[[nodiscard]] std::optional<DrawnKey> key_drawn_before(SecretSource source);

class ApiKeyStore {
 public:
  explicit ApiKeyStore(SecretStream ids_and_secrets) : stream_(ids_and_secrets) {}

  struct Terms {
    Address account{};
    std::optional<std::string> label{};
    std::uint32_t ceiling_per_second = 0;
  };
  // With the drawn id and secret, or the next ones of the stream. nullopt beyond limits::api_keys_per_account_max.
  [[nodiscard]] std::optional<MintedKey> create(Terms terms, const std::optional<DrawnKey>& drawn, TimestampMs now_ms);
  // nullptr if this network has no such key.
  [[nodiscard]] std::shared_ptr<const ApiKey> find(std::string_view id) const;
  // In the order of creation.
  [[nodiscard]] std::vector<std::shared_ptr<const ApiKey>> of(const Address& account) const;
  // False if the account has no such key, even if another account has.
  [[nodiscard]] bool remove(const Address& account, std::string_view id);

  template <class Archive>
  void archive(Archive& archive) {
    std::vector<Row> rows;
    if constexpr (!Archive::reading) rows = all_rows();
    archive(stream_, last_number_, rows);
    archive.check([&] { return adopt(rows); });
  }

 private:
  struct Row {
    std::string id{};
    Address account{};
    std::optional<std::string> label{};
    std::uint32_t ceiling_per_second = 0;
    TimestampMs created_at_ms = 0;
    std::string secret{};
    std::uint64_t number = 0;
  };

  [[nodiscard]] std::vector<Row> all_rows() const;
  [[nodiscard]] bool adopt(const std::vector<Row>& rows);
  // False if the row makes no key.
  [[nodiscard]] bool insert(const Row& row);

  SecretStream stream_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, std::shared_ptr<const ApiKey>, std::less<>> by_id_;
  std::map<Address, std::vector<std::shared_ptr<const ApiKey>>> by_account_;  // in the order of creation
};

}  // namespace svc::sim
