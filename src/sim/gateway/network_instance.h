// One network as the gateway serves it: its identity, credentials, budgets, routes and handlers. Two networks of
// one process share nothing. (API: Networks, rule 6)
//
// Built and filled before the first request; from then on safe to share between threads.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/contract/venue.h"
#include "api/error_catalog.h"
#include "api/message_codec.h"
#include "api/network.h"
#include "api/operation.h"
#include "api/router.h"
#include "base/find.h"
#include "base/result.h"
#include "base/secret.h"
#include "sim/gateway/authenticator.h"
#include "sim/gateway/rate_limiter.h"
#include "sim/gateway/request_context.h"
#include "sim/services/services.h"

namespace svc::sim {

// What a handler answers with: the record, or what it wrote from a row or row by row.
template <class Response>
struct Answered {
  using Type = Response;
};
template <api::Listed T>
struct Answered<T> {
  using Type = api::WrittenRecord<typename T::Row>;
};
template <class T>
struct Answered<api::List<T>> {
  using Type = api::WrittenList<typename api::ListedAs<T>::Type>;
};
template <class T>
struct Answered<api::Page<T>> {
  using Type = api::WrittenList<typename api::ListedAs<T>::Type>;
};
template <class Op>
using ResponseOf = typename Answered<typename Op::Response>::Type;
// The response, or the error. As the result of a function it also says which operation the function answers.
template <class Op>
struct [[nodiscard]] Answer : Result<ResponseOf<Op>, api::ApiError> {
  using Outcome = Result<ResponseOf<Op>, api::ApiError>;
  using Outcome::Outcome;
  Answer(Outcome outcome) : Outcome(std::move(outcome)) {}
};
template <class Function>
struct AnsweringFunction;
template <class Op, class... Args>
struct AnsweringFunction<Answer<Op>(Args...)> {
  using Operation = Op;
};
template <class Function>
using OperationOf = typename AnsweringFunction<Function>::Operation;

// Decodes the request, answers it and encodes the response into the context.
using Handler = std::function<Result<void, api::ApiError>(RequestContext&)>;

// The handler of each operation, which runs after authentication and charging, on the thread of the request. Filled
// once, before the first request, by the files of handlers/:
//
//   handlers.bind_all(login, list_fills);  // Answer<ops::Login> login(RequestContext&, const LoginRequest&)
//                                          // Answer<ops::ListFills> list_fills(const ViewRead<FillsRequest>&)
class HandlerTable {
 public:
  // Each operation is bound once. (handlers/venue_access.h)
  template <class Op, class F>
  void bind(F answer);

  // Binds several such functions, each to the operation that its type names.
  template <class... Functions>
  void bind_all(Functions*... answers) {
    (bind<OperationOf<Functions>>(answers), ...);
  }

  // `operation` outlives the table.
  void add(const api::Operation& operation, Handler handler) {
    const bool first = by_operation_.emplace(&operation, std::move(handler)).second;
    SVC_ASSERT(first);
  }
  // nullptr if the operation is not offered yet.
  [[nodiscard]] const Handler* find(const api::Operation& operation) const {
    const auto bound = by_operation_.find(&operation);
    return bound == by_operation_.end() ? nullptr : &bound->second;
  }

 private:
  std::unordered_map<const api::Operation*, Handler> by_operation_;
};

enum class AuthStyle : std::uint8_t { strict, lenient };  // lenient: timestamps are not compared with the clock

// What all networks of a server have in common.
struct NetworkTerms {
  Secret admin_secret;                       // empty: every admin request is refused
  bool require_action = false;               // order-path writes need a signed action beside the credential
  bool session_mints_stream_tokens = false;  // POST /ws/token takes a session token, as older contracts had it
  AuthStyle auth = AuthStyle::strict;
  bool strict_market_ids = false;  // paths of single orders need ?market_id= (D-402)
  RateLimitScale limits;
  MoneyTerms money;  // the chain behind the bridge, and what is switched off at the start
};

struct NetworkSettings : NetworkTerms {
  api::NetworkId id = api::NetworkId::local;
  bool faucet = false;                       // serves the operations that exist on testnet only
  std::vector<std::string> hosts;            // the names of this network, without port; empty: any
  std::string domain_name = "Svc Exchange";  // of every signing domain and of the login message
  // Set if several networks share that name: signatures that identify the network only by name are valid on this
  // one alone.
  std::optional<api::NetworkId> domain_name_owner;
  std::string deployment = "svc-local";  // `domain` member of signed actions
  std::uint64_t seed = 1;
  SecretSource secrets = SecretSource::seed;
  bool referral_store = true;  // false: referral reads answer 503 REFERRAL_STORE_NOT_CONFIGURED

  [[nodiscard]] bool has_host(std::string_view host) const { return hosts.empty() || is_among(host, hosts); }
  // Whether a login, a withdrawal or an unsalted registration signed under `domain_name` is meant for this network.
  // (API: Networks, rule 6; D-646)
  [[nodiscard]] bool owns_domain_name() const { return domain_name_owner.value_or(id) == id; }
};

class NetworkInstance {
 public:
  explicit NetworkInstance(NetworkSettings network_settings)
      : settings(std::move(network_settings)),
        services({.network = settings.id, .seed = settings.seed, .money = settings.money}),
        registrar({.domain_name = settings.domain_name,
                   .network = api::to_string(settings.id),
                   .takes_unsalted = settings.owns_domain_name()}),
        limiter(settings.limits),
        authenticator(services, has_money, settings),
        router_(api::Router::of_network(settings.faucet)) {}
  NetworkInstance(const NetworkInstance&) = delete;
  NetworkInstance& operator=(const NetworkInstance&) = delete;

  const NetworkSettings settings;
  Services services;  // changed by the sequencer alone
  const AgentRegistrar registrar;
  RateLimiter limiter;
  const Authenticator authenticator;
  HandlerTable handlers;
  // Set before the first request: by bind_operations, and by the exchange.
  std::shared_ptr<const VenueAccess> venue;
  AccountProbe has_money;
  // Whether a stream of the account is open. Set before the first request.
  AccountProbe has_stream;
  // Of several nodes that serve the network: whether this one shows everything that was answered before. May wait.
  // Set before the first request; without it there is one node.
  std::function<bool()> is_current;
  // Likewise: whether it has missed for a while what others may have written. Does not wait.
  std::function<bool()> is_cut_off = [] { return false; };
  // Likewise: whether the node that writes was heard just now. Does not wait.
  std::function<bool()> hears_writer = [] { return true; };
  // Likewise: what GET /status says of the node.
  std::function<api::ServiceState()> cluster_state;
  // Why the log in a folder takes no writes now; empty: it does, or there is none. Set before the first request.
  std::function<std::string()> log_problem = [] { return std::string(); };
  // Told about every request. Set before the first one; nobody is told without it.
  RequestWitness* witness = nullptr;

  [[nodiscard]] const api::Router& router() const { return router_; }

  // Serves a public document besides the operations, at the host root and under the base: "/openapi.json".
  void serve_document(const std::string& path, Handler answer) {
    auto& [kept_path, operation] = documents_.emplace_back(path, api::Operation{});
    operation.name = operation.path = kept_path;
    operation.group = "document";
    router_.add(operation);
    handlers.add(operation, std::move(answer));
  }

  // After a change of the account's tier. (API: Admin group)
  void fill_budgets(const Address& account) {
    std::vector<std::string> key_ids;
    for (const auto& key : services.look()->keys.of(account)) key_ids.push_back(key->id);
    limiter.reset(account, key_ids);
  }

  // Whose budgets pay for a request of this caller.
  [[nodiscard]] Payer payer_of(const Caller& caller, const std::optional<std::string>& client_address) const {
    return {.account = caller.account,
            .tier = services.look()->tiers.of(caller.account),
            .key_id = caller.key ? caller.key->id : std::string(),
            .key_ceiling_per_second = caller.key ? caller.key->ceiling_per_second : 0,
            .client_address = client_address};
  }

 private:
  api::Router router_;
  std::deque<std::pair<std::string, api::Operation>> documents_;  // router and handlers borrow from them
};

}  // namespace svc::sim
