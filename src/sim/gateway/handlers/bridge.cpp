// The bridge: its assets, deposits, and withdrawals under an idempotency key; for older clients also deposit addresses
// and wallets.
#include "api/contract/bridge.h"
#include "base/archive.h"
#include "base/decimal.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

// Amounts of bridge withdrawals are whole units of 0.000001 USDX.
DecimalText units_text(Usdx amount) {
  return DecimalText(std::to_string(amount.value));
}

BridgeDepositStatus deposit_status_of(const ChainMovement& movement, TimestampMs now_ms) {
  switch (movement.fate) {
    case MovementFate::open: break;
    case MovementFate::settled: return BridgeDepositStatus::credited;
    case MovementFate::failed: return BridgeDepositStatus::failed;
  }
  return movement.confirmations(now_ms) == 0 ? BridgeDepositStatus::detected : BridgeDepositStatus::confirming;
}

BridgeWithdrawalStatus withdrawal_status_of(MovementFate fate) {
  switch (fate) {
    case MovementFate::open: return BridgeWithdrawalStatus::pending;
    case MovementFate::settled: return BridgeWithdrawalStatus::completed;
    case MovementFate::failed: return BridgeWithdrawalStatus::failed;
  }
  SVC_ASSERT(false);
}

}  // namespace

std::string transaction_of(const std::string& movement_id) {
  return made_up_hash("transaction/" + movement_id);
}

api::BridgeDeposit deposit_record(const MoneyServices& money, const ChainMovement& movement, TimestampMs now_ms) {
  const std::string id = money.deposits.movements.id_of(movement.number);
  const bool credited = movement.fate == MovementFate::settled;
  return {.id = id,
          .account_id = movement.account,
          .chain = movement.chain,
          .asset = movement.asset,
          .amount = usdx_text(movement.amount),
          .address = movement.address,
          .status = deposit_status_of(movement, now_ms),
          .confirmations = movement.confirmations(now_ms),
          .required_confirmations = movement.required_confirmations,
          .tx_hash = transaction_of(id),
          .created_at = movement.created_ms,
          .updated_at = movement.updated_ms(now_ms),
          .credited_at = credited ? std::optional(movement.decided_ms) : std::nullopt};
}

api::BridgeWithdrawal bridge_withdrawal_record(const MoneyServices& money, const ChainMovement& movement,
                                               TimestampMs now_ms) {
  const std::string id = money.bridge_withdrawals.id_of(movement.number);
  const MovementFate fate = money.bridge_withdrawals.fate(movement, now_ms);
  return {.id = id,
          .account_id = movement.account,
          .chain = movement.chain,
          .asset = movement.asset,
          .amount = units_text(movement.amount),
          .fee = units_text(movement.fee),
          .address = movement.address,
          .status = withdrawal_status_of(fate),
          .confirmations = movement.confirmations(now_ms),
          .required_confirmations = movement.required_confirmations,
          .tx_hash = transaction_of(id),
          .created_at = movement.created_ms,
          .updated_at = movement.updated_ms(now_ms),
          .completed_at = fate == MovementFate::settled ? std::optional(movement.final_ms) : std::nullopt};
}

namespace {

// The first answer to the withdrawal, whatever happened to it since.
BridgeWithdrawal first_answer(const MoneyServices& money, ChainMovement movement) {
  movement.fate = MovementFate::open;
  movement.decided_ms = 0;
  movement.final_ms = confirmed_ms(movement.created_ms, movement.required_confirmations, movement.block_ms);
  return bridge_withdrawal_record(money, movement, movement.created_ms);
}

constexpr std::size_t withdrawals_listed_max = 100;  // API: the newest 100

// A whole number of 0.000001 USDX.
Result<Usdx, ApiError> whole_units(const DecimalText& text) {
  const auto units = parse_scaled(text.text, 0);
  if (units && *units > 0) return Usdx{*units};
  return unexpected(
      ApiError(ErrorCode::invalid_amount, "amount must be a positive whole number of 0.000001 USDX, not " + text.text));
}

// Checked in this order. A failing step behind the bridge has no effects: it uses neither money nor key.
Result<void, ApiError> may_withdraw(const RequestContext& context, const Address& account, Usdx amount) {
  using enum ErrorCode;
  const MoneyServices& money = context.network->money;
  if (!money.switches.is_on(Switchable::bridge_withdrawals))
    return unexpected(ApiError(bridge_withdrawals_unavailable));
  if (money.idempotency_keys.is_full(account, context.now_ms) ||
      !money.bridge_withdrawals.has_room(account, context.now_ms))
    return unexpected(ApiError(bridge_withdrawals_unavailable, "too many withdrawals of this account in 24 hours"));
  if (amount < money.chain.min_withdrawal)
    return unexpected(ApiError(
        amount_below_minimum,
        "the smallest withdrawal is " + std::to_string(money.chain.min_withdrawal.value) + " units of 0.000001 USDX"));
  if (money.switches.is_frozen(account))
    return unexpected(ApiError(withdrawal_rejected, "an operator froze what leaves this account"));
  if (!money.switches.is_on(Switchable::bridge_chain))
    return unexpected(
        ApiError(bridge_step_failed, "the chain does not take transactions; repeat with the same Idempotency-Key"));
  return {};
}

std::optional<ChainMovement> own_movement(const ChainMovements& store, std::string_view id, const Address& account) {
  const auto number = store.number_of(id);
  auto movement = number ? store.find(*number) : std::nullopt;
  return movement && movement->account == account ? movement : std::nullopt;
}

Answer<ops::ListBridgeAssets> list_bridge_assets(RequestContext& context, const Empty&) {
  const ChainTerms& chain = context.network->money.chain;
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
    return unexpected(ApiError(ErrorCode::invalid_parameter, "Idempotency-Key takes 1 to " +
                                                                 std::to_string(limits::idempotency_key_chars_max) +
                                                                 " printable characters without blanks"));
  const auto amount = SVC_TRY(whole_units(request.amount));

  // Requests with one key are serialised here: one of them withdraws and the others return its answer.
  MoneyServices& money = context.network->money;
  const Address& account = context.account();
  const auto turn = money.turns.take(account);
  if (const auto known = money.idempotency_keys.find(account, request.idempotency_key, context.now_ms)) {
    if (known->amount != amount) return unexpected(ApiError(ErrorCode::idempotency_conflict));
    const auto movement = money.bridge_withdrawals.find(known->withdrawal);
    SVC_ASSERT(movement);  // as many movements are kept as there can be live keys
    return first_answer(money, *movement);
  }
  SVC_TRY(may_withdraw(context, account, amount));

  ChainMovement movement = money.movement_of(account, amount, money.chain.withdrawal_confirmations, context.now_ms);
  movement.number = money.bridge_withdrawals.take_number();
  movement.fee = money.chain.withdrawal_fee;
  const auto wallets = money.wallets.of(account);
  movement.address = to_string(wallets.empty() ? account : wallets.front());
  const KeyedRequest keyed{.amount = amount, .withdrawal = movement.number, .first_used_ms = context.now_ms};
  context.records_if_applied.push_back(money.bridge_withdrawals.row(movement));
  context.records_if_applied.push_back(IdempotencyKeys::row(account, request.idempotency_key, keyed));
  SVC_TRY(submit(context, engine::Withdraw{.account = account,
                                           .amount = amount,
                                           .kind = engine::FundsKind::bridge_withdrawal,
                                           .record = movement.number}));
  money.bridge_withdrawals.put(movement, context.now_ms, context.records);
  money.idempotency_keys.put(account, request.idempotency_key, keyed, context.records);
  return first_answer(money, movement);
}

Answer<ops::ListBridgeWithdrawals> list_bridge_withdrawals(RequestContext& context,
                                                           const BridgeWithdrawalsRequest& request) {
  const MoneyServices& money = context.network->money;
  const auto record = [&](const ChainMovement& movement) {
    return bridge_withdrawal_record(money, movement, context.now_ms);
  };
  const auto wanted = [&](const ChainMovement& movement) {
    return !request.status || record(movement).status == *request.status;
  };
  return list_of(money.bridge_withdrawals.newest_of(context.account(), withdrawals_listed_max, wanted), record);
}

Answer<ops::GetBridgeWithdrawal> get_bridge_withdrawal(RequestContext& context, const BridgeRef& request) {
  const MoneyServices& money = context.network->money;
  const auto movement = own_movement(money.bridge_withdrawals, request.id, context.account());
  if (!movement) return unexpected(ApiError(ErrorCode::withdrawal_not_found));
  return bridge_withdrawal_record(money, *movement, context.now_ms);
}

Answer<ops::ListBridgeDeposits> list_bridge_deposits(RequestContext& context, const BridgeDepositsRequest& request) {
  const MoneyServices& money = context.network->money;
  const auto record = [&](const ChainMovement& movement) { return deposit_record(money, movement, context.now_ms); };
  const auto wanted = [&](const ChainMovement& movement) {
    return (!request.chain || movement.chain == *request.chain) &&
           (!request.asset || movement.asset == *request.asset) &&
           (!request.status || record(movement).status == *request.status);
  };
  return list_of(money.deposits.movements.newest_of(context.account(), request.limit, wanted), record);
}

Answer<ops::GetBridgeDeposit> get_bridge_deposit(RequestContext& context, const BridgeRef& request) {
  const MoneyServices& money = context.network->money;
  const auto movement = own_movement(money.deposits.movements, request.id, context.account());
  if (!movement) return unexpected(ApiError(ErrorCode::deposit_not_found));
  return deposit_record(money, *movement, context.now_ms);
}

// Deposit addresses and wallets, for older clients.

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

Result<void, ApiError> offers_wallets(const MoneyServices& money) {
  if (money.switches.is_on(Switchable::wallet_registration)) return {};
  return unexpected(ApiError(ErrorCode::wallet_registration_unavailable));
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
  MoneyServices& money = context.network->money;
  if (request.chain != money.chain.name)
    return unexpected(ApiError(ErrorCode::unsupported_chain, "the bridge serves chain " + money.chain.name));
  return deposit_address_record(money.chain, money.addresses.open(context.account(), context.now_ms, context.records));
}

Answer<ops::ListDepositAddresses> list_deposit_addresses(RequestContext& context, const Empty&) {
  const MoneyServices& money = context.network->money;
  List<BridgeDepositAddress> list;
  if (const auto address = money.addresses.of(context.account()))
    list.rows.push_back(deposit_address_record(money.chain, *address));
  return list;
}

Answer<ops::CreateWalletChallenge> create_wallet_challenge(RequestContext& context,
                                                           const WalletChallengeRequest& request) {
  MoneyServices& money = context.network->money;
  SVC_TRY(offers_wallets(money));
  const WalletChallenge issued =
      money.wallets.challenge(context.account(), request.address, context.now_ms, context.records);
  return BridgeWalletChallenge{
      .address = issued.wallet, .nonce = issued.nonce, .message = issued.message, .expires_at = issued.expires_ms};
}

Answer<ops::RegisterWallet> register_wallet(RequestContext& context, const RegisterWalletRequest& request) {
  MoneyServices& money = context.network->money;
  SVC_TRY(offers_wallets(money));
  const auto is_default = money.wallets.add(context.account(), request.address, request.message, request.signature,
                                            context.now_ms, context.records);
  if (!is_default) return unexpected(wallet_refusal_of(is_default.error()));
  return BridgeWallet{.address = request.address, .verified = true, .is_default = *is_default};
}

Answer<ops::ListWallets> list_wallets(RequestContext& context, const Empty&) {
  api::BridgeWallets list;  // the store has the same name
  for (const Address& wallet : context.network->money.wallets.of(context.account()))
    list.wallets.push_back({.address = wallet, .verified = true, .is_default = list.wallets.empty()});
  return list;
}

}  // namespace

void bind_bridge(HandlerTable& handlers) {
  handlers.bind<ops::ListBridgeAssets>(list_bridge_assets);
  handlers.bind<ops::CreateBridgeWithdrawal>(create_bridge_withdrawal);
  handlers.bind<ops::ListBridgeWithdrawals>(list_bridge_withdrawals);
  handlers.bind<ops::GetBridgeWithdrawal>(get_bridge_withdrawal);
  handlers.bind<ops::ListBridgeDeposits>(list_bridge_deposits);
  handlers.bind<ops::GetBridgeDeposit>(get_bridge_deposit);
  handlers.bind<ops::CreateDepositAddress>(create_deposit_address);
  handlers.bind<ops::ListDepositAddresses>(list_deposit_addresses);
  handlers.bind<ops::CreateWalletChallenge>(create_wallet_challenge);
  handlers.bind<ops::RegisterWallet>(register_wallet);
  handlers.bind<ops::ListWallets>(list_wallets);
}

}  // namespace svc::sim
