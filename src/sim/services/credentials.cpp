#include "sim/services/credentials.h"

#include <span>

#include "api/contract/agents.h"
#include "base/encoding.h"
#include "base/random.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/key.h"

namespace svc::sim {

std::optional<Secret> drawn_before(SecretSource source, std::size_t bytes) {
  if (source == SecretSource::seed) return std::nullopt;
  return Secret(random_hex(bytes));
}

signing::Hash32 token_hash(std::string_view token) {
  return signing::sha256(token);
}

std::optional<signing::Hash32> token_hash(const std::optional<Secret>& token) {
  return token ? std::optional(token_hash(token->reveal())) : std::nullopt;
}

Secret SessionStore::open(const Address& account, const std::optional<signing::Hash32>& drawn, TimestampMs now_ms) {
  while (!by_number_.empty() && sessions_.at(by_number_.begin()->second).ends_at_ms <= now_ms) drop_oldest();
  while (sessions_.size() >= limits::sessions_max) drop_oldest();
  Secret token = drawn ? Secret() : tokens_.draw_hex(session_token_bytes, account);
  const signing::Hash32 hash = drawn ? *drawn : token_hash(token.reveal());
  const Session session{.account = account,
                        .ends_at_ms = now_ms + limits::session_lifetime_ms,
                        .number = by_number_.empty() ? 1 : by_number_.rbegin()->first + 1};
  // Nobody draws a hash twice; if it happens all the same, the session that has it stays.
  if (sessions_.emplace(hash, session).second) by_number_.emplace(session.number, hash);
  return token;
}

bool SessionStore::index() {
  by_number_.clear();
  return are_sound(sessions_) && std::ranges::all_of(sessions_, [&](const auto& row) {
           const auto& [hash, session] = row;
           return session.number != 0 && by_number_.emplace(session.number, hash).second;
         });
}

Secret StreamTokenStore::mint(const StreamGrant& grant, const std::optional<signing::Hash32>& drawn,
                              TimestampMs now_ms) {
  while (!oldest_first_.empty()) {
    const auto oldest = entries_.find(oldest_first_.front());
    if (oldest != entries_.end() && now_ms < oldest->second.ends_at_ms) break;
    drop_oldest();
  }
  while (oldest_first_.size() >= limits::stream_tokens_max) drop_oldest();

  ++minted_;
  Secret token;
  if (!drawn) {
    const std::string particulars = std::string(seed_.reveal()) + ' ' + to_string(grant.account) + ' ' +
                                    std::to_string(now_ms) + ' ' + std::to_string(minted_);
    const signing::Hash32 digest = signing::sha256(particulars);
    token = Secret(to_hex(std::span(digest).first(stream_token_bytes)));
  }
  const signing::Hash32 hash = drawn ? *drawn : token_hash(token.reveal());
  const Entry entry{.grant = grant, .ends_at_ms = now_ms + limits::stream_token_lifetime_ms};
  if (entries_.emplace(hash, entry).second) oldest_first_.push_back(hash);
  return token;
}

bool StreamTokenStore::is_valid() const {
  // Every token gets one turn to be dropped.
  const std::set<signing::Hash32> turns(oldest_first_.begin(), oldest_first_.end());
  return are_sound(minted_, entries_) && oldest_first_.size() <= limits::stream_tokens_max &&
         turns.size() == oldest_first_.size() &&
         std::ranges::all_of(entries_, [&](const auto& entry) { return turns.contains(entry.first); });
}

std::optional<DrawnKey> key_drawn_before(SecretSource source) {
  const auto id = drawn_before(source, key_id_bytes);
  const auto secret = drawn_before(source, key_secret_bytes);
  if (!id || !secret) return std::nullopt;
  return DrawnKey{.id = std::string(key_id_prefix).append(id->reveal()), .secret = std::string(secret->reveal())};
}

std::optional<MintedKey> ApiKeyStore::create(KeyFacts facts, const std::optional<DrawnKey>& drawn, TimestampMs now_ms) {
  const auto owned = by_account_.find(facts.account);
  if (owned != by_account_.end() && owned->second.size() >= limits::api_keys_per_account_max) return std::nullopt;

  DrawnKey key;
  if (drawn && !by_id_.contains(drawn->id)) {
    key = *drawn;
  } else {
    do {
      key.id = std::string(key_id_prefix).append(stream_.draw_hex(key_id_bytes, facts.account).reveal());
    } while (by_id_.contains(key.id));
    key.secret = drawn ? drawn->secret : stream_.draw_hex(key_secret_bytes, facts.account).reveal();
  }
  facts.id = key.id;
  facts.created_at_ms = now_ms;
  const bool inserted = insert({.facts = std::move(facts), .secret = key.secret, .number = last_number_ + 1});
  SVC_ASSERT(inserted);
  return MintedKey{.id = std::move(key.id), .secret = Secret(std::move(key.secret))};
}

bool ApiKeyStore::insert(const Row& row) {
  const KeyFacts& facts = row.facts;
  auto hmac = signing::HmacKey::from_hex(row.secret);
  if (!hmac || !is_name(facts.id) || row.number == 0) return false;
  auto key = std::make_shared<const ApiKey>(ApiKey{facts, Secret(row.secret), row.number, std::move(*hmac)});
  if (!by_id_.emplace(facts.id, key).second) return false;
  by_account_[facts.account].push_back(std::move(key));
  last_number_ = std::max(last_number_, row.number);
  return true;
}

std::vector<ApiKeyStore::Row> ApiKeyStore::all_rows() const {
  std::vector<Row> rows;
  for (const auto& [account, owned] : by_account_)
    for (const auto& key : owned)
      rows.push_back({.facts = *key, .secret = std::string(key->secret.reveal()), .number = key->number});
  return rows;
}

Result<void, api::ErrorCode> AgentStore::add(const Agent& agent, TimestampMs now_ms) {
  while (!ends_.empty() && ends_.begin()->first <= now_ms) erase(Address(ends_.begin()->second));
  if (by_address_.contains(agent.address)) return unexpected(api::ErrorCode::duplicate_agent);
  const auto own = by_account_.find(agent.account);
  if (own != by_account_.end() && own->second.size() >= limits::agents_per_account_max)
    return unexpected(api::ErrorCode::too_many_agents);
  by_address_.emplace(agent.address, agent);
  list(agent);
  return {};
}

bool AgentStore::index() {
  by_account_.clear();
  ends_.clear();
  for (const auto& [address, agent] : by_address_) {
    if (agent.address != address) return false;
    list(agent);
  }
  return are_sound(by_address_);
}

void AgentStore::erase(const Address& address) {
  const auto known = by_address_.find(address);
  SVC_ASSERT(known != by_address_.end());
  const Agent& agent = known->second;
  const auto own = by_account_.find(agent.account);
  own->second.erase(address);
  if (own->second.empty()) by_account_.erase(own);
  ends_.erase({agent.expires_at_ms, address});
  by_address_.erase(known);
}

std::vector<Agent> AgentStore::of(const Address& account, TimestampMs now_ms) const {
  std::vector<Agent> agents;
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return agents;
  for (const Address& address : own->second)
    if (auto agent = find(address, now_ms)) agents.push_back(std::move(*agent));
  return agents;
}

Result<Agent, RegistrationRefusal> AgentRegistrar::verified(const api::RegisterAgentRequest& request,
                                                            TimestampMs now_ms) const {
  using enum RegistrationRefusal;
  if (request.agent == request.wallet || request.agent == Address{}) return unexpected(bad_agent);
  const TimestampMs expires_at_ms = request.expires_at.value_or(now_ms + limits::agent_lifetime_default_ms);
  if (expires_at_ms < now_ms + limits::agent_lifetime_min_ms || expires_at_ms > now_ms + limits::agent_lifetime_max_ms)
    return unexpected(expiry_out_of_range);

  // Only with the chain id that this network publishes: a registration for another one never verifies.
  const auto signature = signing::parse_signature(request.signature);
  if (!signature) return unexpected(malformed_signature);
  if (request.chain_id.value_or(signing::action_chain_id) != signing::action_chain_id)
    return unexpected(signature_mismatch);
  const signing::Hash32 hash = signing::struct_hash(
      signing::RegisterAgent{.agent = request.agent,
                             .expires_at_ms = static_cast<std::uint64_t>(request.expires_at.value_or(0)),
                             .nonce = request.nonce});
  const auto signed_under = [&](const signing::Domain& domain) {
    const signing::Hash32 digest = signing::typed_data_digest(signing::separator(domain), hash);
    return signing::recover(digest, *signature) == request.wallet;
  };
  if (!signed_under(signing::registration_domain(domain_name, signing::action_chain_id, network))) {
    if (!signed_under(signing::plain_registration_domain(domain_name, signing::action_chain_id)))
      return unexpected(signature_mismatch);
    if (!takes_unsalted) return unexpected(other_networks_name);
  }
  return Agent{.address = request.agent,
               .account = request.wallet,
               .label = request.label,
               .registered_at_ms = now_ms,
               .expires_at_ms = expires_at_ms};
}

}  // namespace svc::sim
