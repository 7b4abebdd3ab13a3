#include "sim/services/bridge_wallets.h"

#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "signing/key.h"

namespace svc::sim {
namespace {

// Two kinds of rows share the table.
enum class RowKind : std::uint8_t { challenge, wallets_of_account };

std::string challenge_key(const std::string& message) {
  return to_archive(std::pair(RowKind::challenge, message));
}

std::string wallets_key(const Address& account) {
  return to_archive(std::pair(RowKind::wallets_of_account, account));
}

}  // namespace

WalletChallenge BridgeWallets::challenge(const Address& account, const Address& wallet, TimestampMs now_ms,
                                         RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  WalletChallenge challenge{.number = ++last_number_,
                            .account = account,
                            .wallet = wallet,
                            .nonce = {},
                            .message = {},
                            .expires_ms = now_ms + limits::wallet_challenge_lifetime_ms};
  // Not secret: a challenge must still be signed. It only must be unique.
  const signing::Hash32 nonce = signing::keccak256("wallet challenge/" + purpose_ + '/' + to_string(account) + '/' +
                                                   std::to_string(now_ms) + '/' + std::to_string(challenge.number));
  challenge.nonce = to_hex(std::span(nonce).first(16));
  challenge.message = "Register wallet " + to_string(wallet) + " for account " + to_string(account) + " on " +
                      purpose_ + "\nNonce: " + challenge.nonce + "\nExpires: " + std::to_string(challenge.expires_ms);
  std::deque<std::string>& issued = issued_[account];
  if (issued.size() >= limits::wallet_challenges_max) void_challenge(std::string(issued.front()), records);
  insert(challenge);
  records.push_back(
      {.table = RecordTable::bridge_wallets, .key = challenge_key(challenge.message), .value = to_archive(challenge)});
  return challenge;
}

Result<bool, WalletRefusal> BridgeWallets::add(const Address& account, const Address& wallet, std::string_view message,
                                               std::string_view signature, TimestampMs now_ms, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const auto issued = challenges_.find(std::string(message));
  if (issued == challenges_.end() || issued->second.wallet != wallet)
    return unexpected(WalletRefusal::unknown_challenge);
  if (issued->second.account != account) return unexpected(WalletRefusal::account_mismatch);
  if (now_ms >= issued->second.expires_ms) return unexpected(WalletRefusal::challenge_expired);
  const auto parsed = signing::parse_signature(signature);
  if (!parsed || signing::recover(signing::personal_message_digest(message), *parsed) != wallet)
    return unexpected(WalletRefusal::signature_mismatch);

  const auto owner = owners_.find(wallet);
  if (owner != owners_.end() && owner->second != account) return unexpected(WalletRefusal::registered_already);
  std::vector<Address>& own = wallets_[account];
  if (owner == owners_.end()) {
    if (own.size() >= limits::bridge_wallets_max) return unexpected(WalletRefusal::too_many);
    own.push_back(wallet);
    owners_.emplace(wallet, account);
    records.push_back({.table = RecordTable::bridge_wallets, .key = wallets_key(account), .value = to_archive(own)});
  }
  void_challenge(std::string(message), records);
  return own.front() == wallet;
}

std::vector<Address> BridgeWallets::of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto own = wallets_.find(account);
  return own == wallets_.end() ? std::vector<Address>{} : own->second;
}

bool BridgeWallets::restore(const RecordChange& change) {
  if (change.table != RecordTable::bridge_wallets) return true;
  const std::lock_guard lock(mutex_);
  if (const auto key = from_archive<std::pair<RowKind, Address>>(change.key);
      key && key->first == RowKind::wallets_of_account) {
    auto wallets = change.value ? from_archive<std::vector<Address>>(*change.value) : std::nullopt;
    if (!wallets || wallets->empty() || wallets->size() > limits::bridge_wallets_max) return false;  // never removed
    for (const Address& wallet : *wallets) owners_.insert_or_assign(wallet, key->second);
    wallets_.insert_or_assign(key->second, std::move(*wallets));
    return true;
  }
  const auto key = from_archive<std::pair<RowKind, std::string>>(change.key);
  if (!key || key->first != RowKind::challenge) return false;
  RecordBatch forgotten;
  if (!change.value) {
    void_challenge(key->second, forgotten);
    return true;
  }
  const auto challenge = from_archive<WalletChallenge>(*change.value);
  if (!challenge || challenge->message != key->second || !is_utf8(challenge->message) || !is_utf8(challenge->nonce) ||
      challenge->number > limits::counter_max || !is_clock_time(challenge->expires_ms))
    return false;
  if (!challenges_.contains(challenge->message)) insert(*challenge);
  return true;
}

void BridgeWallets::insert(const WalletChallenge& challenge) {
  last_number_ = std::max(last_number_, challenge.number);
  issued_[challenge.account].push_back(challenge.message);
  challenges_.emplace(challenge.message, challenge);
}

void BridgeWallets::void_challenge(const std::string& message, RecordBatch& records) {
  const auto found = challenges_.find(message);
  if (found == challenges_.end()) return;
  std::erase(issued_[found->second.account], message);
  challenges_.erase(found);
  records.push_back({.table = RecordTable::bridge_wallets, .key = challenge_key(message), .value = {}});
}

DepositAddress BridgeAddresses::open(const Address& account, TimestampMs now_ms, RecordBatch& records) {
  const Address address = address_of(account);
  const std::lock_guard lock(mutex_);
  const auto [opened, first] = opened_.emplace(account, now_ms);
  if (first) {
    owners_.emplace(address, account);
    records.push_back({.table = RecordTable::bridge_addresses,
                       .key = to_archive(std::pair(account, chain_)),
                       .value = to_archive(now_ms)});
  }
  return {.address = address, .account = account, .created_ms = opened->second};
}

std::optional<DepositAddress> BridgeAddresses::of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto opened = opened_.find(account);
  if (opened == opened_.end()) return std::nullopt;
  return DepositAddress{.address = address_of(account), .account = account, .created_ms = opened->second};
}

std::optional<Address> BridgeAddresses::owner_of(const Address& deposit_address) const {
  const std::lock_guard lock(mutex_);
  const auto owner = owners_.find(deposit_address);
  return owner == owners_.end() ? std::nullopt : std::optional(owner->second);
}

Address BridgeAddresses::address_of(const Address& account) const {
  return made_up_address("deposit address/" + chain_ + '/' + to_string(account));
}

bool BridgeAddresses::restore(const RecordChange& change) {
  if (change.table != RecordTable::bridge_addresses) return true;
  const auto key = from_archive<std::pair<Address, std::string>>(change.key);
  if (!key || !change.value) return false;  // never removed
  if (key->second != chain_) return true;   // the network was bridged to another chain then
  const auto created_ms = from_archive<TimestampMs>(*change.value);
  if (!created_ms || !is_clock_time(*created_ms)) return false;
  const std::lock_guard lock(mutex_);
  opened_.insert_or_assign(key->first, *created_ms);
  owners_.insert_or_assign(address_of(key->first), key->first);
  return true;
}

namespace {

ChainMovement decided(ChainMovement movement, MovementFate fate) {
  movement.fate = fate;
  movement.decided_ms = movement.final_ms;
  return movement;
}

}  // namespace

std::optional<TimedWork::Due> BridgeDeposits::next_due(TimestampMs now_ms) {
  const auto movement = movements.claim_due(now_ms);
  if (!movement) return std::nullopt;
  const bool refused = refused_ && refused_->number == movement->number;
  if (refused || movement->amount < min_amount_) {
    const RecordChange failed = movements.row(decided(*movement, MovementFate::failed));
    return Due{.at_ms = movement->final_ms, .body = engine::PassTime{}, .records = {failed}, .records_if_applied = {}};
  }
  const RecordChange settled = movements.row(decided(*movement, MovementFate::settled));
  return Due{.at_ms = movement->final_ms,
             .body = engine::Deposit{.account = movement->account,
                                     .amount = movement->amount,
                                     .kind = engine::FundsKind::bridge_deposit},
             .records = {},
             .records_if_applied = {settled}};
}

void BridgeDeposits::done(const Due& due, engine::Reject outcome) {
  const RecordBatch& kept = due.records.empty() ? due.records_if_applied : due.records;
  const auto movement = from_archive<ChainMovement>(*kept.front().value);
  SVC_ASSERT(movement);
  if (outcome != engine::Reject::none) {
    // The venue cannot hold more money: the next turn logs that the deposit failed.
    refused_ = *movement;
    return;
  }
  refused_.reset();
  movements.decide(*movement);
}

}  // namespace svc::sim
