#include "api/contract/bridge.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<BridgeAsset>();
template const TypeInfo& type_of<BridgeChain>();
template const TypeInfo& type_of<BridgeAssetsResponse>();
template const TypeInfo& type_of<BridgeDepositsRequest>();
template const TypeInfo& type_of<BridgeDeposit>();
template const TypeInfo& type_of<BridgeRef>();
template const TypeInfo& type_of<BridgeWithdrawalRequest>();
template const TypeInfo& type_of<BridgeWithdrawalsRequest>();
template const TypeInfo& type_of<BridgeWithdrawal>();
template const TypeInfo& type_of<List<BridgeDeposit>>();
template const TypeInfo& type_of<List<BridgeWithdrawal>>();

template const TypeInfo& type_of<DepositAddressRequest>();
template const TypeInfo& type_of<BridgeDepositAddress>();
template const TypeInfo& type_of<WalletChallengeRequest>();
template const TypeInfo& type_of<BridgeWalletChallenge>();
template const TypeInfo& type_of<RegisterWalletRequest>();
template const TypeInfo& type_of<BridgeWallet>();
template const TypeInfo& type_of<BridgeWallets>();
template const TypeInfo& type_of<List<BridgeDepositAddress>>();

}  // namespace svc::api
