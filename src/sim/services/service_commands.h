// Commands to the services, and what each does: what changes sessions, keys, agents, tiers, and money on its way in and
// out. The single writer applies them in the order of the log, like the engine's commands, so that each is decided once
// and the same everywhere. (docs/journal_format.md)
//
// A command brings what was verified before: whose signature it was. It never brings what the state decides: numbers,
// limits, whether an id is in use.
//
// The order of the members, and of the alternatives of ServiceCommand, is part of the journal format: append, never
// reorder.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/services/services.h"

namespace svc::sim {

using Applying = Services::Applying;
template <class Value>
using Decided = Result<Value, api::ApiError>;
// What an accepted command returns.
template <class Command>
using ValueOf =
    std::remove_cvref_t<decltype(std::declval<const Command&>().apply(std::declval<const Applying&>()).value())>;

// Credentials. Where secrets come from the system they are drawn before, and the log gets no more of them than the
// state needs; otherwise the writer draws them.

struct OpenSession {
  Address account{};
  std::optional<signing::Hash32> drawn{};

  // The token; empty if it was drawn before.
  Decided<Secret> apply(const Applying& on) const { return on.change()->sessions.open(account, drawn, on.now_ms); }
};

struct CreateKey {
  Address account{};
  std::optional<std::string> label{};
  std::optional<DrawnKey> drawn{};

  Decided<MintedKey> apply(const Applying& on) const {
    // Wallets cost nothing: beyond a bound only accounts with money get keys. (D-1151)
    if (on.state.keys.size() >= limits::api_keys_max && !on.has_money(account))
      return refused(api::ErrorCode::too_many_keys, "there are too many API keys: deposit first");
    const std::uint32_t ceiling = key_ceiling_per_second(on.state.tiers.of(account));
    auto minted =
        on.change()->keys.create({.account = account, .label = label, .ceiling_per_second = ceiling}, drawn, on.now_ms);
    if (!minted) return unexpected(api::ErrorCode::too_many_keys);
    return std::move(*minted);
  }
};

struct DeleteKey {
  Address account{};
  std::string id{};

  Decided<Nothing> apply(const Applying& on) const {
    if (!on.change()->keys.remove(account, id)) return refused(api::ErrorCode::not_found, "no such key");
    return Nothing{};
  }
  [[nodiscard]] Entitlement revoked() const { return {.account = account, .by = id}; }
};

struct RegisterAgent {
  Address agent{};
  Address account{};
  std::optional<std::string> label{};
  TimestampMs expires_at_ms = 0;

  Decided<Agent> apply(const Applying& on) const {
    const Agent registered{.address = agent,
                           .account = account,
                           .label = label,
                           .registered_at_ms = on.now_ms,
                           .expires_at_ms = expires_at_ms};
    // Wallets cost nothing: beyond a bound only accounts with money get agents. (D-979)
    if (on.state.agents.size() >= limits::agents_max && !on.has_money(account))
      return refused(api::ErrorCode::too_many_agents, "too many agents are registered: deposit first");
    SVC_TRY(on.change()->agents.add(registered, on.now_ms));
    on.change()->stream_tokens.drop_of(agent);
    return registered;
  }
};

struct RevokeAgent {
  Address account{};
  Address agent{};

  Decided<Nothing> apply(const Applying& on) const {
    if (!on.change()->agents.revoke(account, agent, on.now_ms))
      return refused(api::ErrorCode::not_found, "no such agent");
    return Nothing{};
  }
  [[nodiscard]] Entitlement revoked() const { return {.account = account, .by = agent}; }
};

struct MintStreamToken {
  StreamGrant grant{};
  std::optional<signing::Hash32> drawn{};

  // The token; empty if it was drawn before.
  Decided<Secret> apply(const Applying& on) const { return on.change()->stream_tokens.mint(grant, drawn, on.now_ms); }
};

struct RedeemStreamToken {
  signing::Hash32 token{};

  Decided<StreamGrant> apply(const Applying& on) const {
    const auto grant = on.change()->stream_tokens.redeem(token, on.now_ms);
    if (!grant || !on.state.all_stand(grant->by, on.now_ms)) return unexpected(api::ErrorCode::unauthorized);
    return *grant;
  }
};

// Settings of accounts.

struct AssignTier {
  Address account{};
  api::Tier tier{};

  // The Unlimited tier is for gateways' keys, never for a trading account. (API: Tiers; D-725)
  Decided<Nothing> apply(const Applying& on) const {
    if (tier == api::Tier::unlimited && on.trades(account))
      return refused(api::ErrorCode::unprocessable,
                     "the account has funds, positions or orders, and Unlimited is never the tier of a "
                     "trading account");
    on.change()->tiers.assign(account, tier);
    return Nothing{};
  }
};

struct ResetTier {
  Address account{};

  Decided<Nothing> apply(const Applying& on) const {
    if (!on.change()->tiers.reset(account))
      return refused(api::ErrorCode::not_found, "the account has no tier of its own");
    return Nothing{};
  }
};

struct SetCancelOnDisconnect {
  Address account{};
  bool enabled = false;

  Decided<Nothing> apply(const Applying& on) const {
    on.change()->disconnects.set(account, enabled);
    return Nothing{};
  }
};

// The first stream of the account on that node was opened, or its last one closed.
struct NotePresence {
  Address account{};
  bool connected = false;
  std::string node{};  // empty: the only one

  Decided<Nothing> apply(const Applying& on) const {
    if (connected)
      on.change()->disconnects.stream_opened(account, node);
    else
      on.change()->disconnects.streams_closed(account, node, on.now_ms);
    return Nothing{};
  }
};

// A process ended, and all its streams with it.
struct NoteStreamsLost {
  std::string node{};  // empty, in older journals: every one

  Decided<Nothing> apply(const Applying& on) const {
    on.change()->disconnects.node_streams_closed(node, on.now_ms);
    return Nothing{};
  }
};

// After a restart, or in a loaded state, no earlier stream is open. It takes effect before the time since the last
// entry passes: nobody could connect in that time. (D-350)
struct NoteRestart {
  Decided<Nothing> apply(const Applying& on) const {
    on.change()->disconnects.node_streams_closed("", on.now_ms);
    return Nothing{};
  }
};

// Money. If the engine refuses, the outcome says why, and nothing happened.

struct PayIn {
  Address account{};
  Usdx amount{};
  engine::FundsKind kind{};

  Decided<Nothing> apply(const Applying& on) const {
    SVC_TRY(is_taken(on));
    return Nothing{};
  }
  // Whether the engine accepted it. (API: Tiers; D-725)
  [[nodiscard]] Decided<bool> is_taken(const Applying& on) const {
    if (on.state.tiers.of(account) == api::Tier::unlimited)
      return refused(api::ErrorCode::forbidden, "an account with the Unlimited tier takes no funds");
    if (kind == engine::FundsKind::deposit) SVC_TRY(check_own(on));
    return on.command(engine::Deposit{.account = account, .amount = amount, .kind = kind}).ok();
  }
  // A depositor names the amount himself. Such deposits leave room for money that is earned or owed. (D-1144)
  [[nodiscard]] Decided<void> check_own(const Applying& on) const {
    if (on.engine.account(account).collateral.value > limits::own_deposits_account_max - amount.value)
      return refused(api::ErrorCode::invalid_amount, "an account cannot give itself that much money");
    if (on.engine.venue().net_deposits.value > limits::own_deposits_venue_max - amount.value)
      return refused(api::ErrorCode::invalid_amount, "the venue cannot hold that much money");
    return {};
  }
};

struct ClaimFaucet {
  Address account{};

  Decided<FaucetClaim> apply(const Applying& on) const {
    const auto offer = on.state.faucet.offer(account, on.now_ms);
    if (!offer) {
      const std::optional<TimestampMs> available_at_ms = offer.error();
      api::ApiError error(available_at_ms ? api::ErrorCode::faucet_cooldown : api::ErrorCode::faucet_cap_reached);
      if (available_at_ms) error.members = "\"available_at_ms\":" + std::to_string(*available_at_ms);
      return unexpected(std::move(error));
    }
    if (!SVC_TRY(PayIn{account, offer->amount, engine::FundsKind::faucet}.is_taken(on))) return FaucetClaim{};
    on.change()->faucet.note(account, *offer);
    return *offer;
  }
};

struct ClaimCredit {
  Address account{};
  std::optional<Usdx> amount{};  // absent: all that is left today

  Decided<Credit> apply(const Applying& on) const {
    const auto offer = SVC_TRY(on.state.credits.offer(account, amount, on.now_ms));
    if (!SVC_TRY(PayIn{account, offer.amount, engine::FundsKind::credit}.is_taken(on))) return Credit{};
    on.change()->credits.note(account, offer, on.now_ms);
    return offer;
  }
};

struct WithdrawToWallet {
  Address account{};
  Usdx amount{};

  Decided<ChainMovement> apply(const Applying& on) const {
    if (on.state.switches.is_frozen(account))
      return refused(api::ErrorCode::withdrawal_rejected, "an operator froze what leaves this account");
    if (!on.state.withdrawals.has_room(account, on.now_ms))
      return refused(api::ErrorCode::withdrawal_rejected, "too many withdrawals of this account are pending");
    ChainMovement movement = movement_of(on.chain, MovementKind::withdrawal, account, amount, on.now_ms);
    movement.address = to_string(account);
    const auto paid = on.command(engine::Withdraw{.account = account,
                                                  .amount = amount,
                                                  .kind = engine::FundsKind::withdrawal,
                                                  .record = on.state.withdrawals.next_number()});
    if (!paid.ok()) return ChainMovement{};
    return on.change()->withdrawals.add(std::move(movement), on.now_ms);
  }
};

struct WithdrawOverBridge {
  Address account{};
  Usdx amount{};
  std::string idempotency_key{};

  // The first one, if the key was used before for the same amount.
  Decided<ChainMovement> apply(const Applying& on) const {
    if (const auto known = on.state.idempotency_keys.find(account, idempotency_key, on.now_ms)) {
      if (known->amount != amount) return unexpected(api::ErrorCode::idempotency_conflict);
      const auto movement = on.state.bridge_withdrawals.find(known->withdrawal);
      SVC_ASSERT(movement);  // as many movements are kept as there can be live keys
      return *movement;
    }
    SVC_TRY(check(on));
    ChainMovement movement = movement_of(on.chain, MovementKind::bridge_withdrawal, account, amount, on.now_ms);
    movement.fee = on.chain.withdrawal_fee;
    const auto wallets = on.state.wallets.of(account);
    movement.address = to_string(wallets.empty() ? account : wallets.front());
    const std::uint64_t number = on.state.bridge_withdrawals.next_number();
    const auto paid = on.command(engine::Withdraw{
        .account = account, .amount = amount, .kind = engine::FundsKind::bridge_withdrawal, .record = number});
    if (!paid.ok()) return ChainMovement{};
    const auto changed = on.change();
    changed->idempotency_keys.put(account, idempotency_key,
                                  {.amount = amount, .withdrawal = number, .first_used_ms = on.now_ms});
    return changed->bridge_withdrawals.add(std::move(movement), on.now_ms);
  }
  // Checked in this order. A failing step behind the bridge has no effects: it uses neither money nor key.
  Decided<void> check(const Applying& on) const {
    using enum api::ErrorCode;
    const ServicesState& state = on.state;
    if (!state.switches.is_on(Switchable::bridge_withdrawals)) return unexpected(bridge_withdrawals_unavailable);
    if (state.idempotency_keys.is_full(account, on.now_ms) || !state.bridge_withdrawals.has_room(account, on.now_ms))
      return refused(bridge_withdrawals_unavailable, "too many withdrawals of this account in 24 hours");
    if (amount < on.chain.min_withdrawal)
      return refused(
          amount_below_minimum,
          "the smallest withdrawal is " + std::to_string(on.chain.min_withdrawal.value) + " units of 0.000001 USDX");
    if (state.switches.is_frozen(account))
      return refused(withdrawal_rejected, "an operator froze what leaves this account");
    if (!state.switches.is_on(Switchable::bridge_chain))
      return refused(bridge_step_failed, "the chain does not take transactions; repeat with the same Idempotency-Key");
    return {};
  }
};

struct EnrollForTransfers {
  Address account{};

  // Since when.
  Decided<TimestampMs> apply(const Applying& on) const {
    SVC_TRY(admit_to_transfers(on.state, account, on.now_ms));
    const TransferStore& transfers = on.state.transfers;
    // Wallets cost nothing: beyond a bound only accounts with money are enrolled. (D-1146)
    const bool is_crowded = transfers.enrolled() >= limits::transfer_enrollments_max;
    if (is_crowded && !transfers.enrolled_ms(account) && !on.has_money(account))
      return refused(api::ErrorCode::transfer_account_ineligible,
                     "too many accounts take part in transfers: deposit first");
    return on.change()->transfers.enroll(account, on.now_ms);
  }
};

struct TransferMoney {
  Address sender{};
  Address recipient{};
  Usdx amount{};
  std::string client_transfer_id{};
  bool recipient_is_known = false;  // chooses between two refusals

  // The first one, if the id was used before for the same payment.
  Decided<Transfer> apply(const Applying& on) const {
    if (const auto known = on.state.transfers.find(sender, client_transfer_id)) {
      if (known->recipient == recipient && known->amount == amount) return *known;
      return unexpected(api::ErrorCode::transfer_id_conflict);
    }
    SVC_TRY(admit_to_transfers(on.state, sender, on.now_ms));
    SVC_TRY(check(on));
    const Transfer transfer{.number = on.state.transfers.next_number(),
                            .client_transfer_id = client_transfer_id,
                            .sender = sender,
                            .recipient = recipient,
                            .amount = amount,
                            .committed_ms = on.now_ms};
    const auto paid = on.command(engine::Transfer{
        .from = transfer.sender, .to = transfer.recipient, .amount = transfer.amount, .record = transfer.number});
    if (!paid.ok()) return Transfer{};
    on.change()->transfers.put(transfer);
    return transfer;
  }
  // Payer and recipient must be enrolled, and the venue must know the recipient. The engine checks that the source is
  // flat and has the money.
  Decided<void> check(const Applying& on) const {
    using enum api::ErrorCode;
    const TransferStore& transfers = on.state.transfers;
    if (transfers.is_full()) return refused(transfers_unavailable, "no more payments are taken");
    if (!transfers.enrolled_ms(sender)) return refused(transfer_account_ineligible, "the sender is not enrolled");
    if (recipient == sender) return refused(transfer_account_ineligible, "sender and recipient are one account");
    if (on.state.agents.find(recipient, on.now_ms))
      return refused(transfer_account_ineligible, "the recipient is an agent");
    if (on.state.tiers.of(recipient) == api::Tier::unlimited)
      return refused(transfer_account_ineligible, "the recipient has the Unlimited tier, which takes no funds");
    if (!transfers.enrolled_ms(recipient)) {
      if (recipient_is_known) return refused(transfer_account_ineligible, "the recipient is not enrolled");
      return refused(not_found, "the recipient has no account here");
    }
    if (on.state.switches.is_frozen(sender))
      return refused(transfer_outflow_blocked, "an operator froze what leaves the sender's account");
    return {};
  }
};

struct OpenDepositAddress {
  Address account{};

  Decided<DepositAddress> apply(const Applying& on) const { return on.change()->addresses.open(account, on.now_ms); }
};

struct IssueWalletChallenge {
  Address account{};
  Address wallet{};

  Decided<WalletChallenge> apply(const Applying& on) const {
    return on.change()->wallets.challenge(account, wallet, on.now_ms);
  }
};

struct RegisterWallet {
  Address account{};
  Address wallet{};
  std::string message{};
  std::optional<Address> signer{};  // of the message; absent: nobody's signature

  // Whether it is the default.
  Decided<bool> apply(const Applying& on) const {
    return on.change()->wallets.add(account, wallet, message, signer, on.now_ms);
  }
};

// The operator and the chain.

struct TurnSwitches {
  std::vector<std::pair<Switchable, bool>> services{};

  Decided<Nothing> apply(const Applying& on) const {
    const auto changed = on.change();
    for (const auto& [service, is_on] : services) changed->switches.turn(service, is_on);
    return Nothing{};
  }
};

struct FreezeAccount {
  Address account{};
  bool frozen = true;

  Decided<Nothing> apply(const Applying& on) const {
    if (!frozen)
      on.change()->switches.unfreeze(account);
    else if (!on.change()->switches.freeze(account))
      return refused(api::ErrorCode::unprocessable, "as many accounts are frozen as can be");
    return Nothing{};
  }
};

// A transaction that pays the account's deposit address.
struct PayDepositAddress {
  Address account{};
  Usdx amount{};
  std::string asset{};

  Decided<ChainMovement> apply(const Applying& on) const {
    if (!on.state.bridge_deposits.has_room(account, on.now_ms))
      return refused(api::ErrorCode::unprocessable, "too many deposits of this account are open");
    ChainMovement movement = movement_of(on.chain, MovementKind::bridge_deposit, account, amount, on.now_ms);
    movement.asset = asset;
    movement.address = to_string(on.state.addresses.address_of(account));
    return on.change()->bridge_deposits.add(std::move(movement), on.now_ms);
  }
};

// Makes now the time of the last confirmation.
struct ConfirmMovement {
  MovementId id{};

  Decided<ChainMovement> apply(const Applying& on) const {
    SVC_TRY(on.open_movement(id));
    return on.change()->movements(id.kind).confirm(id.number, on.now_ms);
  }
};

// A failed withdrawal is paid back.
struct FailMovement {
  MovementId id{};

  Decided<ChainMovement> apply(const Applying& on) const {
    const auto movement = SVC_TRY(on.open_movement(id));
    if (id.kind != MovementKind::bridge_deposit) {
      const auto returned = on.command(engine::Deposit{
          .account = movement.account, .amount = movement.amount, .kind = engine::FundsKind::withdrawal_reversal});
      if (!returned.ok()) return ChainMovement{};
    }
    return on.change()->movements(id.kind).decide(id.number, MovementFate::failed, on.now_ms);
  }
};

// A class of its own for the same reason as CommandBody.
struct ServiceCommand
    : std::variant<OpenSession, CreateKey, DeleteKey, RegisterAgent, RevokeAgent, MintStreamToken, RedeemStreamToken,
                   AssignTier, ResetTier, SetCancelOnDisconnect, NotePresence, NoteStreamsLost, PayIn, ClaimFaucet,
                   ClaimCredit, WithdrawToWallet, WithdrawOverBridge, EnrollForTransfers, TransferMoney,
                   OpenDepositAddress, IssueWalletChallenge, RegisterWallet, TurnSwitches, FreezeAccount,
                   PayDepositAddress, ConfirmMovement, FailMovement, NoteRestart> {
  using variant::variant;
  ServiceCommand();
  ServiceCommand(const ServiceCommand& other);
  ServiceCommand(ServiceCommand&& other) noexcept;
  ServiceCommand& operator=(const ServiceCommand& other);
  ServiceCommand& operator=(ServiceCommand&& other) noexcept;
  ~ServiceCommand();
};

// The key or agent that the command revokes; nullopt if it revokes none.
[[nodiscard]] std::optional<Entitlement> revoked_by(const ServiceCommand& command);

// Whether all texts are valid UTF-8 and the amounts usual. Logs come from outside.
[[nodiscard]] bool is_usual(const ServiceCommand& command);

}  // namespace svc::sim
