// The venue's credentials: sessions, stream tokens, API keys and agents, and the nonces that were spent.
//
// Secrets are drawn from a seeded stream, so that equal seeds give equal ones; they protect nothing real then. Where
// the sandbox is reachable by others they come from the system. (D-222)
//
// The stores are parts of ServicesState: changed by the single writer alone.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/error_catalog.h"
#include "base/address.h"
#include "base/archive.h"
#include "base/random.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/text.h"
#include "signing/hmac.h"

namespace svc::api {
struct RegisterAgentRequest;
}

namespace svc::sim {

inline constexpr std::size_t session_token_bytes = 32;  // 64 hex digits
inline constexpr std::size_t stream_token_bytes = 24;   // 48 hex digits
inline constexpr std::size_t key_secret_bytes = 32;     // 64 hex digits, the HMAC key when decoded
inline constexpr std::size_t key_id_bytes = 8;          // 16 hex digits after the prefix
inline constexpr std::string_view key_id_prefix = "svc_";

enum class SecretSource : std::uint8_t {
  seed,    // drawn by the single writer; equal runs give equal secrets: they protect nothing real (D-222)
  system,  // unpredictable: drawn before the command that brings them to the writer (D-661)
};

// What a command has to bring: `bytes` unpredictable bytes as lower-case hex; nullopt if the writer draws them.
[[nodiscard]] std::optional<Secret> drawn_before(SecretSource source, std::size_t bytes);

class SecretStream {
 public:
  explicit SecretStream(Prng seeded) : seeded_(seeded) {}

  // `bytes` random bytes as lower-case hex; a multiple of 8.
  [[nodiscard]] Secret draw_hex(std::size_t bytes) {
    SVC_ASSERT(bytes % sizeof(std::uint64_t) == 0);
    std::string text;
    text.reserve(2 * bytes);
    for (std::size_t drawn = 0; drawn < bytes; drawn += sizeof(std::uint64_t)) text += hex_of(seeded_.next());
    return Secret(std::move(text));
  }
  // The same for a credential of that account, at most 32. Two sandboxes of one seed give different accounts different
  // secrets, so that a client that mistakes one for the other does not act for somebody else.
  [[nodiscard]] Secret draw_hex(std::size_t bytes, const Address& account) {
    const signing::Hash32 mixed = signing::sha256(std::string(draw_hex(bytes).reveal()) + to_string(account));
    SVC_ASSERT(bytes <= mixed.size());
    return Secret(to_hex(std::span(mixed).first(bytes)));
  }

  SVC_KEEPS(seeded_);

 private:
  Prng seeded_;
};

// The hash under which a token is stored and looked up, so that timing reveals nothing about a guessed token.
[[nodiscard]] signing::Hash32 token_hash(std::string_view token);
[[nodiscard]] std::optional<signing::Hash32> token_hash(const std::optional<Secret>& token);

// A credential that its account can take back: a key by its id, or an agent. What was admitted by it happens only while
// it stands. (D-916)
struct Entitlement {
  Address account{};
  std::variant<Address, std::string> by{};  // an agent, or a key's id

  bool operator==(const Entitlement&) const = default;
};
using Entitlements = std::vector<Entitlement>;

// Sessions opened by POST /auth/login: a token of 64 hex digits is valid for its account for 24 hours. Only hashes are
// stored.
class SessionStore {
 public:
  explicit SessionStore(SecretStream tokens) : tokens_(tokens) {}

  // Opens a session under that hash, or under the next token of the stream, which is returned then; otherwise the
  // result is empty. Beyond limits::sessions_max the oldest session ends.
  [[nodiscard]] Secret open(const Address& account, const std::optional<signing::Hash32>& drawn, TimestampMs now_ms);

  // The session's account; nullopt if the token is unknown or expired.
  [[nodiscard]] std::optional<Address> find(std::string_view token, TimestampMs now_ms) const {
    const auto session = sessions_.find(token_hash(token));
    if (session == sessions_.end() || session->second.ends_at_ms <= now_ms) return std::nullopt;
    return session->second.account;
  }

  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

  // When the next session ends after that instant; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const {
    for (const auto& [number, hash] : by_number_)
      if (const TimestampMs ends_at_ms = sessions_.at(hash).ends_at_ms; ends_at_ms > now_ms) return ends_at_ms;
    return std::nullopt;
  }

  SVC_KEEPS_IF(index(), tokens_, sessions_);

 private:
  struct Session {
    Address account{};
    TimestampMs ends_at_ms = 0;
    std::uint64_t number = 0;
  };

  // False if a row is invalid.
  [[nodiscard]] bool index();
  void drop_oldest() {
    const auto oldest = by_number_.begin();
    sessions_.erase(oldest->second);
    by_number_.erase(oldest);
  }

  SecretStream tokens_;
  std::map<signing::Hash32, Session> sessions_;
  std::map<std::uint64_t, signing::Hash32> by_number_;  // also in order of expiry: all live equally long
};

enum class StreamChannels : std::uint8_t {
  all,          // of POST /ws/token
  public_only,  // of POST /ws-tokens, which older clients use
};

struct StreamGrant {
  Address account{};
  StreamChannels channels = StreamChannels::all;
  Entitlements by = {};  // all must stand, or it opens nothing; none of a session

  bool operator==(const StreamGrant&) const = default;
};

// Tokens that open a stream: one upgrade within 60 seconds, for the account they were minted for. Whether the key or
// agent that minted one still stands is for the caller to look up.
// (API: POST /ws/token and /ws-tokens)
//
// Each network has its own store, so a token is valid only on the network that minted it. Only hashes are stored. A
// token is derived from a seeded secret, its account, the time and a number: equal histories mint equal tokens.
class StreamTokenStore {
 public:
  explicit StreamTokenStore(SecretStream secret) : seed_(secret.draw_hex(session_token_bytes)) {}

  // Mints a token under that hash, or one of 48 hex digits, which is returned then; otherwise the result is empty.
  // Beyond limits::stream_tokens_max the oldest token is forgotten.
  [[nodiscard]] Secret mint(const StreamGrant& grant, const std::optional<signing::Hash32>& drawn, TimestampMs now_ms);

  // What the token grants, once; nullopt if it is unknown, expired or used.
  [[nodiscard]] std::optional<StreamGrant> redeem(const signing::Hash32& token, TimestampMs now_ms) {
    const auto found = entries_.find(token);
    if (found == entries_.end() || found->second.ends_at_ms <= now_ms) return std::nullopt;
    const StreamGrant grant = found->second.grant;
    entries_.erase(found);
    return grant;
  }
  // What an agent minted opens nothing any more: it is registered anew. (D-916)
  void drop_of(const Address& agent) {
    const auto is_its = [&](const Entitlement& one) { return one.by == std::variant<Address, std::string>(agent); };
    std::erase_if(entries_, [&](const auto& entry) { return std::ranges::any_of(entry.second.grant.by, is_its); });
  }
  // None opens a stream any more; numbers go on.
  void drop_all() {
    entries_.clear();
    oldest_first_.clear();
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  SVC_KEEPS_IF(is_valid(), minted_, entries_, oldest_first_);

 private:
  struct Entry {
    StreamGrant grant{};
    TimestampMs ends_at_ms = 0;
  };

  [[nodiscard]] bool is_valid() const;
  void drop_oldest() {
    entries_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }

  Secret seed_;
  std::uint64_t minted_ = 0;
  std::map<signing::Hash32, Entry> entries_;
  std::deque<signing::Hash32> oldest_first_;  // redeemed ones stay until their turn
};

struct KeyFacts {
  std::string id{};  // prefix, '_', 16 hex digits
  Address account{};
  std::optional<std::string> label{};
  std::uint32_t ceiling_per_second = 0;  // of its own request bucket; 0: none. Never changes. (D-223)
  TimestampMs created_at_ms = 0;
};

struct ApiKey : KeyFacts {
  Secret secret;         // hex
  std::uint64_t number;  // counts up with every key of the store
  signing::HmacKey hmac;
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

// API keys of one network: who holds them, the secret they sign with, and their own request ceiling.
//
// A key exists only on the network that minted it: each network has its own store and its own log. (API: API keys are
// bound to one network) Secrets are stored in plain form, because checking a signature needs them. A key that was found
// stays usable after its deletion.
class ApiKeyStore {
 public:
  explicit ApiKeyStore(SecretStream ids_and_secrets) : stream_(ids_and_secrets) {}

  // Of these facts, with the drawn id and secret, or the next ones of the stream. nullopt beyond
  // limits::api_keys_per_account_max.
  [[nodiscard]] std::optional<MintedKey> create(KeyFacts facts, const std::optional<DrawnKey>& drawn,
                                                TimestampMs now_ms);
  // nullptr if this network has no such key.
  [[nodiscard]] std::shared_ptr<const ApiKey> find(std::string_view id) const {
    return value_in(by_id_, id).value_or(nullptr);
  }
  // Of all accounts.
  [[nodiscard]] std::size_t size() const { return by_id_.size(); }
  // In the order of creation.
  [[nodiscard]] std::vector<std::shared_ptr<const ApiKey>> of(const Address& account) const {
    return value_in(by_account_, account).value_or(std::vector<std::shared_ptr<const ApiKey>>{});
  }
  // False if the account has no such key, even if another account has.
  [[nodiscard]] bool remove(const Address& account, std::string_view id) {
    const auto key = by_id_.find(id);
    if (key == by_id_.end() || key->second->account != account) return false;
    std::erase(by_account_.at(account), key->second);
    by_id_.erase(key);
    return true;
  }

  template <class Archive>
  void archive(Archive& archive) {
    std::vector<Row> rows;
    if constexpr (!Archive::reading) rows = all_rows();
    archive(stream_, last_number_, rows);
    archive.check([&] { return adopt(rows); });
  }

 private:
  // A key as it is kept.
  struct Row {
    KeyFacts facts{};
    std::string secret{};
    std::uint64_t number = 0;
  };

  [[nodiscard]] std::vector<Row> all_rows() const;
  [[nodiscard]] bool adopt(const std::vector<Row>& rows) {
    by_id_.clear();
    by_account_.clear();
    return are_sound(last_number_, rows) && std::ranges::all_of(rows, [&](const Row& row) { return insert(row); });
  }
  // False if the row makes no key.
  [[nodiscard]] bool insert(const Row& row);

  SecretStream stream_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, std::shared_ptr<const ApiKey>, std::less<>> by_id_;
  std::map<Address, std::vector<std::shared_ptr<const ApiKey>>> by_account_;  // in the order of creation
};

// An agent key: an address that may sign for an account until it expires or is revoked.
struct Agent {
  Address address{};
  Address account{};
  std::optional<std::string> label{};
  TimestampMs registered_at_ms = 0;
  TimestampMs expires_at_ms = 0;  // no longer active at this instant
};

// An address is the agent of at most one account at a time.
class AgentStore {
 public:
  // Refused with duplicate_agent if the address is an active agent of some account, and with too_many_agents beyond
  // limits::agents_per_account_max. Forgets all agents that have expired.
  [[nodiscard]] Result<void, api::ErrorCode> add(const Agent& agent, TimestampMs now_ms);
  // False if the account has no such active agent, and is not that agent itself: anybody may have registered it.
  [[nodiscard]] bool revoke(const Address& account, const Address& agent, TimestampMs now_ms) {
    const auto known = find(agent, now_ms);
    if (!known || (known->account != account && agent != account)) return false;
    erase(agent);
    return true;
  }
  [[nodiscard]] std::optional<Agent> find(const Address& agent, TimestampMs now_ms) const {
    const auto known = by_address_.find(agent);
    if (known == by_address_.end() || now_ms >= known->second.expires_at_ms) return std::nullopt;
    return known->second;
  }
  // By address.
  [[nodiscard]] std::vector<Agent> of(const Address& account, TimestampMs now_ms) const;

  // The number of agents of all accounts, including expired ones that are not forgotten yet.
  [[nodiscard]] std::size_t size() const { return by_address_.size(); }

  // When the next active agent expires; nullopt if none will.
  [[nodiscard]] std::optional<TimestampMs> next_end_ms(TimestampMs now_ms) const {
    const auto next = ends_.lower_bound({now_ms + 1, {}});
    return next == ends_.end() ? std::nullopt : std::optional(next->first);
  }

  SVC_KEEPS_IF(index(), by_address_);

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void list(const Agent& agent) {
    by_account_[agent.account].insert(agent.address);
    ends_.insert({agent.expires_at_ms, agent.address});
  }
  void erase(const Address& address);

  std::map<Address, Agent> by_address_;
  std::map<Address, std::set<Address>> by_account_;  // their agents
  std::set<std::pair<TimestampMs, Address>> ends_;   // when they expire
};

// What an owner has to sign to register an agent, and for how long. (API: POST /agents/register)

enum class RegistrationRefusal : std::uint8_t {
  bad_agent,            // the agent is the wallet itself, or the zero address
  expiry_out_of_range,  // outside limits::agent_lifetime_min_ms .. _max_ms
  malformed_signature,
  signature_mismatch,   // not the wallet's, in either domain of this network
  other_networks_name,  // the wallet's, under a name that another network owns
};

// Verifies registrations; nonce and number of agents are the writer's to decide.
struct AgentRegistrar {
  std::string domain_name;
  std::string_view network;    // salts the domain: "testnet"
  bool takes_unsalted = true;  // of older clients; false if networks share the name

  [[nodiscard]] Result<Agent, RegistrationRefusal> verified(const api::RegisterAgentRequest& request,
                                                            TimestampMs now_ms) const;
};

// Registrations, withdrawals and transfers signed by an owner have a sequence of their own. (D-243)
enum class NonceSequence : std::uint8_t { requests, owners };

struct SpentNonce {
  NonceSequence sequence = NonceSequence::requests;
  Address signer{};
  std::uint64_t nonce = 0;
};
// The nonces of one request, in any order: they do not conflict with each other.
using SpentNonces = std::vector<SpentNonce>;

// Spent nonces: one strictly increasing sequence per signer address.
//
// Agent-signed requests and signed actions of one address share its sequence. A nonce is spent once its signature
// is verified, whatever becomes of the request. (API: Signed trading actions, D-233)
//
// Of signed requests only signers that belong to an account are entered. What an owner signs is entered for every
// wallet: a withdrawal that is refused today must not be repeated by somebody else once the wallet has money.
class NonceBook {
 public:
  // Whether it is higher than every nonce that the signer has spent.
  [[nodiscard]] bool is_fresh(const SpentNonce& spent) const {
    const auto known = highest(spent.sequence, spent.signer);
    return !known || spent.nonce > *known;
  }
  // Enters them all. True if each was fresh.
  [[nodiscard]] bool spend(const SpentNonces& spent) {
    const bool all_fresh = std::ranges::all_of(spent, [&](const SpentNonce& one) { return is_fresh(one); });
    for (const auto& [sequence, signer, nonce] : spent) {
      const auto [highest, first] = highest_.try_emplace({sequence, signer}, nonce);
      if (!first) highest->second = std::max(highest->second, nonce);
    }
    return all_fresh;
  }

  [[nodiscard]] std::optional<std::uint64_t> highest(NonceSequence sequence, const Address& signer) const {
    return value_in(highest_, {sequence, signer});
  }

  SVC_KEEPS(highest_);

 private:
  std::map<std::pair<NonceSequence, Address>, std::uint64_t> highest_;
};

}  // namespace svc::sim
