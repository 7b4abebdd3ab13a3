#include "sim/gateway/network_instance.h"

#include "api/operation_list.h"
#include "base/assert.h"

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

}  // namespace

NetworkInstance::NetworkInstance(NetworkSettings network_settings)
    : settings(std::move(network_settings)),
      services({.network = settings.id, .seed = settings.seed, .money = settings.money}),
      registrar({.domain_name = settings.domain_name,
                 .network = api::to_string(settings.id),
                 .takes_unsalted = settings.owns_domain_name()}),
      limiter(settings.limits),
      authenticator(services, has_money, settings),
      router_(routes_of(settings)) {}

void NetworkInstance::serve_document(const std::string& path, Handler answer) {
  auto& [kept_path, operation] = documents_.emplace_back(path, api::Operation{});
  operation.name = operation.path = kept_path;
  operation.group = "document";
  router_.add(operation);
  handlers.add(operation, std::move(answer));
}

void NetworkInstance::fill_budgets(const Address& account) {
  std::vector<std::string> key_ids;
  for (const auto& key : services.look()->keys.of(account)) key_ids.push_back(key->id);
  limiter.reset(account, key_ids);
}

Payer NetworkInstance::payer_of(const Caller& caller, const std::optional<std::string>& client_address) const {
  return {.account = caller.account,
          .tier = services.look()->tiers.of(caller.account),
          .key_id = caller.key ? caller.key->id : std::string(),
          .key_ceiling_per_second = caller.key ? caller.key->ceiling_per_second : 0,
          .client_address = client_address};
}

}  // namespace svc::sim
