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

}  // namespace svc::sim
