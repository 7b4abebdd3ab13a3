// What a network keeps about money on its way in and out. The money itself is the engine's: everything here
// moves with a command, or says what became of one.
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

// What an operator switched off, and whose money may not leave. Everything is on at the start, unless the
// deployment says otherwise; what was switched is kept and wins over that.
//
// Thread-safe: one lock, held for one look-up.

namespace svc::sim {

// Each has an error of its own for what it refuses while it is off.
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

  // Nothing is withdrawn or transferred from a frozen account; it trades on.
  [[nodiscard]] bool is_frozen(const Address& account) const;
  // False if as many are frozen as can be (limits::frozen_accounts_max).
  [[nodiscard]] bool set_frozen(const Address& account, Freeze freeze, RecordBatch& records);

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

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
