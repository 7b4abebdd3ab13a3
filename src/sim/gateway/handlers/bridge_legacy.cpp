// Deposit addresses and wallets of the bridge, for clients that still call them.

#include "api/ops/bridge_legacy.h"

#include <memory>

#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

using namespace api;

ApiError wallet_refusal_of(WalletRefusal refusal) {
  switch (refusal) {
    case WalletRefusal::unknown_challenge: return ErrorCode::invalid_challenge;
    case WalletRefusal::account_mismatch: return ErrorCode::account_mismatch;
    case WalletRefusal::challenge_expired: return ErrorCode::challenge_expired;
    case WalletRefusal::signature_mismatch: return ErrorCode::signature_mismatch;
    case WalletRefusal::registered_already: return ErrorCode::wallet_already_registered;
    case WalletRefusal::too_many:
      return ApiError(ErrorCode::wallet_registration_unavailable, "the account has as many wallets as it may have");
  }
  SVC_ASSERT(false);
}

class LegacyBridgeHandlers {
 public:
  explicit LegacyBridgeHandlers(MoneyServices& money) : money_(money) {}

  Answer<ops::CreateDepositAddress> open_address(RequestContext& context, const DepositAddressRequest& request) const {
    if (request.chain != money_.chain.name)
      return unexpected(ApiError(ErrorCode::unsupported_chain, "the bridge serves chain " + money_.chain.name));
    return record(money_.addresses.open(context.account(), context.now_ms, context.records));
  }

  Answer<ops::ListDepositAddresses> list_addresses(RequestContext& context, const Empty&) const {
    List<BridgeDepositAddress> list;
    if (const auto address = money_.addresses.of(context.account())) list.rows.push_back(record(*address));
    return list;
  }

  Answer<ops::CreateWalletChallenge> challenge(RequestContext& context, const WalletChallengeRequest& request) const {
    SVC_TRY(is_offered());
    const WalletChallenge issued =
        money_.wallets.challenge(context.account(), request.address, context.now_ms, context.records);
    return BridgeWalletChallenge{
        .address = issued.wallet, .nonce = issued.nonce, .message = issued.message, .expires_at = issued.expires_ms};
  }

  Answer<ops::RegisterWallet> add_wallet(RequestContext& context, const RegisterWalletRequest& request) const {
    SVC_TRY(is_offered());
    const auto is_default = money_.wallets.add(context.account(), request.address, request.message, request.signature,
                                               context.now_ms, context.records);
    if (!is_default) return unexpected(wallet_refusal_of(is_default.error()));
    return BridgeWallet{.address = request.address, .verified = true, .is_default = *is_default};
  }

  Answer<ops::ListWallets> list_wallets(RequestContext& context, const Empty&) const {
    BridgeWallets list;
    for (const Address& wallet : money_.wallets.of(context.account()))
      list.wallets.push_back({.address = wallet, .verified = true, .is_default = list.wallets.empty()});
    return list;
  }

 private:
  // The record, which has the store's name.
  using BridgeWallets = api::BridgeWallets;

  Result<void, ApiError> is_offered() const {
    if (money_.switches.is_on(Switchable::wallet_registration)) return {};
    return unexpected(ApiError(ErrorCode::wallet_registration_unavailable));
  }

  BridgeDepositAddress record(const DepositAddress& address) const {
    return {.address = to_string(address.address),
            .chain = money_.chain.name,
            .accepts = {"USDC", "USDX"},
            .account_id = address.account,
            .created_at = address.created_ms};
  }

  MoneyServices& money_;
};

}  // namespace

void bind_bridge_legacy(NetworkInstance& network) {
  const auto handlers = std::make_shared<const LegacyBridgeHandlers>(network.money);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::CreateDepositAddress>(&LegacyBridgeHandlers::open_address);
  bind.operator()<ops::ListDepositAddresses>(&LegacyBridgeHandlers::list_addresses);
  bind.operator()<ops::CreateWalletChallenge>(&LegacyBridgeHandlers::challenge);
  bind.operator()<ops::RegisterWallet>(&LegacyBridgeHandlers::add_wallet);
  bind.operator()<ops::ListWallets>(&LegacyBridgeHandlers::list_wallets);
}

}  // namespace svc::sim
