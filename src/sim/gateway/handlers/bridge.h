// Chain movements as API records of the bridge.
#pragma once

#include <string>

#include "api/contract/bridge.h"
#include "sim/services/money_services.h"

namespace svc::sim {

[[nodiscard]] api::BridgeDeposit deposit_record(const MoneyServices& money, const ChainMovement& movement,
                                                TimestampMs now_ms);
[[nodiscard]] api::BridgeWithdrawal bridge_withdrawal_record(const MoneyServices& money, const ChainMovement& movement,
                                                             TimestampMs now_ms);
// The first answer to the withdrawal, whatever happened to it since.
[[nodiscard]] api::BridgeWithdrawal first_answer(const MoneyServices& money, ChainMovement movement);

// The transaction of a movement; each movement has exactly one.
[[nodiscard]] std::string transaction_of(const std::string& movement_id);

[[nodiscard]] api::BridgeAssetsResponse assets_of(const ChainTerms& chain);

}  // namespace svc::sim
