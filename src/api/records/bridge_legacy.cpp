#include "api/records/bridge_legacy.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<DepositAddressRequest>();
template const TypeInfo& type_of<BridgeDepositAddress>();
template const TypeInfo& type_of<WalletChallengeRequest>();
template const TypeInfo& type_of<BridgeWalletChallenge>();
template const TypeInfo& type_of<RegisterWalletRequest>();
template const TypeInfo& type_of<BridgeWallet>();
template const TypeInfo& type_of<BridgeWallets>();
template const TypeInfo& type_of<List<BridgeDepositAddress>>();

}  // namespace svc::api
