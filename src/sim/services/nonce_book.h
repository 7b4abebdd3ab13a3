// Spent nonces: one strictly increasing sequence per signer address.
//
// Agent-signed requests and signed actions of one address share its sequence. A nonce is spent once its signature
// is verified, whatever becomes of the request. (API: Signed trading actions, D-233)
//
// Of signed requests only signers that belong to an account are entered. What an owner signs is entered for every wallet:
// a withdrawal that is refused today must not be repeated by somebody else once the wallet has money.
// Part of ServicesState: changed by the single writer alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"

namespace svc::sim {

// Registrations, withdrawals and transfers signed by an owner have a sequence of their own. (D-243)
enum class NonceSequence : std::uint8_t { requests, owners };

struct SpentNonce {
  NonceSequence sequence = NonceSequence::requests;
  Address signer{};
  std::uint64_t nonce = 0;
};
// The nonces of one request, in any order: they do not conflict with each other.
using SpentNonces = std::vector<SpentNonce>;

class NonceBook {
 public:
  // Whether it is higher than every nonce that the signer has spent.
  [[nodiscard]] bool is_fresh(const SpentNonce& spent) const;
  // Enters them all. True if each was fresh.
  [[nodiscard]] bool spend(const SpentNonces& spent);

  [[nodiscard]] std::optional<std::uint64_t> highest(NonceSequence sequence, const Address& signer) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(highest_);
  }

 private:
  std::map<std::pair<NonceSequence, Address>, std::uint64_t> highest_;
};

// Maps an account's Idempotency-Key to its bridge withdrawal, for the lifetime of the key
// (limits::idempotency_key_lifetime_ms). Afterwards the key is unused again. (D-293)

struct KeyedRequest {
  Usdx amount{};
  std::uint64_t withdrawal = 0;  // its number
  TimestampMs first_used_ms = 0;
};

class IdempotencyKeys {
 public:
  explicit IdempotencyKeys(std::size_t keys_max = limits::idempotency_keys_max) : keys_max_(keys_max) {}

  [[nodiscard]] std::optional<KeyedRequest> find(const Address& account, std::string_view key,
                                                 TimestampMs now_ms) const;
  // True if the account has the maximum number of live keys.
  [[nodiscard]] bool is_full(const Address& account, TimestampMs now_ms) const;
  // Removes the account's expired keys.
  void put(const Address& account, std::string_view key, const KeyedRequest& request);

  // f(request) for each live key; true if it is for all.
  template <class F>
  [[nodiscard]] bool all_live(TimestampMs now_ms, F f) const {
    for (const auto& [account, own] : by_account_)
      for (const auto& [key, request] : own)
        if (lives(request, now_ms) && !f(request)) return false;
    return true;
  }

  template <class Archive>
  void archive(Archive& archive) {
    archive(by_account_);
    archive.check([&] { return is_valid(); });
  }

 private:
  using OfAccount = std::map<std::string, KeyedRequest, std::less<>>;

  [[nodiscard]] static bool lives(const KeyedRequest& request, TimestampMs now_ms) {
    return now_ms < request.first_used_ms + limits::idempotency_key_lifetime_ms;
  }
  [[nodiscard]] bool is_valid() const;

  std::size_t keys_max_;
  std::map<Address, OfAccount> by_account_;
};

}  // namespace svc::sim
