// Money between accounts and the chain: withdrawals, bridge withdrawals and deposits, the keys under which withdrawals
// are repeated, and the wallets and deposit addresses of accounts.
//
// The chain at the other end is simulated: a block at every full block time of the sandbox's clock, so that a jump of
// the clock confirms as much as waiting. (D-290)
//
// The stores are parts of ServicesState: changed by the single writer alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "api/network.h"
#include "base/address.h"
#include "base/archive.h"
#include "base/result.h"

namespace svc::sim {

enum class MovementKind : std::uint8_t {
  withdrawal,         // to the wallet of the account, signed by it
  bridge_withdrawal,  // under an idempotency key
  bridge_deposit,     // has to be credited
};

enum class MovementFate : std::uint8_t { open, settled, failed };

// Which movement: its kind and its number among those, from 1.
struct MovementId {
  MovementKind kind = MovementKind::withdrawal;
  std::uint64_t number = 0;
};

// A prefix and 16 hex digits: "wdl_0000000000000001".
[[nodiscard]] std::string to_string(const MovementId& id);
// nullopt for any other text.
[[nodiscard]] std::optional<MovementId> parse_movement_id(std::string_view text);

// When a transaction seen at `seen_ms` has that many confirmations, and how many it has by `now_ms`.
[[nodiscard]] constexpr TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations,
                                                 std::int64_t block_ms) {
  return confirmations == 0 ? seen_ms : (seen_ms / block_ms + confirmations) * block_ms;
}
[[nodiscard]] constexpr std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms) {
  return std::max<std::int64_t>(0, now_ms / block_ms - seen_ms / block_ms);
}

struct ChainMovement {
  MovementId id{};
  Address account{};
  std::string chain{};
  std::string asset{};
  Usdx amount{};          // what the account pays or receives
  Usdx fee{};             // the part of it that the chain keeps
  std::string address{};  // the destination; for a deposit the deposit address
  std::uint32_t required_confirmations = 0;
  std::int64_t block_ms = 0;
  TimestampMs created_ms = 0;
  TimestampMs final_ms = 0;  // time of the last confirmation
  MovementFate decision = MovementFate::open;
  TimestampMs decided_ms = 0;  // when it was settled or failed; 0: open

  [[nodiscard]] MovementFate fate(TimestampMs now_ms) const {
    const bool settled_by_clock = id.kind != MovementKind::bridge_deposit && now_ms >= final_ms;
    return decision == MovementFate::open && settled_by_clock ? MovementFate::settled : decision;
  }
  // 0 to required_confirmations.
  [[nodiscard]] std::uint32_t confirmations(TimestampMs now_ms) const;
  // Time of the last change: a confirmation or a decision.
  [[nodiscard]] TimestampMs updated_ms(TimestampMs now_ms) const {
    if (decision != MovementFate::open) return decided_ms;
    if (now_ms >= final_ms) return final_ms;
    return confirmed_ms(created_ms, confirmations(now_ms), block_ms);
  }
};

// The movements of one kind.
//
// One is open until it is settled or failed. Confirmations follow from the clock and are not stored: an open withdrawal
// counts as settled from `final_ms` on. A deposit has to be credited then, so it stays open until that was decided.
//
// Bounded: beyond limits::chain_movements_kept_max of an account its oldest final one is forgotten, but no withdrawal
// whose idempotency key may still be repeated.
class ChainMovements {
 public:
  explicit ChainMovements(MovementKind kind, std::size_t kept_max = limits::chain_movements_kept_max)
      : kind_(kind), kept_max_(kept_max) {}

  // False if the account has the number kept, and none of them may be forgotten.
  [[nodiscard]] bool has_room(const Address& account, TimestampMs now_ms) const {
    const auto own = by_account_.find(account);
    return own == by_account_.end() || own->second.size() < kept_max_ || spare(own->second, now_ms).has_value();
  }
  [[nodiscard]] std::uint64_t next_number() const { return last_number_ + 1; }
  // Gives it the next number. Beyond the number kept, one of the account is forgotten.
  const ChainMovement& add(ChainMovement movement, TimestampMs now_ms);

  [[nodiscard]] std::optional<ChainMovement> find(std::uint64_t number) const { return value_in(by_number_, number); }
  // Newest first; at most `limit` of those that match.
  [[nodiscard]] std::vector<ChainMovement> newest_of(const Address& account, std::size_t limit,
                                                     const std::function<bool(const ChainMovement&)>& wanted) const;

  // Requires that it exists.
  const ChainMovement& decide(std::uint64_t number, MovementFate decision, TimestampMs at_ms) {
    ChainMovement& movement = by_number_.at(number);
    open_.erase({movement.final_ms, number});
    movement.decision = decision;
    movement.decided_ms = at_ms;
    return movement;
  }
  // Makes that the time of its last confirmation. Requires that it exists and is open.
  const ChainMovement& confirm(std::uint64_t number, TimestampMs at_ms) {
    ChainMovement& movement = by_number_.at(number);
    SVC_ASSERT(movement.decision == MovementFate::open);
    open_.erase({movement.final_ms, number});
    movement.final_ms = at_ms;
    open_.insert({at_ms, number});
    return movement;
  }

  // The undecided movement that is final first.
  [[nodiscard]] const ChainMovement* next_final() const {
    return open_.empty() ? nullptr : &by_number_.at(open_.begin()->second);
  }

  SVC_KEEPS_IF(index(), last_number_, by_number_);

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void enter(const ChainMovement& movement) {
    if (movement.decision == MovementFate::open) open_.insert({movement.final_ms, movement.id.number});
    by_account_[movement.account].insert(movement.id.number);
  }
  void erase(std::uint64_t number) {
    const auto found = by_number_.find(number);
    open_.erase({found->second.final_ms, number});
    by_account_[found->second.account].erase(number);
    by_number_.erase(found);
  }
  // The oldest that may be forgotten.
  [[nodiscard]] std::optional<std::uint64_t> spare(const std::set<std::uint64_t>& numbers, TimestampMs now_ms) const;

  MovementKind kind_;
  std::size_t kept_max_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, ChainMovement> by_number_;
  std::map<Address, std::set<std::uint64_t>> by_account_;
  std::set<std::pair<TimestampMs, std::uint64_t>> open_;  // the undecided ones, by final_ms
};

struct ChainTerms {
  std::string name;  // empty: the default of the network
  std::uint64_t chain_id = 0;
  std::int64_t block_ms = 12'000;            // 1 to limits::chain_block_ms_max
  std::uint32_t deposit_confirmations = 12;  // 0: final at once; at most limits::chain_confirmations_max
  std::uint32_t withdrawal_confirmations = 12;
  Usdx min_deposit{usdx_one};
  Usdx min_withdrawal{usdx_one};
  Usdx withdrawal_fee{};  // below min_withdrawal; the chain's fee for a bridge withdrawal
};

// The terms with the name and id of the chain that the network is bridged to.
[[nodiscard]] ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms);

// A new movement of the account, without a number.
[[nodiscard]] ChainMovement movement_of(const ChainTerms& chain, MovementKind kind, const Address& account, Usdx amount,
                                        TimestampMs now_ms);

// An invented address: contracts and deposit addresses of a chain that exists only in this process. Equal texts give
// equal addresses.
[[nodiscard]] Address made_up_address(std::string_view text);

struct KeyedRequest {
  Usdx amount{};
  std::uint64_t withdrawal = 0;  // its number
  TimestampMs first_used_ms = 0;
};

// Maps an account's Idempotency-Key to its bridge withdrawal, for the lifetime of the key
// (limits::idempotency_key_lifetime_ms). Afterwards the key is unused again. (D-293)
class IdempotencyKeys {
 public:
  explicit IdempotencyKeys(std::size_t keys_max = limits::idempotency_keys_max) : keys_max_(keys_max) {}

  [[nodiscard]] std::optional<KeyedRequest> find(const Address& account, std::string_view key,
                                                 TimestampMs now_ms) const {
    const auto own = by_account_.find(account);
    if (own == by_account_.end()) return std::nullopt;
    const auto found = own->second.find(key);
    return found == own->second.end() || !lives(found->second, now_ms) ? std::nullopt : std::optional(found->second);
  }
  // True if the account has the maximum number of live keys.
  [[nodiscard]] bool is_full(const Address& account, TimestampMs now_ms) const {
    const auto own = by_account_.find(account);
    if (own == by_account_.end() || own->second.size() < keys_max_) return false;
    return std::ranges::all_of(own->second, [&](const auto& entry) { return lives(entry.second, now_ms); });
  }
  // Removes the account's expired keys.
  void put(const Address& account, std::string_view key, const KeyedRequest& request) {
    OfAccount& own = by_account_[account];
    std::erase_if(own, [&](const auto& entry) { return !lives(entry.second, request.first_used_ms); });
    own.insert_or_assign(std::string(key), request);
  }

  // f(request) for each live key; true if it is for all.
  template <class F>
  [[nodiscard]] bool all_live(TimestampMs now_ms, F f) const {
    for (const auto& [account, own] : by_account_)
      for (const auto& [key, request] : own)
        if (lives(request, now_ms) && !f(request)) return false;
    return true;
  }

  SVC_KEEPS_IF(is_valid(), by_account_);

 private:
  using OfAccount = std::map<std::string, KeyedRequest, std::less<>>;

  [[nodiscard]] static bool lives(const KeyedRequest& request, TimestampMs now_ms) {
    return now_ms < request.first_used_ms + limits::idempotency_key_lifetime_ms;
  }
  [[nodiscard]] bool is_valid() const;

  std::size_t keys_max_;
  std::map<Address, OfAccount> by_account_;
};

struct WalletChallenge {
  std::uint64_t number = 0;
  Address account{};
  Address wallet{};
  std::string nonce{};
  std::string message{};  // what the wallet signs (EIP-191)
  TimestampMs expires_ms = 0;
};

// Wallets that an account registered for bridge withdrawals: it proves ownership by signing a challenge. The first
// wallet is the default, to which bridge withdrawals go. (API of older clients)
//
// A challenge is valid for one registration within limits::wallet_challenge_lifetime_ms. Challenges are stored, so
// that a restart never repeats one.
class BridgeWallets {
 public:
  // `purpose` distinguishes networks within the messages: "testnet".
  explicit BridgeWallets(std::string_view purpose) : purpose_(purpose) {}

  WalletChallenge challenge(const Address& account, const Address& wallet, TimestampMs now_ms);
  // `signer`: who signed the message as a personal message, if anybody. Registering a wallet again changes nothing.
  // Returns whether it is the default.
  [[nodiscard]] Result<bool, api::ApiError> add(const Address& account, const Address& wallet,
                                                const std::string& message, const std::optional<Address>& signer,
                                                TimestampMs now_ms);
  // In the order of registration: the first is the default.
  [[nodiscard]] std::vector<Address> of(const Address& account) const {
    return value_in(wallets_, account).value_or(std::vector<Address>{});
  }

  SVC_KEEPS_IF(index(), last_number_, challenges_, wallets_);

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void void_challenge(const std::string& message) {
    const auto found = challenges_.find(message);
    issued_[found->second.account].erase(found->second.number);
    challenges_.erase(found);
  }

  std::string purpose_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, WalletChallenge> challenges_;               // by message
  std::map<Address, std::map<std::uint64_t, std::string>> issued_;  // by account and number
  std::map<Address, Address> owners_;                               // by wallet
  std::map<Address, std::vector<Address>> wallets_;                 // by account
};

struct DepositAddress {
  Address address{};
  Address account{};
  TimestampMs created_ms = 0;
};

// The deposit address of an account on the chain, and when it was requested. The chain is the sandbox's own, so the
// addresses are derived from the account and nobody holds their keys.
class BridgeAddresses {
 public:
  explicit BridgeAddresses(std::string_view chain) : chain_(chain) {}

  // The first call for an account creates it, later ones return the same.
  DepositAddress open(const Address& account, TimestampMs now_ms) {
    const Address address = address_of(account);
    const auto [opened, first] = opened_.try_emplace({account, chain_}, now_ms);
    if (first) owners_.emplace(address, account);
    return {.address = address, .account = account, .created_ms = opened->second};
  }
  [[nodiscard]] std::optional<DepositAddress> of(const Address& account) const {
    const auto opened = opened_.find({account, chain_});
    if (opened == opened_.end()) return std::nullopt;
    return DepositAddress{.address = address_of(account), .account = account, .created_ms = opened->second};
  }
  [[nodiscard]] std::optional<Address> owner_of(const Address& deposit_address) const {
    return value_in(owners_, deposit_address);
  }
  // The account's deposit address, opened or not.
  [[nodiscard]] Address address_of(const Address& account) const {
    return made_up_address("deposit address/" + chain_ + '/' + to_string(account));
  }

  SVC_KEEPS_IF(index(), opened_);

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();

  std::string chain_;
  std::map<std::pair<Address, std::string>, TimestampMs> opened_;  // by account and chain
  std::map<Address, Address> owners_;                              // by deposit address, of this chain
};

}  // namespace svc::sim
