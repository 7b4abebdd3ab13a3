#include "sim/services/bridge.h"

#include <span>

#include "base/encoding.h"
#include "base/text.h"
#include "signing/hash.h"

namespace svc::sim {
namespace {

// By kind.
constexpr std::array<std::string_view, 3> id_prefixes{"wd_", "wdl_", "dep_"};

}  // namespace

std::string to_string(const MovementId& id) {
  return std::string(id_prefixes[static_cast<std::size_t>(id.kind)]) + hex_of(id.number);
}

std::optional<MovementId> parse_movement_id(std::string_view text) {
  for (std::size_t i = 0; i < id_prefixes.size(); ++i) {
    if (!text.starts_with(id_prefixes[i])) continue;
    const auto number = parse_integer<std::uint64_t>(text.substr(id_prefixes[i].size()), 16);
    if (!number) continue;
    const MovementId id{.kind = static_cast<MovementKind>(i), .number = *number};
    if (to_string(id) == text) return id;  // one spelling only
  }
  return std::nullopt;
}

std::uint32_t ChainMovement::confirmations(TimestampMs now_ms) const {
  const TimestampMs until_ms = decision == MovementFate::open ? now_ms : decided_ms;
  if (decision == MovementFate::settled || until_ms >= final_ms) return required_confirmations;
  // The last confirmation comes exactly when it is final.
  const std::int64_t blocks = blocks_since(created_ms, until_ms, block_ms);
  const std::int64_t most = std::max<std::int64_t>(0, std::int64_t{required_confirmations} - 1);
  return static_cast<std::uint32_t>(std::min(blocks, most));
}

const ChainMovement& ChainMovements::add(ChainMovement movement, TimestampMs now_ms) {
  SVC_ASSERT(movement.id.kind == kind_);
  movement.id.number = ++last_number_;
  const ChainMovement& added = by_number_.emplace(last_number_, std::move(movement)).first->second;
  enter(added);
  const std::set<std::uint64_t>& own = by_account_[added.account];
  if (own.size() > kept_max_)
    if (const auto gone = spare(own, now_ms); gone && *gone != added.id.number) erase(*gone);
  return added;
}

std::vector<ChainMovement> ChainMovements::newest_of(const Address& account, std::size_t limit,
                                                     const std::function<bool(const ChainMovement&)>& wanted) const {
  std::vector<ChainMovement> found;
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return found;
  for (auto number = own->second.rbegin(); number != own->second.rend() && found.size() < limit; ++number) {
    const ChainMovement& movement = by_number_.at(*number);
    if (wanted(movement)) found.push_back(movement);
  }
  return found;
}

bool ChainMovements::index() {
  by_account_.clear();
  open_.clear();
  for (const auto& [number, movement] : by_number_) {
    const bool named = movement.id.kind == kind_ && movement.id.number == number && number != 0;
    const bool fits = movement.amount > Usdx{} && movement.block_ms >= 1 &&
                      movement.block_ms <= limits::chain_block_ms_max &&
                      movement.required_confirmations <= limits::chain_confirmations_max;
    if (!named || number > last_number_ || !fits) return false;
    enter(movement);
  }
  return are_sound(last_number_, by_number_);
}

std::optional<std::uint64_t> ChainMovements::spare(const std::set<std::uint64_t>& numbers, TimestampMs now_ms) const {
  const std::int64_t keyed_ms = kind_ == MovementKind::bridge_withdrawal ? limits::idempotency_key_lifetime_ms : 0;
  for (const std::uint64_t number : numbers) {
    const ChainMovement& movement = by_number_.at(number);
    if (movement.fate(now_ms) != MovementFate::open && now_ms >= movement.created_ms + keyed_ms) return number;
  }
  return std::nullopt;
}

ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms) {
  SVC_ASSERT(terms.block_ms >= 1 && terms.block_ms <= limits::chain_block_ms_max);
  SVC_ASSERT(std::max(terms.deposit_confirmations, terms.withdrawal_confirmations) <= limits::chain_confirmations_max);
  SVC_ASSERT(terms.withdrawal_fee >= Usdx{} && terms.withdrawal_fee < terms.min_withdrawal);
  if (!terms.name.empty()) return terms;
  const auto [name, id] = [&]() -> std::pair<const char*, std::uint64_t> {
    switch (network) {
      case api::NetworkId::mainnet: return {"ethereum", 1};
      case api::NetworkId::testnet: return {"sepolia", 11'155'111};
      case api::NetworkId::local: return {"devchain", 31'337};
    }
    SVC_ASSERT(false);
  }();
  terms.name = name;
  terms.chain_id = id;
  return terms;
}

ChainMovement movement_of(const ChainTerms& chain, MovementKind kind, const Address& account, Usdx amount,
                          TimestampMs now_ms) {
  const std::uint32_t confirmations =
      kind == MovementKind::bridge_deposit ? chain.deposit_confirmations : chain.withdrawal_confirmations;
  return {.id = {.kind = kind},
          .account = account,
          .chain = chain.name,
          .asset = "USDX",
          .amount = amount,
          .required_confirmations = confirmations,
          .block_ms = chain.block_ms,
          .created_ms = now_ms,
          .final_ms = confirmed_ms(now_ms, confirmations, chain.block_ms)};
}

Address made_up_address(std::string_view text) {
  const signing::Hash32 hash = signing::keccak256(text);
  Address address;
  std::copy(hash.end() - static_cast<std::ptrdiff_t>(address.bytes.size()), hash.end(), address.bytes.begin());
  return address;
}

bool IdempotencyKeys::is_valid() const {
  return are_sound(by_account_) && std::ranges::all_of(by_account_, [](const auto& own) {
           return std::ranges::all_of(own.second, [](const auto& entry) { return is_name(entry.first); });
         });
}

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

Result<bool, api::ApiError> BridgeWallets::add(const Address& account, const Address& wallet,
                                               const std::string& message, const std::optional<Address>& signer,
                                               TimestampMs now_ms) {
  using enum api::ErrorCode;
  const auto issued = challenges_.find(message);
  if (issued == challenges_.end() || issued->second.wallet != wallet) return unexpected(invalid_challenge);
  if (issued->second.account != account) return unexpected(account_mismatch);
  if (now_ms >= issued->second.expires_ms) return unexpected(challenge_expired);
  if (signer != wallet) return unexpected(signature_mismatch);

  const auto owner = owners_.find(wallet);
  if (owner != owners_.end() && owner->second != account) return unexpected(wallet_already_registered);
  std::vector<Address>& own = wallets_[account];
  if (owner == owners_.end()) {
    if (own.size() >= limits::bridge_wallets_max)
      return api::refused(wallet_registration_unavailable, "the account has as many wallets as it may have");
    own.push_back(wallet);
    owners_.emplace(wallet, account);
  }
  void_challenge(message);
  return own.front() == wallet;
}

bool BridgeWallets::index() {
  issued_.clear();
  owners_.clear();
  for (const auto& [message, challenge] : challenges_) {
    if (challenge.message != message || challenge.number > last_number_ ||
        !issued_[challenge.account].emplace(challenge.number, message).second)
      return false;
  }
  for (const auto& [account, own] : wallets_) {
    if (own.empty() || own.size() > limits::bridge_wallets_max) return false;
    for (const Address& wallet : own)
      if (!owners_.emplace(wallet, account).second) return false;
  }
  return are_sound(last_number_, challenges_);
}

// The network may have been bridged to another chain before.
bool BridgeAddresses::index() {
  owners_.clear();
  for (const auto& [opened, created_ms] : opened_)
    if (opened.second == chain_) owners_.emplace(address_of(opened.first), opened.first);
  return are_sound(opened_);
}

}  // namespace svc::sim
