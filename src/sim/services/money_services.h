// A network's records about money on its way in and out. The engine holds the money itself: everything here
// accompanies a command or records its outcome.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "api/network.h"
#include "base/address.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"
#include "sim/services/bridge_wallets.h"
#include "sim/services/chain_movements.h"
#include "sim/services/nonce_book.h"
#include "sim/services/transfer_store.h"

// The operator's switches, and the frozen accounts. Everything is on at the start, unless the deployment says
// otherwise; a stored switch overrides that.
//
// Thread-safe: one lock, held for one look-up.

namespace svc::sim {

// While one is off, requests are refused with the error listed here.
enum class Switchable : std::uint8_t {
  credits,              // POST /account/credit: credits_frozen
  transfers,            // /transfers: TRANSFERS_UNAVAILABLE
  bridge_withdrawals,   // bridge_withdrawals_unavailable
  bridge_chain,         // the step that sends a bridge withdrawal on: bridge_step_failed
  wallet_registration,  // wallet_registration_unavailable
};
inline constexpr std::array<std::string_view, 5> switchable_texts{"credits", "transfers", "bridge_withdrawals",
                                                                  "bridge_chain", "wallet_registration"};

[[nodiscard]] constexpr std::string_view to_string(Switchable service) {
  return switchable_texts[static_cast<std::size_t>(service)];
}
[[nodiscard]] std::optional<Switchable> parse_switchable(std::string_view text);

enum class Freeze : bool { lift, impose };

class OperatorSwitches {
 public:
  explicit OperatorSwitches(const std::vector<Switchable>& off);

  [[nodiscard]] bool is_on(Switchable service) const;
  void turn(Switchable service, bool on, RecordBatch& records);

  // Nothing can be withdrawn or transferred from a frozen account; it can still trade.
  [[nodiscard]] bool is_frozen(const Address& account) const;
  // False if the limit of frozen accounts is reached (limits::frozen_accounts_max).
  [[nodiscard]] bool set_frozen(const Address& account, Freeze freeze, RecordBatch& records);

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  mutable Ranked<LockRank::store> mutex_;
  std::array<bool, switchable_texts.size()> on_{};
  std::set<Address> frozen_;
};

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

  // A new chain movement of the account, not stored yet.
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

  [[nodiscard]] bool restore(const RecordChange& change) {  // a row of the log; false if it is invalid
    return switches.restore(change) && transfers.restore(change) && withdrawals.restore(change) &&
           bridge_withdrawals.restore(change) && deposits.movements.restore(change) &&
           idempotency_keys.restore(change) && addresses.restore(change) && wallets.restore(change);
  }
};

}  // namespace svc::sim
