// API keys of one network: who holds them, the secret they sign with, and their own request ceiling.
//
// A key exists only on the network that minted it: each network has its own store, and a stored key names its
// network. Keys minted before that was stored are adopted, except by mainnet, where they are unknown. (API: API
// keys are bound to one network)
//
// Secrets are stored in plain form, because checking a signature needs them.
//
// Ids and secrets are drawn from a seeded stream, or from the system; session_store.h says what they protect.
// (D-222)
//
// Thread-safe: one lock, held for one look-up. A key that was found stays usable after its deletion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/network.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/random.h"
#include "base/secret.h"
#include "signing/hmac.h"
#include "sim/sequencer/record.h"

// The formats of the venue's credentials, and how they are drawn.

namespace svc::sim {

inline constexpr std::size_t session_token_bytes = 32;  // 64 hex digits
inline constexpr std::size_t stream_token_bytes = 24;   // 48 hex digits
inline constexpr std::size_t key_secret_bytes = 32;     // 64 hex digits, the HMAC key when decoded
inline constexpr std::size_t key_id_bytes = 8;          // 16 hex digits after the prefix
inline constexpr std::string_view key_id_prefix = "svc_";

enum class SecretSource : std::uint8_t {
  seed,    // equal runs give equal secrets: they protect nothing real (D-222)
  system,  // unpredictable (D-661)
};

class SecretStream {
 public:
  SecretStream(Prng seeded, SecretSource source = SecretSource::seed) : seeded_(seeded), source_(source) {}

  // `bytes` random bytes as lower-case hex; a multiple of 8.
  [[nodiscard]] Secret draw_hex(std::size_t bytes);

  // The position in the seeded stream; the owner stores the source.
  template <class Archive>
  void archive(Archive& archive) {
    archive(seeded_);
  }

 private:
  [[nodiscard]] std::uint64_t next();

  Prng seeded_;
  SecretSource source_;
};

struct ApiKey {
  std::string id;  // prefix, '_', 16 hex digits
  Address account;
  std::optional<std::string> label;
  std::uint32_t ceiling_per_second;  // of its own request bucket; 0: none. Never changes. (D-223)
  TimestampMs created_at_ms;
  signing::HmacKey hmac;
  std::uint64_t number;  // counts up with every key of the store
};

struct MintedKey {
  std::string id;
  Secret secret;  // 64 hex digits; shown once
};

class ApiKeyStore {
 public:
  ApiKeyStore(SecretStream ids_and_secrets, api::NetworkId network);

  // nullopt beyond limits::api_keys_per_account_max.
  [[nodiscard]] std::optional<MintedKey> create(const Address& account, std::optional<std::string> label,
                                                std::uint32_t ceiling_per_second, TimestampMs now_ms,
                                                RecordBatch& records);
  // nullptr if this network has no such key.
  [[nodiscard]] std::shared_ptr<const ApiKey> find(std::string_view id) const;
  // In the order of creation.
  [[nodiscard]] std::vector<std::shared_ptr<const ApiKey>> of(const Address& account) const;
  // False if the account has no such key, even if another account has.
  [[nodiscard]] bool remove(const Address& account, std::string_view id, RecordBatch& records);
  // Undoes a removal that could not be logged.
  void put_back(std::shared_ptr<const ApiKey> key);

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  void insert(std::shared_ptr<const ApiKey> key);

  const api::NetworkId network_;
  mutable Ranked<LockRank::store> mutex_;
  SecretStream stream_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, std::shared_ptr<const ApiKey>, std::less<>> by_id_;
  std::map<Address, std::vector<std::shared_ptr<const ApiKey>>> by_account_;
};

}  // namespace svc::sim
