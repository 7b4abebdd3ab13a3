// Commands to the services: what changes sessions, keys, agents, tiers, and money on its way in and out. The single
// writer applies them in the order of the log, like the engine's commands, so that each is decided once and the same
// everywhere. (docs/journal_format.md)
//
// A command brings what was verified before: whose signature it was. It never brings what the state decides: numbers,
// limits, whether an id is in use.
//
// `Value` is what an accepted command returns. The order of the alternatives of ServiceCommand is part of the journal
// format: append, never reorder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/engine/commands.h"
#include "sim/services/account_settings.h"
#include "sim/services/bridge.h"
#include "sim/services/credentials.h"
#include "sim/services/payments.h"

namespace svc::sim {

using CommandBody = decltype(engine::Command::body);

struct Nothing {};

// Credentials. Where secrets come from the system they are drawn before, and the log gets no more of them than the
// state needs; otherwise the writer draws them.

struct OpenSession {
  using Value = Secret;  // empty if the token was drawn before
  Address account{};
  std::optional<signing::Hash32> drawn{};
};

struct CreateKey {
  using Value = MintedKey;
  Address account{};
  std::optional<std::string> label{};
  std::optional<DrawnKey> drawn{};
};

struct DeleteKey {
  using Value = Nothing;
  Address account{};
  std::string id{};
};

struct RegisterAgent {
  using Value = Agent;
  Address agent{};
  Address account{};
  std::optional<std::string> label{};
  TimestampMs expires_at_ms = 0;
};

struct RevokeAgent {
  using Value = Nothing;
  Address account{};
  Address agent{};
};

struct MintStreamToken {
  using Value = Secret;  // empty if the token was drawn before
  StreamGrant grant{};
  std::optional<signing::Hash32> drawn{};
};

struct RedeemStreamToken {
  using Value = StreamGrant;
  signing::Hash32 token{};
};

// Settings of accounts.

struct AssignTier {
  using Value = Nothing;
  Address account{};
  api::Tier tier{};
};

struct ResetTier {
  using Value = Nothing;
  Address account{};
};

struct SetCancelOnDisconnect {
  using Value = Nothing;
  Address account{};
  bool enabled = false;
};

// The first stream of the account on that node was opened, or its last one closed.
struct NotePresence {
  using Value = Nothing;
  Address account{};
  bool connected = false;
  std::string node{};  // empty: the only one
};

// A process ended, and all its streams with it.
struct NoteStreamsLost {
  using Value = Nothing;
  std::string node{};  // empty, in older journals: every one
};

// After a restart, or in a loaded state, no earlier stream is open. It takes effect before the time since the last
// entry passes: nobody could connect in that time. (D-350)
struct NoteRestart {
  using Value = Nothing;
};

// Money. If the engine refuses, the outcome says why, and nothing happened.

struct PayIn {
  using Value = Nothing;
  Address account{};
  Usdx amount{};
  engine::FundsKind kind{};
};

struct ClaimFaucet {
  using Value = FaucetClaim;
  Address account{};
};

struct ClaimCredit {
  using Value = Credit;
  Address account{};
  std::optional<Usdx> amount{};  // absent: all that is left today
};

struct WithdrawToWallet {
  using Value = ChainMovement;
  Address account{};
  Usdx amount{};
};

struct WithdrawOverBridge {
  using Value = ChainMovement;  // the first one, if the key was used before for the same amount
  Address account{};
  Usdx amount{};
  std::string idempotency_key{};
};

struct EnrollForTransfers {
  using Value = TimestampMs;  // since when
  Address account{};
};

struct TransferMoney {
  using Value = Transfer;  // the first one, if the id was used before for the same payment
  Address sender{};
  Address recipient{};
  Usdx amount{};
  std::string client_transfer_id{};
  bool recipient_is_known = false;  // chooses between two refusals
};

struct OpenDepositAddress {
  using Value = DepositAddress;
  Address account{};
};

struct IssueWalletChallenge {
  using Value = WalletChallenge;
  Address account{};
  Address wallet{};
};

struct RegisterWallet {
  using Value = bool;  // whether it is the default
  Address account{};
  Address wallet{};
  std::string message{};
  std::optional<Address> signer{};  // of the message; absent: nobody's signature
};

// The operator and the chain.

struct TurnSwitches {
  using Value = Nothing;
  std::vector<std::pair<Switchable, bool>> services{};
};

struct FreezeAccount {
  using Value = Nothing;
  Address account{};
  bool frozen = true;
};

// A transaction that pays the account's deposit address.
struct PayDepositAddress {
  using Value = ChainMovement;
  Address account{};
  Usdx amount{};
  std::string asset{};
};

// Makes now the time of the last confirmation.
struct ConfirmMovement {
  using Value = ChainMovement;
  MovementId id{};
};

// A failed withdrawal is paid back.
struct FailMovement {
  using Value = ChainMovement;
  MovementId id{};
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

// Each type of a `Value` once.
using ServiceValue = std::variant<Nothing, Secret, MintedKey, Agent, StreamGrant, FaucetClaim, Credit, ChainMovement,
                                  TimestampMs, Transfer, DepositAddress, WalletChallenge, bool>;

// The key or agent that the command revokes; nullopt if it revokes none.
[[nodiscard]] std::optional<Entitlement> revoked_by(const ServiceCommand& command);

// Whether all texts are valid UTF-8 and the amounts usual. Logs come from outside.
[[nodiscard]] bool is_usual(const ServiceCommand& command);

}  // namespace svc::sim
