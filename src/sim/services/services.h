// The state of one network besides its engine, and how commands change it: credentials, nonces, tiers, and the records
// of money on its way in and out. The engine holds the money itself.
//
// The state is a pure function of the commands applied to it and of the engine's answers. It changes on the writer's
// thread alone; everybody else looks at it under a lock that is held for one look-up.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/error_catalog.h"
#include "api/network.h"
#include "base/archive.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/engine/engine.h"
#include "sim/services/account_settings.h"
#include "sim/services/bridge.h"
#include "sim/services/credentials.h"
#include "sim/services/payments.h"

namespace svc::sim {

using CommandBody = decltype(engine::Command::body);

struct ServiceCommand;  // service_commands.h
// What an accepted one returns: each type once.
struct Nothing {};
using ServiceValue = std::variant<Nothing, Secret, MintedKey, Agent, StreamGrant, FaucetClaim, Credit, ChainMovement,
                                  TimestampMs, Transfer, DepositAddress, WalletChallenge, bool>;

struct MoneyTerms {
  ChainTerms chain = {};
  std::vector<Switchable> switched_off = {};
};

// Settings of a deployment: the same at every start.
struct ServiceTerms {
  api::NetworkId network = api::NetworkId::local;
  std::uint64_t seed = 1;
  MoneyTerms money = {};
};

struct ServicesState {
  explicit ServicesState(const ServiceTerms& terms);

  SessionStore sessions;
  ApiKeyStore keys;
  StreamTokenStore stream_tokens;
  AgentStore agents;
  NonceBook nonces;
  TierStore tiers;
  DisconnectGuard disconnects;
  FaucetLedger faucet;
  CreditLedger credits;
  OperatorSwitches switches;
  TransferStore transfers;
  ChainMovements withdrawals{MovementKind::withdrawal};
  ChainMovements bridge_withdrawals{MovementKind::bridge_withdrawal};
  ChainMovements bridge_deposits{MovementKind::bridge_deposit};
  IdempotencyKeys idempotency_keys;
  BridgeAddresses addresses;
  BridgeWallets wallets;

  [[nodiscard]] const ChainMovements& movements(MovementKind kind) const {
    return *std::array{&withdrawals, &bridge_withdrawals, &bridge_deposits}.at(static_cast<std::size_t>(kind));
  }
  [[nodiscard]] ChainMovements& movements(MovementKind kind) {
    return *std::array{&withdrawals, &bridge_withdrawals, &bridge_deposits}.at(static_cast<std::size_t>(kind));
  }
  // Whether none of them was revoked, and none has expired.
  [[nodiscard]] bool all_stand(const Entitlements& entitlements, TimestampMs now_ms) const;
  [[nodiscard]] std::optional<ChainMovement> find(const MovementId& id) const {
    return movements(id.kind).find(id.number);
  }

  SVC_KEEPS(sessions, keys, stream_tokens, agents, nonces, tiers, disconnects, faucet, credits, switches, transfers,
            withdrawals, bridge_withdrawals, bridge_deposits, idempotency_keys, addresses, wallets);
};

// Whether the account may take part in transfers, as far as that depends on no other account.
[[nodiscard]] Result<void, api::ApiError> admit_to_transfers(const ServicesState& state, const Address& account,
                                                             TimestampMs now_ms);

// The lifetime ceiling of a key minted for an account of that tier. (D-223)
[[nodiscard]] std::uint32_t key_ceiling_per_second(api::Tier tier);

class Services {
  using Mutex = Ranked<LockRank::store>;

 public:
  explicit Services(ServiceTerms terms);

  [[nodiscard]] const ServiceTerms& terms() const { return terms_; }

  // The state under its lock: `services.look()->tiers.of(account)`. Nothing else may be locked meanwhile.
  template <class State>
  class Locked {
   public:
    Locked(State& state, Mutex& mutex) : state_(state), lock_(mutex) {}
    State* operator->() const { return &state_; }
    State& operator*() const { return state_; }

   private:
    State& state_;
    std::unique_lock<Mutex> lock_;
  };
  [[nodiscard]] Locked<const ServicesState> look() const { return {state_, mutex_}; }

  // The rest is the writer's.

  struct Turn {
    TimestampMs now_ms = 0;
    const engine::Engine& engine;
    const std::function<engine::Outcome(CommandBody)>& command;  // applies it to the engine
  };

  // What a command works on.
  struct Applying : Turn {
    Services& services;
    const ServicesState& state;  // the writer reads it without the lock
    const ChainTerms& chain;

    [[nodiscard]] Locked<ServicesState> change() const { return services.change(); }
    // Whether an account has funds or positions. Money in transit counts as well: a failed withdrawal comes back, a
    // confirmed deposit arrives.
    [[nodiscard]] bool has_money(const Address& account) const;
    // Or orders, some of which need no money.
    [[nodiscard]] bool trades(const Address& account) const {
      return has_money(account) || engine.account(account).open_orders > 0;
    }
    // Refused if there is none, or if it is final.
    [[nodiscard]] Result<ChainMovement, api::ApiError> open_movement(const MovementId& id) const;
  };

  // Enters them all; true if each was fresh.
  [[nodiscard]] bool spend(const SpentNonces& spent) { return spent.empty() || change()->nonces.spend(spent); }
  // Refused: nothing changed. If the engine refused its part, nothing changed either, and the value is empty.
  [[nodiscard]] Result<ServiceValue, api::ApiError> apply(const ServiceCommand& command, const Turn& turn);

  // What the clock alone causes: a deposit of the chain is credited, a timer of cancel-on-disconnect ends. (D-292)
  [[nodiscard]] std::optional<TimestampMs> next_due_ms() const {
    std::optional<TimestampMs> next;
    if (const ChainMovement* deposit = state_.bridge_deposits.next_final()) next = deposit->final_ms;
    if (const auto timer = state_.disconnects.next(); timer && (!next || timer->ends_ms < *next)) next = timer->ends_ms;
    return next;
  }
  // Does the first that is due.
  void do_due(const Turn& turn);

  [[nodiscard]] std::string image() const { return to_archive(state_); }
  // Parses such bytes; the error is one sentence. Changes nothing.
  [[nodiscard]] Result<ServicesState, std::string> state_of(std::string_view image, TimestampMs last_ms) const;
  void become(ServicesState state) {
    const auto present = change();
    *present = std::move(state);
    ++replacements_;
  }
  // How often a revert, a reset or a loaded state replaced the state. With the lock of look(): how often until then.
  [[nodiscard]] std::uint64_t replacements() const { return replacements_; }

 private:
  [[nodiscard]] Locked<ServicesState> change() { return {state_, mutex_}; }

  const ServiceTerms terms_;
  mutable Mutex mutex_;
  ServicesState state_;
  std::atomic<std::uint64_t> replacements_{0};
};

}  // namespace svc::sim
