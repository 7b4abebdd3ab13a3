#include "sim/gateway/handlers/bridge_translation.h"

#include "sim/gateway/handlers/amounts.h"

namespace svc::sim {

using namespace api;

namespace {

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

BridgeDeposit deposit_record(const MoneyServices& money, const ChainMovement& movement, TimestampMs now_ms) {
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

BridgeWithdrawal bridge_withdrawal_record(const MoneyServices& money, const ChainMovement& movement,
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

BridgeWithdrawal first_answer(const MoneyServices& money, ChainMovement movement) {
  movement.fate = MovementFate::open;
  movement.decided_ms = 0;
  movement.final_ms = confirmed_ms(movement.created_ms, movement.required_confirmations, movement.block_ms);
  return bridge_withdrawal_record(money, movement, movement.created_ms);
}

std::string transaction_of(const std::string& movement_id) {
  return made_up_hash("transaction/" + movement_id);
}

BridgeAssetsResponse assets_of(const ChainTerms& chain) {
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
  return {.chains = {std::move(served)}};
}

}  // namespace svc::sim
