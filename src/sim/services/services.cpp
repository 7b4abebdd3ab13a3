#include "sim/services/services.h"

#include "api/tiers.h"
#include "base/encoding.h"

namespace svc::sim {

ServiceCommand::ServiceCommand() = default;
ServiceCommand::ServiceCommand(const ServiceCommand& other) = default;
ServiceCommand::ServiceCommand(ServiceCommand&& other) noexcept = default;
ServiceCommand& ServiceCommand::operator=(const ServiceCommand& other) = default;
ServiceCommand& ServiceCommand::operator=(ServiceCommand&& other) noexcept = default;
ServiceCommand::~ServiceCommand() = default;

namespace {

using api::ApiError;
using api::ErrorCode;
using api::refused;

// Networks draw different credentials, whatever the order of requests.
SecretStream stream_of(const ServiceTerms& terms, const char* purpose) {
  return SecretStream(Prng(terms.seed, std::string(api::to_string(terms.network)) + '/' + purpose));
}

Unexpected<ApiError> ineligible(std::string why) {
  return refused(ErrorCode::transfer_account_ineligible, std::move(why));
}

// Payer and recipient must be enrolled, and the venue must know the recipient. The engine checks that the source is
// flat and has the money.
Result<void, ApiError> may_transfer(const ServicesState& state, const TransferMoney& wanted, TimestampMs now_ms) {
  const TransferStore& transfers = state.transfers;
  if (transfers.is_full()) return refused(ErrorCode::transfers_unavailable, "no more payments are taken");
  if (!transfers.enrolled_ms(wanted.sender)) return ineligible("the sender is not enrolled");
  if (wanted.recipient == wanted.sender) return ineligible("sender and recipient are one account");
  if (state.agents.find(wanted.recipient, now_ms)) return ineligible("the recipient is an agent");
  if (state.tiers.of(wanted.recipient) == api::Tier::unlimited)
    return ineligible("the recipient has the Unlimited tier, which takes no funds");
  if (!transfers.enrolled_ms(wanted.recipient)) {
    if (wanted.recipient_is_known) return ineligible("the recipient is not enrolled");
    return refused(ErrorCode::not_found, "the recipient has no account here");
  }
  if (state.switches.is_frozen(wanted.sender))
    return refused(ErrorCode::transfer_outflow_blocked, "an operator froze what leaves the sender's account");
  return {};
}

// Checked in this order. A failing step behind the bridge has no effects: it uses neither money nor key.
Result<void, ApiError> may_withdraw(const ServicesState& state, const ChainTerms& chain,
                                    const WithdrawOverBridge& wanted, TimestampMs now_ms) {
  using enum ErrorCode;
  if (!state.switches.is_on(Switchable::bridge_withdrawals)) return unexpected(bridge_withdrawals_unavailable);
  if (state.idempotency_keys.is_full(wanted.account, now_ms) ||
      !state.bridge_withdrawals.has_room(wanted.account, now_ms))
    return refused(bridge_withdrawals_unavailable, "too many withdrawals of this account in 24 hours");
  if (wanted.amount < chain.min_withdrawal)
    return refused(amount_below_minimum, "the smallest withdrawal is " + std::to_string(chain.min_withdrawal.value) +
                                             " units of 0.000001 USDX");
  if (state.switches.is_frozen(wanted.account))
    return refused(withdrawal_rejected, "an operator froze what leaves this account");
  if (!state.switches.is_on(Switchable::bridge_chain))
    return refused(bridge_step_failed, "the chain does not take transactions; repeat with the same Idempotency-Key");
  return {};
}

// Whether an account has funds, positions or orders. Money in transit counts as well: a failed withdrawal comes back,
// a confirmed deposit arrives.
bool trades(const ServicesState& state, const engine::Engine& engine, const Address& account, TimestampMs now_ms) {
  const auto is_open = [&](const ChainMovement& movement) { return movement.fate(now_ms) == MovementFate::open; };
  const auto moves = [&](const ChainMovements& movements) { return !movements.newest_of(account, 1, is_open).empty(); };
  const engine::AccountFigures figures = engine.account(account);
  return figures.collateral != Usdx{} || figures.balance != Usdx{} || figures.open_positions > 0 ||
         figures.open_orders > 0 || moves(state.withdrawals) || moves(state.bridge_withdrawals) ||
         moves(state.bridge_deposits);
}

bool is_label(const std::optional<std::string>& text) {
  return !text || (is_utf8(*text) && text->size() <= limits::label_bytes_max);
}

bool is_payment(Usdx amount) {
  return amount > Usdx{} && is_sum(amount);
}

template <class Command>
bool has_usual_parts(const Command& command) {
  if constexpr (requires { command.label; })
    if (!is_label(command.label)) return false;
  if constexpr (std::same_as<Command, CreateKey>)
    if (command.drawn && !(is_name(command.drawn->id) && signing::HmacKey::from_hex(command.drawn->secret)))
      return false;
  if constexpr (std::same_as<Command, RegisterAgent>)
    if (!is_clock_time(command.expires_at_ms)) return false;
  if constexpr (std::same_as<Command, ClaimCredit>)
    return !command.amount || is_payment(*command.amount);
  else if constexpr (requires { command.amount; })
    if (!is_payment(command.amount)) return false;
  if constexpr (requires { command.idempotency_key; })
    if (!is_name(command.idempotency_key)) return false;
  if constexpr (requires { command.client_transfer_id; })
    if (!is_utf8(command.client_transfer_id)) return false;
  if constexpr (requires { command.asset; })
    if (!is_utf8(command.asset)) return false;
  if constexpr (requires { command.node; })
    if (!is_utf8(command.node)) return false;
  return true;
}

}  // namespace

std::optional<Entitlement> revoked_by(const ServiceCommand& command) {
  if (const auto* key = std::get_if<DeleteKey>(&command)) return Entitlement{.account = key->account, .by = key->id};
  if (const auto* agent = std::get_if<RevokeAgent>(&command))
    return Entitlement{.account = agent->account, .by = agent->agent};
  return std::nullopt;
}

bool is_usual(const ServiceCommand& command) {
  return std::visit([](const auto& one) { return has_usual_parts(one); }, command);
}

ServicesState::ServicesState(const ServiceTerms& terms)
    : sessions(stream_of(terms, "sessions")),
      keys(stream_of(terms, "keys")),
      stream_tokens(stream_of(terms, "stream tokens")),
      switches(terms.money.switched_off),
      addresses(terms.money.chain.name),
      wallets(api::to_string(terms.network)) {}

bool ServicesState::all_stand(const Entitlements& entitlements, TimestampMs now_ms) const {
  return std::ranges::all_of(entitlements, [&](const Entitlement& one) {
    if (const auto* key = std::get_if<std::string>(&one.by)) return keys.find(*key) != nullptr;
    const auto agent = agents.find(std::get<Address>(one.by), now_ms);
    return agent && agent->account == one.account;
  });
}

Result<void, ApiError> admit_to_transfers(const ServicesState& state, const Address& account, TimestampMs now_ms) {
  if (!state.switches.is_on(Switchable::transfers)) return unexpected(ErrorCode::transfers_unavailable);
  if (state.agents.find(account, now_ms)) return ineligible("an agent is no account of its own");
  return {};
}

std::uint32_t key_ceiling_per_second(api::Tier tier) {
  return tier == api::Tier::unlimited ? 0 : api::limits_of(tier).requests_per_second;
}

Services::Services(ServiceTerms terms)
    : terms_([&] {
        terms.money.chain = on_chain_of(terms.network, std::move(terms.money.chain));
        return std::move(terms);
      }()),
      state_(terms_) {}

// Applies one command.
struct Services::Applying {
  template <class Command>
  using Answer = Result<typename Command::Value, ApiError>;

  Services& services;
  const Turn& turn;
  const ServicesState& state;  // the writer reads it without the lock

  Locked<ServicesState> change() const { return services.change(); }

  // Credentials.

  Answer<OpenSession> operator()(const OpenSession& command) const {
    return change()->sessions.open(command.account, command.drawn, turn.now_ms);
  }

  Answer<CreateKey> operator()(const CreateKey& command) const {
    const std::uint32_t ceiling = key_ceiling_per_second(state.tiers.of(command.account));
    auto minted =
        change()->keys.create({.account = command.account, .label = command.label, .ceiling_per_second = ceiling},
                              command.drawn, turn.now_ms);
    if (!minted) return unexpected(ErrorCode::too_many_keys);
    return std::move(*minted);
  }

  Answer<DeleteKey> operator()(const DeleteKey& command) const {
    if (!change()->keys.remove(command.account, command.id)) return refused(ErrorCode::not_found, "no such key");
    return Nothing{};
  }

  Answer<RegisterAgent> operator()(const RegisterAgent& command) const {
    const Agent agent{.address = command.agent,
                      .account = command.account,
                      .label = command.label,
                      .registered_at_ms = turn.now_ms,
                      .expires_at_ms = command.expires_at_ms};
    // Wallets cost nothing: beyond a bound only accounts with money or orders get agents. (D-979)
    if (state.agents.size() >= limits::agents_max && !trades(state, turn.engine, command.account, turn.now_ms))
      return refused(ErrorCode::too_many_agents, "too many agents are registered: deposit first");
    SVC_TRY(change()->agents.add(agent, turn.now_ms));
    change()->stream_tokens.drop_of(agent.address);
    return agent;
  }

  Answer<RevokeAgent> operator()(const RevokeAgent& command) const {
    if (!change()->agents.revoke(command.account, command.agent, turn.now_ms))
      return refused(ErrorCode::not_found, "no such agent");
    return Nothing{};
  }

  Answer<MintStreamToken> operator()(const MintStreamToken& command) const {
    return change()->stream_tokens.mint(command.grant, command.drawn, turn.now_ms);
  }

  Answer<RedeemStreamToken> operator()(const RedeemStreamToken& command) const {
    const auto grant = change()->stream_tokens.redeem(command.token, turn.now_ms);
    if (!grant || !state.all_stand(grant->by, turn.now_ms)) return unexpected(ErrorCode::unauthorized);
    return *grant;
  }

  // Settings of accounts.

  // The Unlimited tier is for gateways' keys, never for a trading account. (API: Tiers; D-725)
  Answer<AssignTier> operator()(const AssignTier& command) const {
    if (command.tier == api::Tier::unlimited && trades(state, turn.engine, command.account, turn.now_ms))
      return refused(ErrorCode::unprocessable,
                     "the account has funds, positions or orders, and Unlimited is never the tier of a "
                     "trading account");
    change()->tiers.assign(command.account, command.tier);
    return Nothing{};
  }

  Answer<ResetTier> operator()(const ResetTier& command) const {
    if (!change()->tiers.reset(command.account))
      return refused(ErrorCode::not_found, "the account has no tier of its own");
    return Nothing{};
  }

  Answer<SetCancelOnDisconnect> operator()(const SetCancelOnDisconnect& command) const {
    change()->disconnects.set(command.account, command.enabled);
    return Nothing{};
  }

  Answer<NotePresence> operator()(const NotePresence& command) const {
    if (command.connected)
      change()->disconnects.stream_opened(command.account, command.node);
    else
      change()->disconnects.streams_closed(command.account, command.node, turn.now_ms);
    return Nothing{};
  }

  Answer<NoteStreamsLost> operator()(const NoteStreamsLost& command) const {
    change()->disconnects.node_streams_closed(command.node, turn.now_ms);
    return Nothing{};
  }

  Answer<NoteRestart> operator()(const NoteRestart&) const {
    change()->disconnects.node_streams_closed("", turn.now_ms);
    return Nothing{};
  }

  // Money.

  // Whether the engine accepted it. (API: Tiers; D-725)
  Result<bool, ApiError> pays_in(const PayIn& payment) const {
    if (state.tiers.of(payment.account) == api::Tier::unlimited)
      return refused(ErrorCode::forbidden, "an account with the Unlimited tier takes no funds");
    return turn.command(engine::Deposit{.account = payment.account, .amount = payment.amount, .kind = payment.kind})
        .ok();
  }

  Answer<PayIn> operator()(const PayIn& command) const {
    SVC_TRY(pays_in(command));
    return Nothing{};
  }

  Answer<ClaimFaucet> operator()(const ClaimFaucet& command) const {
    const auto offer = state.faucet.offer(command.account, turn.now_ms);
    if (!offer) {
      const std::optional<TimestampMs> available_at_ms = offer.error();
      ApiError error(available_at_ms ? ErrorCode::faucet_cooldown : ErrorCode::faucet_cap_reached);
      if (available_at_ms) error.members = "\"available_at_ms\":" + std::to_string(*available_at_ms);
      return unexpected(std::move(error));
    }
    if (!SVC_TRY(pays_in({command.account, offer->amount, engine::FundsKind::faucet}))) return FaucetClaim{};
    change()->faucet.note(command.account, *offer);
    return *offer;
  }

  Answer<ClaimCredit> operator()(const ClaimCredit& command) const {
    const auto offer = SVC_TRY(state.credits.offer(command.account, command.amount, turn.now_ms));
    if (!SVC_TRY(pays_in({command.account, offer.amount, engine::FundsKind::credit}))) return Credit{};
    change()->credits.note(command.account, offer, turn.now_ms);
    return offer;
  }

  Answer<WithdrawToWallet> operator()(const WithdrawToWallet& command) const {
    const auto& [account, amount] = command;
    if (state.switches.is_frozen(account))
      return refused(ErrorCode::withdrawal_rejected, "an operator froze what leaves this account");
    if (!state.withdrawals.has_room(account, turn.now_ms))
      return refused(ErrorCode::withdrawal_rejected, "too many withdrawals of this account are pending");
    ChainMovement movement =
        movement_of(services.terms_.money.chain, MovementKind::withdrawal, account, amount, turn.now_ms);
    movement.address = to_string(account);
    const auto paid = turn.command(engine::Withdraw{.account = account,
                                                    .amount = amount,
                                                    .kind = engine::FundsKind::withdrawal,
                                                    .record = state.withdrawals.next_number()});
    if (!paid.ok()) return ChainMovement{};
    return change()->withdrawals.add(std::move(movement), turn.now_ms);
  }

  Answer<WithdrawOverBridge> operator()(const WithdrawOverBridge& command) const {
    const auto& [account, amount, key] = command;
    if (const auto known = state.idempotency_keys.find(account, key, turn.now_ms)) {
      if (known->amount != amount) return unexpected(ErrorCode::idempotency_conflict);
      const auto movement = state.bridge_withdrawals.find(known->withdrawal);
      SVC_ASSERT(movement);  // as many movements are kept as there can be live keys
      return *movement;
    }
    const ChainTerms& chain = services.terms_.money.chain;
    SVC_TRY(may_withdraw(state, chain, command, turn.now_ms));
    ChainMovement movement = movement_of(chain, MovementKind::bridge_withdrawal, account, amount, turn.now_ms);
    movement.fee = chain.withdrawal_fee;
    const auto wallets = state.wallets.of(account);
    movement.address = to_string(wallets.empty() ? account : wallets.front());
    const std::uint64_t number = state.bridge_withdrawals.next_number();
    const auto paid = turn.command(engine::Withdraw{
        .account = account, .amount = amount, .kind = engine::FundsKind::bridge_withdrawal, .record = number});
    if (!paid.ok()) return ChainMovement{};
    const auto changed = change();
    changed->idempotency_keys.put(account, key, {.amount = amount, .withdrawal = number, .first_used_ms = turn.now_ms});
    return changed->bridge_withdrawals.add(std::move(movement), turn.now_ms);
  }

  Answer<EnrollForTransfers> operator()(const EnrollForTransfers& command) const {
    SVC_TRY(admit_to_transfers(state, command.account, turn.now_ms));
    const auto since_ms = change()->transfers.enroll(command.account, turn.now_ms);
    if (!since_ms) return refused(ErrorCode::transfers_unavailable, "no more accounts can take part in transfers");
    return *since_ms;
  }

  Answer<TransferMoney> operator()(const TransferMoney& command) const {
    if (const auto known = state.transfers.find(command.sender, command.client_transfer_id)) {
      if (known->recipient == command.recipient && known->amount == command.amount) return *known;
      return unexpected(ErrorCode::transfer_id_conflict);
    }
    SVC_TRY(admit_to_transfers(state, command.sender, turn.now_ms));
    SVC_TRY(may_transfer(state, command, turn.now_ms));
    const Transfer transfer{.number = state.transfers.next_number(),
                            .client_transfer_id = command.client_transfer_id,
                            .sender = command.sender,
                            .recipient = command.recipient,
                            .amount = command.amount,
                            .committed_ms = turn.now_ms};
    const auto paid = turn.command(engine::Transfer{
        .from = transfer.sender, .to = transfer.recipient, .amount = transfer.amount, .record = transfer.number});
    if (!paid.ok()) return Transfer{};
    change()->transfers.put(transfer);
    return transfer;
  }

  Answer<OpenDepositAddress> operator()(const OpenDepositAddress& command) const {
    return change()->addresses.open(command.account, turn.now_ms);
  }

  Answer<IssueWalletChallenge> operator()(const IssueWalletChallenge& command) const {
    return change()->wallets.challenge(command.account, command.wallet, turn.now_ms);
  }

  Answer<RegisterWallet> operator()(const RegisterWallet& command) const {
    return change()->wallets.add(command.account, command.wallet, command.message, command.signer, turn.now_ms);
  }

  // The operator and the chain.

  Answer<TurnSwitches> operator()(const TurnSwitches& command) const {
    const auto changed = change();
    for (const auto& [service, on] : command.services) changed->switches.turn(service, on);
    return Nothing{};
  }

  Answer<FreezeAccount> operator()(const FreezeAccount& command) const {
    if (!command.frozen)
      change()->switches.unfreeze(command.account);
    else if (!change()->switches.freeze(command.account))
      return refused(ErrorCode::unprocessable, "as many accounts are frozen as can be");
    return Nothing{};
  }

  Answer<PayDepositAddress> operator()(const PayDepositAddress& command) const {
    if (!state.bridge_deposits.has_room(command.account, turn.now_ms))
      return refused(ErrorCode::unprocessable, "too many deposits of this account are open");
    ChainMovement movement = movement_of(services.terms_.money.chain, MovementKind::bridge_deposit, command.account,
                                         command.amount, turn.now_ms);
    movement.asset = command.asset;
    movement.address = to_string(state.addresses.address_of(command.account));
    return change()->bridge_deposits.add(std::move(movement), turn.now_ms);
  }

  Result<ChainMovement, ApiError> open_movement(const MovementId& id) const {
    auto movement = state.find(id);
    if (!movement) return refused(ErrorCode::not_found, "no withdrawal or bridge deposit " + to_string(id));
    if (movement->fate(turn.now_ms) != MovementFate::open)
      return refused(ErrorCode::unprocessable, to_string(id) + " is final already");
    return std::move(*movement);
  }

  Answer<ConfirmMovement> operator()(const ConfirmMovement& command) const {
    SVC_TRY(open_movement(command.id));
    return change()->movements(command.id.kind).confirm(command.id.number, turn.now_ms);
  }

  Answer<FailMovement> operator()(const FailMovement& command) const {
    const auto movement = SVC_TRY(open_movement(command.id));
    if (command.id.kind != MovementKind::bridge_deposit) {
      const auto returned = turn.command(engine::Deposit{
          .account = movement.account, .amount = movement.amount, .kind = engine::FundsKind::withdrawal_reversal});
      if (!returned.ok()) return ChainMovement{};
    }
    return change()->movements(command.id.kind).decide(command.id.number, MovementFate::failed, turn.now_ms);
  }
};

Result<ServiceValue, ApiError> Services::apply(const ServiceCommand& command, const Turn& turn) {
  const Applying applying{*this, turn, state_};
  return std::visit(
      [&](const auto& one) -> Result<ServiceValue, ApiError> { return ServiceValue(SVC_TRY(applying(one))); }, command);
}

// What the clock alone causes. A deposit comes before a timer that ends at the same instant.

void Services::do_due(const Turn& turn) {
  const ChainMovement* next = state_.bridge_deposits.next_final();
  const auto timer = state_.disconnects.next();
  if (next != nullptr && (!timer || next->final_ms <= timer->ends_ms)) {
    // It fails if it is below the chain's minimum, or if the venue cannot hold more money.
    const ChainMovement deposit = *next;
    const bool credited = deposit.amount >= terms_.money.chain.min_deposit &&
                          turn.command(engine::Deposit{.account = deposit.account,
                                                       .amount = deposit.amount,
                                                       .kind = engine::FundsKind::bridge_deposit})
                              .ok();
    change()->bridge_deposits.decide(deposit.id.number, credited ? MovementFate::settled : MovementFate::failed,
                                     turn.now_ms);
    return;
  }
  SVC_ASSERT(timer);
  change()->disconnects.end(*timer);
  // An account that switched the setting off while the timer ran keeps its orders. One that is unknown or has no
  // orders has nothing to cancel.
  if (state_.disconnects.is_enabled(timer->account))
    (void)turn.command(engine::CancelAll{.account = timer->account,
                                         .market = std::nullopt,
                                         .scope = engine::CancelScope::resting_orders,
                                         .reason = engine::CancelReason::cancel_on_disconnect});
}

Result<ServicesState, std::string> Services::state_of(std::string_view image, TimestampMs last_ms) const {
  ServicesState state(terms_);
  ArchiveReader reader(image);
  reader(state);
  if (!reader.done()) return unexpected("a row of the services makes no sense");
  const bool keys_stand = state.idempotency_keys.all_live(last_ms, [&](const KeyedRequest& request) {
    return state.bridge_withdrawals.find(request.withdrawal).has_value();
  });
  if (!keys_stand) return unexpected("a key of the image stands for a withdrawal that is not there");
  return state;
}

}  // namespace svc::sim
