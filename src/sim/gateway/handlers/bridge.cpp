// The bridge: its assets, deposits, and withdrawals under an idempotency key; for older clients also deposit addresses
// and wallets.
#include "api/contract/bridge.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "signing/hash.h"
#include "signing/key.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

// Amounts of bridge withdrawals are whole units of 0.000001 USDX.
DecimalText units_text(Usdx amount) {
  return DecimalText(std::to_string(amount.value));
}

}  // namespace

std::string transaction_of(const MovementId& movement) {
  return to_hex_0x(signing::keccak256("transaction/" + to_string(movement)));
}

namespace {

// What the records of deposits and withdrawals have in common.
template <class Record>
Record movement_record(const ChainMovement& movement, TimestampMs now_ms) {
  Record record;
  record.id = to_string(movement.id);
  record.account_id = movement.account;
  record.chain = movement.chain;
  record.asset = movement.asset;
  record.address = movement.address;
  record.confirmations = movement.confirmations(now_ms);
  record.required_confirmations = movement.required_confirmations;
  record.tx_hash = transaction_of(movement.id);
  record.created_at = movement.created_ms;
  record.updated_at = movement.updated_ms(now_ms);
  return record;
}

}  // namespace

api::BridgeDeposit deposit_record(const ChainMovement& movement, TimestampMs now_ms) {
  auto record = movement_record<api::BridgeDeposit>(movement, now_ms);
  const auto open = record.confirmations == 0u ? BridgeDepositStatus::detected : BridgeDepositStatus::confirming;
  record.amount = usdx_text(movement.amount);
  record.status = status_as(movement.decision, open, BridgeDepositStatus::credited);
  if (movement.decision == MovementFate::settled) record.credited_at = movement.decided_ms;
  return record;
}

api::BridgeWithdrawal bridge_withdrawal_record(const ChainMovement& movement, TimestampMs now_ms) {
  auto record = movement_record<api::BridgeWithdrawal>(movement, now_ms);
  const MovementFate fate = movement.fate(now_ms);
  record.amount = units_text(movement.amount);
  record.fee = units_text(movement.fee);
  record.status = status_as(fate, BridgeWithdrawalStatus::pending, BridgeWithdrawalStatus::completed);
  if (fate == MovementFate::settled) record.completed_at = movement.final_ms;
  return record;
}

namespace {

// The first answer to the withdrawal, whatever happened to it since.
BridgeWithdrawal first_answer(ChainMovement movement) {
  movement.decision = MovementFate::open;
  movement.decided_ms = 0;
  movement.final_ms = confirmed_ms(movement.created_ms, movement.required_confirmations, movement.block_ms);
  return bridge_withdrawal_record(movement, movement.created_ms);
}

Result<Usdx, ApiError> whole_units(const DecimalText& text) {
  const auto units = parse_scaled(text.text, 0);
  if (units && *units > 0 && is_sum(Usdx{*units})) return Usdx{*units};
  return refused(ErrorCode::invalid_amount, "amount must be a positive whole number of 0.000001 USDX, " +
                                                std::to_string(limits::order_value_max) + " at most, not " + text.text);
}

// Binds the read of one of the caller's movements: record(movement, now).
template <class Op, class F>
void bind_own_movement(HandlerTable& handlers, MovementKind kind, ErrorCode unknown, F record) {
  handlers.bind<Op>([=](RequestContext& context, const BridgeRef& request) -> Answer<Op> {
    const auto id = parse_movement_id(request.id);
    const auto movement = id && id->kind == kind ? context.network->services.look()->find(*id) : std::nullopt;
    if (!movement || movement->account != context.account()) return unexpected(unknown);
    return record(*movement, context.now_ms);
  });
}

const ChainTerms& chain_of(const RequestContext& context) {
  return context.network->services.terms().money.chain;
}

Answer<ops::ListBridgeAssets> list_bridge_assets(RequestContext& context, const Empty&) {
  const ChainTerms& chain = chain_of(context);
  const auto contract = [&](const char* symbol) {
    return to_string(made_up_address("contract/" + chain.name + '/' + symbol));
  };
  BridgeChain served{.chain = chain.name, .chain_id = chain.chain_id, .deposit_assets = {}, .withdraw_assets = {}};
  for (const char* symbol : {"USDC", "USDX"})
    served.deposit_assets.push_back({.symbol = symbol,
                                     .decimals = usdx_decimals,
                                     .min_amount = usdx_text(chain.min_deposit),
                                     .confirmations = chain.deposit_confirmations,
                                     .fee = std::nullopt,
                                     .contract_address = contract(symbol)});
  served.withdraw_assets.push_back({.symbol = "USDX",
                                    .decimals = usdx_decimals,
                                    .min_amount = usdx_text(chain.min_withdrawal),
                                    .confirmations = chain.withdrawal_confirmations,
                                    .fee = usdx_text(chain.withdrawal_fee),
                                    .contract_address = contract("USDX")});
  return BridgeAssetsResponse{.chains = {std::move(served)}};
}

Answer<ops::CreateBridgeWithdrawal> create_bridge_withdrawal(RequestContext& context,
                                                             const BridgeWithdrawalRequest& request) {
  if (!is_name(request.idempotency_key) || request.idempotency_key.size() > limits::idempotency_key_chars_max)
    return refused(ErrorCode::invalid_parameter, "Idempotency-Key takes 1 to " +
                                                     std::to_string(limits::idempotency_key_chars_max) +
                                                     " printable characters without blanks");
  const auto amount = SVC_TRY(whole_units(request.amount));

  const auto withdrawn = SVC_TRY(serve(
      context,
      WithdrawOverBridge{.account = context.account(), .amount = amount, .idempotency_key = request.idempotency_key}));
  return first_answer(withdrawn.value);
}

Answer<ops::ListBridgeWithdrawals> list_bridge_withdrawals(RequestContext& context,
                                                           const BridgeWithdrawalsRequest& request) {
  const auto record = [&](const ChainMovement& movement) { return bridge_withdrawal_record(movement, context.now_ms); };
  const auto wanted = [&](const ChainMovement& movement) {
    return !request.status || record(movement).status == *request.status;
  };
  const auto services = context.network->services.look();
  return list_of(services->bridge_withdrawals.newest_of(context.account(), api::bridge_withdrawals_listed_max, wanted),
                 record);
}

Answer<ops::ListBridgeDeposits> list_bridge_deposits(RequestContext& context, const BridgeDepositsRequest& request) {
  const auto record = [&](const ChainMovement& movement) { return deposit_record(movement, context.now_ms); };
  const auto wanted = [&](const ChainMovement& movement) {
    return (!request.chain || movement.chain == *request.chain) &&
           (!request.asset || movement.asset == *request.asset) &&
           (!request.status || record(movement).status == *request.status);
  };
  return list_of(context.network->services.look()->bridge_deposits.newest_of(context.account(), request.limit, wanted),
                 record);
}

// Deposit addresses and wallets, for older clients.

Result<void, ApiError> offers_wallets(const RequestContext& context) {
  if (context.network->services.look()->switches.is_on(Switchable::wallet_registration)) return {};
  return unexpected(ErrorCode::wallet_registration_unavailable);
}

BridgeDepositAddress deposit_address_record(const ChainTerms& chain, const DepositAddress& address) {
  return {.address = to_string(address.address),
          .chain = chain.name,
          .accepts = {"USDC", "USDX"},
          .account_id = address.account,
          .created_at = address.created_ms};
}

Answer<ops::CreateDepositAddress> create_deposit_address(RequestContext& context,
                                                         const DepositAddressRequest& request) {
  const ChainTerms& chain = chain_of(context);
  if (request.chain != chain.name)
    return refused(ErrorCode::unsupported_chain, "the bridge serves chain " + chain.name);
  return deposit_address_record(chain, SVC_TRY(serve(context, OpenDepositAddress{context.account()})).value);
}

Answer<ops::CreateWalletChallenge> create_wallet_challenge(RequestContext& context,
                                                           const WalletChallengeRequest& request) {
  SVC_TRY(offers_wallets(context));
  const auto issued =
      SVC_TRY(serve(context, IssueWalletChallenge{.account = context.account(), .wallet = request.address})).value;
  return BridgeWalletChallenge{
      .address = issued.wallet, .nonce = issued.nonce, .message = issued.message, .expires_at = issued.expires_ms};
}

Answer<ops::RegisterWallet> register_wallet(RequestContext& context, const RegisterWalletRequest& request) {
  SVC_TRY(offers_wallets(context));
  sim::RegisterWallet command{.account = context.account(), .wallet = request.address, .message = request.message};
  if (const auto signature = signing::parse_signature(request.signature))
    command.signer = signing::recover(signing::personal_message_digest(request.message), *signature);
  const auto registered = SVC_TRY(serve(context, std::move(command)));
  return BridgeWallet{.address = request.address, .verified = true, .is_default = registered.value};
}

}  // namespace

void bind_bridge(HandlerTable& handlers) {
  handlers.bind_all(list_bridge_assets, create_bridge_withdrawal, list_bridge_withdrawals, list_bridge_deposits,
                    create_deposit_address, create_wallet_challenge, register_wallet);
  bind_own_movement<ops::GetBridgeWithdrawal>(handlers, MovementKind::bridge_withdrawal,
                                              ErrorCode::withdrawal_not_found, bridge_withdrawal_record);
  bind_own_movement<ops::GetBridgeDeposit>(handlers, MovementKind::bridge_deposit, ErrorCode::deposit_not_found,
                                           deposit_record);
  handlers.bind<ops::ListDepositAddresses>([](RequestContext& context, const Empty&) {
    WrittenList<BridgeDepositAddress> list;
    if (const auto address = context.network->services.look()->addresses.of(context.account()))
      list.rows.add(deposit_address_record(chain_of(context), *address));
    return list;
  });
  handlers.bind<ops::ListWallets>([](RequestContext& context, const Empty&) {
    api::BridgeWallets list;  // the store has the same name
    for (const Address& wallet : context.network->services.look()->wallets.of(context.account()))
      list.wallets.push_back({.address = wallet, .verified = true, .is_default = list.wallets.empty()});
    return list;
  });
}

}  // namespace svc::sim
