// One network as the gateway serves it: its identity, who may act on it, their budgets, its routes and
// handlers. Two networks of one process share nothing. (API: Networks, rule 6)
//
// Built and filled before the first request; from then on safe to share between threads, as every store
// guards itself.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "api/network.h"
#include "api/operation.h"
#include "base/secret.h"
#include "sim/gateway/authenticator.h"
#include "sim/gateway/handler_table.h"
#include "sim/gateway/rate_limiter.h"
#include "sim/gateway/router.h"
#include "sim/services/agent_registration.h"
#include "sim/services/agent_store.h"
#include "sim/services/api_key_store.h"
#include "sim/services/credit_ledger.h"
#include "sim/services/faucet_ledger.h"
#include "sim/services/nonce_book.h"
#include "sim/services/session_store.h"
#include "sim/services/tier_store.h"
#include "sim/services/wallet_login.h"

namespace svc::sim {

struct NetworkSettings {
  api::NetworkId id = api::NetworkId::local;
  bool faucet = false;                       // the operations that exist on testnet only are served
  std::vector<std::string> hosts;            // names it is served under, without port; empty: any
  std::string domain_name = "Svc Exchange";  // of every signing domain and of the login message
  std::string deployment = "svc-local";      // `domain` member of signed actions
  Secret admin_secret;                       // empty: every admin request is refused
  bool require_action = false;
  RateLimitScale limits = {};
  std::uint64_t seed = 1;
  FaucetTerms faucet_terms = {};
  CreditTerms credit_terms = {};
};

// What is served as it is, without credentials: the interface description, say.
struct Document {
  std::string content_type;
  std::string body;
};

class NetworkInstance {
 public:
  explicit NetworkInstance(NetworkSettings network_settings);
  NetworkInstance(const NetworkInstance&) = delete;
  NetworkInstance& operator=(const NetworkInstance&) = delete;

  const NetworkSettings settings;

  SessionStore sessions;
  ApiKeyStore keys;
  AgentStore agents;
  NonceBook nonces;        // of agents and of signed actions
  NonceBook owner_nonces;  // of registrations and transfers: a sequence of their own (D-243)
  TierStore tiers;
  FaucetLedger faucet;
  CreditLedger credits;
  const WalletLogin login;
  AgentRegistrar registrar;
  RateLimiter limiter;
  const Authenticator authenticator;
  HandlerTable handlers;

  [[nodiscard]] const Router& router() const { return router_; }

  // At the host root and under the base; `path` is exact: "/openapi.json".
  void serve_document(const std::string& path, Document document);
  // nullptr if the operation is no document, or one without a text.
  [[nodiscard]] const Document* document_of(const api::Operation& operation) const;

  // Assigns a tier and fills the account's budgets. (API: Admin group)
  void assign_tier(const Address& account, api::Tier tier);
  // False if the account had the default.
  [[nodiscard]] bool reset_tier(const Address& account);

  // The ceiling that a key of this account gets for life if it is minted now. (D-223)
  [[nodiscard]] std::uint32_t key_ceiling_per_second(const Address& account) const;

  // Whose budgets pay for a request of this caller.
  [[nodiscard]] Payer payer_of(const Caller& caller, const std::optional<std::string>& client_address) const;

 private:
  struct DocumentRoute {
    std::string path;
    api::Operation operation;
    std::optional<Document> document;  // nullopt: the path is known, its text does not exist yet
  };

  [[nodiscard]] DocumentRoute& document_route(const std::string& path);
  void fill_budgets(const Address& account);

  Router router_;
  std::deque<DocumentRoute> documents_;  // never moved: the router borrows from them
};

}  // namespace svc::sim
