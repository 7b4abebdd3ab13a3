#include "sim/services/bridge_wallets.h"

#include <span>

#include "base/archive.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "signing/hash.h"
#include "sim/services/chain_movements.h"

namespace svc::sim {
WalletChallenge BridgeWallets::challenge(const Address& account, const Address& wallet, TimestampMs now_ms) {
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
  auto& issued = issued_[account];
  if (issued.size() >= limits::wallet_challenges_max) void_challenge(std::string(issued.begin()->second));
  issued.emplace(challenge.number, challenge.message);
  challenges_.emplace(challenge.message, challenge);
  return challenge;
}

Result<bool, WalletRefusal> BridgeWallets::add(const Address& account, const Address& wallet,
                                               const std::string& message, const std::optional<Address>& signer,
                                               TimestampMs now_ms) {
  const auto issued = challenges_.find(message);
  if (issued == challenges_.end() || issued->second.wallet != wallet)
    return unexpected(WalletRefusal::unknown_challenge);
  if (issued->second.account != account) return unexpected(WalletRefusal::account_mismatch);
  if (now_ms >= issued->second.expires_ms) return unexpected(WalletRefusal::challenge_expired);
  if (signer != wallet) return unexpected(WalletRefusal::signature_mismatch);

  const auto owner = owners_.find(wallet);
  if (owner != owners_.end() && owner->second != account) return unexpected(WalletRefusal::registered_already);
  std::vector<Address>& own = wallets_[account];
  if (owner == owners_.end()) {
    if (own.size() >= limits::bridge_wallets_max) return unexpected(WalletRefusal::too_many);
    own.push_back(wallet);
    owners_.emplace(wallet, account);
  }
  void_challenge(message);
  return own.front() == wallet;
}

std::vector<Address> BridgeWallets::of(const Address& account) const {
  const auto own = wallets_.find(account);
  return own == wallets_.end() ? std::vector<Address>{} : own->second;
}

bool BridgeWallets::index() {
  issued_.clear();
  owners_.clear();
  for (const auto& [message, challenge] : challenges_) {
    if (challenge.message != message || !is_utf8(message) || !is_utf8(challenge.nonce) ||
        challenge.number > last_number_ || !is_clock_time(challenge.expires_ms) ||
        !issued_[challenge.account].emplace(challenge.number, message).second)
      return false;
  }
  for (const auto& [account, own] : wallets_) {
    if (own.empty() || own.size() > limits::bridge_wallets_max) return false;
    for (const Address& wallet : own)
      if (!owners_.emplace(wallet, account).second) return false;
  }
  return last_number_ <= limits::counter_max;
}

void BridgeWallets::void_challenge(const std::string& message) {
  const auto found = challenges_.find(message);
  issued_[found->second.account].erase(found->second.number);
  challenges_.erase(found);
}

DepositAddress BridgeAddresses::open(const Address& account, TimestampMs now_ms) {
  const Address address = address_of(account);
  const auto [opened, first] = opened_.try_emplace({account, chain_}, now_ms);
  if (first) owners_.emplace(address, account);
  return {.address = address, .account = account, .created_ms = opened->second};
}

std::optional<DepositAddress> BridgeAddresses::of(const Address& account) const {
  const auto opened = opened_.find({account, chain_});
  if (opened == opened_.end()) return std::nullopt;
  return DepositAddress{.address = address_of(account), .account = account, .created_ms = opened->second};
}

std::optional<Address> BridgeAddresses::owner_of(const Address& deposit_address) const {
  const auto owner = owners_.find(deposit_address);
  return owner == owners_.end() ? std::nullopt : std::optional(owner->second);
}

Address BridgeAddresses::address_of(const Address& account) const {
  return made_up_address("deposit address/" + chain_ + '/' + to_string(account));
}

// The network may have been bridged to another chain before.
bool BridgeAddresses::index() {
  owners_.clear();
  for (const auto& [opened, created_ms] : opened_) {
    if (!is_clock_time(created_ms) || !is_utf8(opened.second)) return false;
    if (opened.second == chain_) owners_.emplace(address_of(opened.first), opened.first);
  }
  return true;
}

}  // namespace svc::sim
