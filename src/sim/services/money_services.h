// What a network keeps about money on its way in and out. The money itself is the engine's: everything here
// moves with a command, or says what became of one.
#pragma once

#include <string_view>
#include <vector>

#include "api/network.h"
#include "sim/services/account_turns.h"
#include "sim/services/bridge_addresses.h"
#include "sim/services/bridge_deposits.h"
#include "sim/services/bridge_wallets.h"
#include "sim/services/chain_movements.h"
#include "sim/services/chain_terms.h"
#include "sim/services/idempotency_keys.h"
#include "sim/services/operator_switches.h"
#include "sim/services/transfer_store.h"

namespace svc::sim {

struct MoneyTerms {
  ChainTerms chain = {};
  std::vector<Switchable> switched_off = {};
};

class MoneyServices {
 public:
  MoneyServices(api::NetworkId network, const MoneyTerms& terms)
      : chain(on_chain_of(network, terms.chain)), switches(terms.switched_off), wallets(api::to_string(network)) {}

  const ChainTerms chain;
  OperatorSwitches switches;
  AccountTurns turns;
  TransferStore transfers;
  ChainMovements withdrawals{RecordTable::withdrawals, "wd_", Finality::by_clock};
  ChainMovements bridge_withdrawals{RecordTable::bridge_withdrawals, "wdl_", Finality::by_clock};
  BridgeDeposits deposits{chain.min_deposit};
  IdempotencyKeys idempotency_keys;
  BridgeAddresses addresses{chain.name};
  BridgeWallets wallets;

  // The movement of an account over the chain as it is now, not put anywhere yet.
  [[nodiscard]] ChainMovement movement_of(const Address& account, Usdx amount, std::uint32_t confirmations,
                                          TimestampMs now_ms) const {
    return {.account = account,
            .chain = chain.name,
            .asset = "USDX",
            .amount = amount,
            .required_confirmations = confirmations,
            .block_ms = chain.block_ms,
            .created_ms = now_ms,
            .final_ms = confirmed_ms(now_ms, confirmations, chain.block_ms)};
  }

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change) {
    return switches.restore(change) && transfers.restore(change) && withdrawals.restore(change) &&
           bridge_withdrawals.restore(change) && deposits.movements.restore(change) &&
           idempotency_keys.restore(change) && addresses.restore(change) && wallets.restore(change);
  }
};

}  // namespace svc::sim
