#include "sim/gateway/network_instance.h"

#include <utility>

#include "api/operation_list.h"
#include "api/tiers.h"
#include "base/assert.h"
#include "base/random.h"
#include "signing/domain.h"

namespace svc::sim {
namespace {

Router routes_of(const NetworkSettings& settings) {
  Router router;
  for (const auto operations : {api::all_operations(), api::legacy_operations()}) {
    for (const api::OperationEntry& entry : operations) {
      const bool served = entry.operation->networks == api::NetworkSet::all || settings.faucet;
      if (served) router.add(*entry.operation);
    }
  }
  return router;
}

// Networks of one process draw different credentials, whatever the order of requests.
SecretStream stream_of(const NetworkSettings& settings, const char* purpose) {
  return {Prng(settings.seed, std::string(api::to_string(settings.id)) + '/' + purpose), settings.secrets};
}

}  // namespace

NetworkStores::NetworkStores(const NetworkSettings& settings)
    : sessions(stream_of(settings, "sessions")),
      keys(stream_of(settings, "keys"), settings.id),
      stream_tokens(stream_of(settings, "stream tokens")),
      faucet(settings.faucet_terms),
      credits(settings.credit_terms),
      money(settings.id, settings.money_terms) {}

bool NetworkStores::restore(const RecordChange& change) {
  return sessions.restore(change) && keys.restore(change) && agents.restore(change) && nonces.restore(change) &&
         owner_nonces.restore(change) && tiers.restore(change) && faucet.restore(change) && credits.restore(change) &&
         money.restore(change);
}

NetworkInstance::NetworkInstance(NetworkSettings network_settings)
    : settings(std::move(network_settings)),
      stores_(std::in_place, settings),
      disconnects(settings.disconnect_terms),
      login(settings.domain_name),
      registrar({.domain_name = settings.domain_name,
                 .network = api::to_string(settings.id),
                 .takes_unsalted = settings.owns_domain_name()},
                agents, owner_nonces),
      limiter(settings.limits),
      authenticator({.sessions = sessions, .keys = keys, .agents = agents, .nonces = nonces, .has_money = has_money},
                    settings),
      router_(routes_of(settings)) {}

bool NetworkInstance::restore(const RecordChange& change) {
  return stores_->restore(change) && disconnects.restore(change);
}

void NetworkInstance::forget_rows() {
  stores_.emplace(settings);
  disconnects.forget();
}

void NetworkInstance::serve_document(const std::string& path, Handler answer) {
  DocumentRoute& route =
      documents_.emplace_back(DocumentRoute{.path = path, .operation = {}, .answer = std::move(answer)});
  route.operation.name = route.path;
  route.operation.group = "document";
  route.operation.path = route.path;
  router_.add(route.operation);
}

const Handler* NetworkInstance::handler_of(const api::Operation& operation) const {
  for (const DocumentRoute& route : documents_) {
    if (&route.operation == &operation) return &route.answer;
  }
  return handlers.find(operation);
}

void NetworkInstance::assign_tier(const Address& account, api::Tier tier, RecordBatch& records) {
  tiers.assign(account, tier, records);
  fill_budgets(account);
}

bool NetworkInstance::reset_tier(const Address& account, RecordBatch& records) {
  const bool had_another = tiers.reset(account, records);
  if (had_another) fill_budgets(account);
  return had_another;
}

void NetworkInstance::fill_budgets(const Address& account) {
  std::vector<std::string> key_ids;
  for (const auto& key : keys.of(account)) key_ids.push_back(key->id);
  limiter.reset(account, key_ids);
}

std::uint32_t NetworkInstance::key_ceiling_per_second(const Address& account) const {
  const api::Tier tier = tiers.of(account);
  return tier == api::Tier::unlimited ? 0 : api::limits_of(tier).requests_per_second;
}

Payer NetworkInstance::payer_of(const Caller& caller, const std::optional<std::string>& client_address) const {
  return {.account = caller.account,
          .tier = tiers.of(caller.account),
          .key_id = caller.key ? std::string_view(caller.key->id) : std::string_view(),
          .key_ceiling_per_second = caller.key ? caller.key->ceiling_per_second : 0,
          .client_address = client_address};
}

const Handler* HandlerTable::find(const api::Operation& operation) const {
  const auto bound = by_name_.find(operation.name);
  return bound == by_name_.end() ? nullptr : &bound->second;
}

void HandlerTable::add(const api::Operation& operation, Handler handler) {
  const bool first = by_name_.emplace(operation.name, std::move(handler)).second;
  SVC_ASSERT(first);
}

}  // namespace svc::sim
