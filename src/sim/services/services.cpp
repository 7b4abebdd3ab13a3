#include "sim/services/services.h"

#include "api/tiers.h"
#include "base/archive.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/random.h"

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

// Networks draw different credentials, whatever the order of requests.
SecretStream stream_of(const ServiceTerms& terms, const char* purpose) {
  return SecretStream(Prng(terms.seed, std::string(api::to_string(terms.network)) + '/' + purpose));
}

MoneyTerms on_chain_of(api::NetworkId network, MoneyTerms terms) {
  terms.chain = on_chain_of(network, std::move(terms.chain));
  return terms;
}

ApiError ineligible(std::string why) {
  return ApiError(ErrorCode::transfer_account_ineligible, std::move(why));
}

// Payer and recipient must be enrolled, and the venue must know the recipient. The engine checks that the source is
// flat and has the money.
Result<void, ApiError> may_transfer(const ServicesState& state, const TransferMoney& wanted, TimestampMs now_ms) {
  const TransferStore& transfers = state.transfers;
  if (transfers.is_full()) return unexpected(ApiError(ErrorCode::transfers_unavailable, "no more payments are taken"));
  if (!transfers.enrolled_ms(wanted.sender)) return unexpected(ineligible("the sender is not enrolled"));
  if (wanted.recipient == wanted.sender) return unexpected(ineligible("sender and recipient are one account"));
  if (state.agents.find(wanted.recipient, now_ms)) return unexpected(ineligible("the recipient is an agent"));
  if (state.tiers.of(wanted.recipient) == api::Tier::unlimited)
    return unexpected(ineligible("the recipient has the Unlimited tier, which takes no funds"));
  if (!transfers.enrolled_ms(wanted.recipient)) {
    if (wanted.recipient_is_known) return unexpected(ineligible("the recipient is not enrolled"));
    return unexpected(ApiError(ErrorCode::not_found, "the recipient has no account here"));
  }
  if (state.switches.is_frozen(wanted.sender))
    return unexpected(
        ApiError(ErrorCode::transfer_outflow_blocked, "an operator froze what leaves the sender's account"));
  return {};
}

// Checked in this order. A failing step behind the bridge has no effects: it uses neither money nor key.
Result<void, ApiError> may_withdraw(const ServicesState& state, const ChainTerms& chain,
                                    const WithdrawOverBridge& wanted, TimestampMs now_ms) {
  using enum ErrorCode;
  if (!state.switches.is_on(Switchable::bridge_withdrawals))
    return unexpected(ApiError(bridge_withdrawals_unavailable));
  if (state.idempotency_keys.is_full(wanted.account, now_ms) ||
      !state.bridge_withdrawals.has_room(wanted.account, now_ms))
    return unexpected(ApiError(bridge_withdrawals_unavailable, "too many withdrawals of this account in 24 hours"));
  if (wanted.amount < chain.min_withdrawal)
    return unexpected(
        ApiError(amount_below_minimum, "the smallest withdrawal is " + std::to_string(chain.min_withdrawal.value) +
                                           " units of 0.000001 USDX"));
  if (state.switches.is_frozen(wanted.account))
    return unexpected(ApiError(withdrawal_rejected, "an operator froze what leaves this account"));
  if (!state.switches.is_on(Switchable::bridge_chain))
    return unexpected(
        ApiError(bridge_step_failed, "the chain does not take transactions; repeat with the same Idempotency-Key"));
  return {};
}

// Whether an account has funds, positions or orders. Money in transit counts as well: a failed withdrawal comes back,
// a confirmed deposit arrives.
bool trades(const ServicesState& state, const engine::Engine& engine, const Address& account, TimestampMs now_ms) {
  const auto is_open = [&](const ChainMovement& movement) { return movement.fate(now_ms) == MovementFate::open; };
  const auto moves = [&](const ChainMovements& movements) {
    return !movements.newest_of(account, 1, is_open).empty();
  };
  const engine::AccountFigures figures = engine.account(account);
  return figures.collateral != Usdx{} || figures.balance != Usdx{} || figures.open_positions > 0 ||
         figures.open_orders > 0 || moves(state.withdrawals) || moves(state.bridge_withdrawals) ||
         moves(state.bridge_deposits);
}

ErrorCode code_of(WalletRefusal refusal) {
  switch (refusal) {
    case WalletRefusal::unknown_challenge: return ErrorCode::invalid_challenge;
    case WalletRefusal::account_mismatch: return ErrorCode::account_mismatch;
    case WalletRefusal::challenge_expired: return ErrorCode::challenge_expired;
    case WalletRefusal::signature_mismatch: return ErrorCode::signature_mismatch;
    case WalletRefusal::registered_already: return ErrorCode::wallet_already_registered;
    case WalletRefusal::too_many: return ErrorCode::wallet_registration_unavailable;
  }
  SVC_ASSERT(false);
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

bool is_usual(const ServiceCommand& command) {
  return std::visit([](const auto& one) { return has_usual_parts(one); }, command);
}

ServicesState::ServicesState(const ServiceTerms& terms)
    : sessions(stream_of(terms, "sessions")),
      keys(stream_of(terms, "keys")),
      stream_tokens(stream_of(terms, "stream tokens")),
      disconnects(terms.disconnects),
      faucet(terms.faucet),
      credits(terms.credits),
      switches(terms.money.switched_off),
      addresses(terms.money.chain.name),
      wallets(api::to_string(terms.network)) {}

const ChainMovements& ServicesState::movements(MovementKind kind) const {
  switch (kind) {
    case MovementKind::withdrawal: return withdrawals;
    case MovementKind::bridge_withdrawal: return bridge_withdrawals;
    case MovementKind::bridge_deposit: return bridge_deposits;
  }
  SVC_ASSERT(false);
}

ChainMovements& ServicesState::movements(MovementKind kind) {
  return const_cast<ChainMovements&>(std::as_const(*this).movements(kind));
}

Result<void, ApiError> admit_to_transfers(const ServicesState& state, const Address& account, TimestampMs now_ms) {
  if (!state.switches.is_on(Switchable::transfers)) return unexpected(ApiError(ErrorCode::transfers_unavailable));
  if (state.agents.find(account, now_ms)) return unexpected(ineligible("an agent is no account of its own"));
  return {};
}

std::uint32_t key_ceiling_per_second(api::Tier tier) {
  return tier == api::Tier::unlimited ? 0 : api::limits_of(tier).requests_per_second;
}

Services::Services(ServiceTerms terms)
    : terms_([&] {
        terms.money = on_chain_of(terms.network, std::move(terms.money));
        return std::move(terms);
      }()),
      state_(terms_) {}

bool Services::spend(const SpentNonces& spent) {
  if (spent.empty()) return true;
  return change([&](ServicesState& state) { return state.nonces.spend(spent); });
}

Result<ServiceValue, ApiError> Services::apply(const ServiceCommand& command, const Turn& turn) {
  return std::visit(
      [&](const auto& one) -> Result<ServiceValue, ApiError> {
        auto value = SVC_TRY(apply(one, turn));
        return ServiceValue(std::move(value));
      },
      command);
}

// Credentials.

Services::Answer<OpenSession> Services::apply(const OpenSession& command, const Turn& turn) {
  return change([&](ServicesState& state) { return state.sessions.open(command.account, command.drawn, turn.now_ms); });
}

Services::Answer<CreateKey> Services::apply(const CreateKey& command, const Turn& turn) {
  const std::uint32_t ceiling = key_ceiling_per_second(state_.tiers.of(command.account));
  auto minted = change([&](ServicesState& state) {
    return state.keys.create(
        {.account = command.account, .label = command.label, .ceiling_per_second = ceiling}, command.drawn, turn.now_ms);
  });
  if (!minted) return unexpected(ApiError(ErrorCode::too_many_keys));
  return std::move(*minted);
}

Services::Answer<DeleteKey> Services::apply(const DeleteKey& command, const Turn&) {
  if (!change([&](ServicesState& state) { return state.keys.remove(command.account, command.id); }))
    return unexpected(ApiError(ErrorCode::not_found, "no such key"));
  return Nothing{};
}

Services::Answer<RegisterAgent> Services::apply(const RegisterAgent& command, const Turn& turn) {
  const Agent agent{.address = command.agent,
                    .account = command.account,
                    .label = command.label,
                    .registered_at_ms = turn.now_ms,
                    .expires_at_ms = command.expires_at_ms};
  const auto added = change([&](ServicesState& state) { return state.agents.add(agent, turn.now_ms); });
  if (!added)
    return unexpected(ApiError(added.error() == AgentRefusal::duplicate ? ErrorCode::duplicate_agent
                                                                        : ErrorCode::too_many_agents));
  return agent;
}

Services::Answer<RevokeAgent> Services::apply(const RevokeAgent& command, const Turn& turn) {
  if (!change([&](ServicesState& state) { return state.agents.revoke(command.account, command.agent, turn.now_ms); }))
    return unexpected(ApiError(ErrorCode::not_found, "no such agent"));
  return Nothing{};
}

Services::Answer<MintStreamToken> Services::apply(const MintStreamToken& command, const Turn& turn) {
  return change(
      [&](ServicesState& state) { return state.stream_tokens.mint(command.grant, command.drawn, turn.now_ms); });
}

Services::Answer<RedeemStreamToken> Services::apply(const RedeemStreamToken& command, const Turn& turn) {
  const auto grant = change([&](ServicesState& state) { return state.stream_tokens.redeem(command.token, turn.now_ms); });
  if (!grant) return unexpected(ApiError(ErrorCode::unauthorized));
  return *grant;
}

// Settings of accounts.

// The Unlimited tier is for gateways' keys, never for a trading account. (API: Tiers; D-725)
Services::Answer<AssignTier> Services::apply(const AssignTier& command, const Turn& turn) {
  if (command.tier == api::Tier::unlimited && trades(state_, turn.engine, command.account, turn.now_ms))
    return unexpected(ApiError(ErrorCode::unprocessable,
                               "the account has funds, positions or orders, and Unlimited is never the tier of a "
                               "trading account"));
  change([&](ServicesState& state) { state.tiers.assign(command.account, command.tier); });
  return Nothing{};
}

Services::Answer<ResetTier> Services::apply(const ResetTier& command, const Turn&) {
  if (!change([&](ServicesState& state) { return state.tiers.reset(command.account); }))
    return unexpected(ApiError(ErrorCode::not_found, "the account has no tier of its own"));
  return Nothing{};
}

Services::Answer<SetCancelOnDisconnect> Services::apply(const SetCancelOnDisconnect& command, const Turn&) {
  change([&](ServicesState& state) { state.disconnects.set(command.account, command.enabled); });
  return Nothing{};
}

Services::Answer<NotePresence> Services::apply(const NotePresence& command, const Turn& turn) {
  change([&](ServicesState& state) {
    if (command.connected)
      state.disconnects.stream_opened(command.account, command.node);
    else
      state.disconnects.streams_closed(command.account, command.node, turn.now_ms);
  });
  return Nothing{};
}

Services::Answer<NoteStreamsLost> Services::apply(const NoteStreamsLost& command, const Turn& turn) {
  change([&](ServicesState& state) { state.disconnects.node_streams_closed(command.node, turn.now_ms); });
  return Nothing{};
}

// Money.

// (API: Tiers; D-725)
Result<bool, ApiError> Services::pays_in(const PayIn& payment, const Turn& turn) const {
  if (state_.tiers.of(payment.account) == api::Tier::unlimited)
    return unexpected(ApiError(ErrorCode::forbidden, "an account with the Unlimited tier takes no funds"));
  return turn.command(engine::Deposit{.account = payment.account, .amount = payment.amount, .kind = payment.kind}).ok();
}

Services::Answer<PayIn> Services::apply(const PayIn& command, const Turn& turn) {
  SVC_TRY(pays_in(command, turn));
  return Nothing{};
}

Services::Answer<ClaimFaucet> Services::apply(const ClaimFaucet& command, const Turn& turn) {
  const auto offer = state_.faucet.offer(command.account, turn.now_ms);
  if (!offer) {
    ApiError error(offer.error().capped ? ErrorCode::faucet_cap_reached : ErrorCode::faucet_cooldown);
    if (const auto available_at_ms = offer.error().available_at_ms)
      error.members = "\"available_at_ms\":" + std::to_string(*available_at_ms);
    return unexpected(std::move(error));
  }
  if (!SVC_TRY(pays_in({command.account, offer->amount, engine::FundsKind::faucet}, turn))) return FaucetClaim{};
  change([&](ServicesState& state) { state.faucet.note(command.account, *offer); });
  return *offer;
}

Services::Answer<ClaimCredit> Services::apply(const ClaimCredit& command, const Turn& turn) {
  const auto offer = state_.credits.offer(command.account, command.amount, turn.now_ms);
  if (!offer)
    return unexpected(ApiError(ErrorCode::daily_limit_exceeded)
                          .with("credited_today", format_usdx(offer.error().credited_today))
                          .with("daily_limit", format_usdx(offer.error().daily_limit)));
  if (!SVC_TRY(pays_in({command.account, offer->amount, engine::FundsKind::credit}, turn))) return Credit{};
  change([&](ServicesState& state) { state.credits.note(command.account, *offer, turn.now_ms); });
  return *offer;
}

Services::Answer<WithdrawToWallet> Services::apply(const WithdrawToWallet& command, const Turn& turn) {
  const auto& [account, amount] = command;
  if (state_.switches.is_frozen(account))
    return unexpected(ApiError(ErrorCode::withdrawal_rejected, "an operator froze what leaves this account"));
  if (!state_.withdrawals.has_room(account, turn.now_ms))
    return unexpected(ApiError(ErrorCode::withdrawal_rejected, "too many withdrawals of this account are pending"));
  ChainMovement movement = movement_of(terms_.money.chain, MovementKind::withdrawal, account, amount, turn.now_ms);
  movement.address = to_string(account);
  const auto paid = turn.command(engine::Withdraw{.account = account,
                                                  .amount = amount,
                                                  .kind = engine::FundsKind::withdrawal,
                                                  .record = state_.withdrawals.next_number()});
  if (!paid.ok()) return ChainMovement{};
  return change([&](ServicesState& state) { return state.withdrawals.add(std::move(movement), turn.now_ms); });
}

Services::Answer<WithdrawOverBridge> Services::apply(const WithdrawOverBridge& command, const Turn& turn) {
  const auto& [account, amount, key] = command;
  if (const auto known = state_.idempotency_keys.find(account, key, turn.now_ms)) {
    if (known->amount != amount) return unexpected(ApiError(ErrorCode::idempotency_conflict));
    const auto movement = state_.bridge_withdrawals.find(known->withdrawal);
    SVC_ASSERT(movement);  // as many movements are kept as there can be live keys
    return *movement;
  }
  const ChainTerms& chain = terms_.money.chain;
  SVC_TRY(may_withdraw(state_, chain, command, turn.now_ms));
  ChainMovement movement = movement_of(chain, MovementKind::bridge_withdrawal, account, amount, turn.now_ms);
  movement.fee = chain.withdrawal_fee;
  const auto wallets = state_.wallets.of(account);
  movement.address = to_string(wallets.empty() ? account : wallets.front());
  const std::uint64_t number = state_.bridge_withdrawals.next_number();
  const auto paid = turn.command(engine::Withdraw{
      .account = account, .amount = amount, .kind = engine::FundsKind::bridge_withdrawal, .record = number});
  if (!paid.ok()) return ChainMovement{};
  return change([&](ServicesState& state) {
    state.idempotency_keys.put(account, key, {.amount = amount, .withdrawal = number, .first_used_ms = turn.now_ms});
    return state.bridge_withdrawals.add(std::move(movement), turn.now_ms);
  });
}

Services::Answer<EnrollForTransfers> Services::apply(const EnrollForTransfers& command, const Turn& turn) {
  SVC_TRY(admit_to_transfers(state_, command.account, turn.now_ms));
  const auto since_ms =
      change([&](ServicesState& state) { return state.transfers.enroll(command.account, turn.now_ms); });
  if (!since_ms)
    return unexpected(ApiError(ErrorCode::transfers_unavailable, "no more accounts can take part in transfers"));
  return *since_ms;
}

Services::Answer<TransferMoney> Services::apply(const TransferMoney& command, const Turn& turn) {
  if (const auto known = state_.transfers.find(command.sender, command.client_transfer_id)) {
    if (known->recipient == command.recipient && known->amount == command.amount) return *known;
    return unexpected(ApiError(ErrorCode::transfer_id_conflict));
  }
  SVC_TRY(admit_to_transfers(state_, command.sender, turn.now_ms));
  SVC_TRY(may_transfer(state_, command, turn.now_ms));
  const Transfer transfer{.number = state_.transfers.next_number(),
                          .client_transfer_id = command.client_transfer_id,
                          .sender = command.sender,
                          .recipient = command.recipient,
                          .amount = command.amount,
                          .committed_ms = turn.now_ms};
  const auto paid = turn.command(engine::Transfer{
      .from = transfer.sender, .to = transfer.recipient, .amount = transfer.amount, .record = transfer.number});
  if (!paid.ok()) return Transfer{};
  change([&](ServicesState& state) { state.transfers.put(transfer); });
  return transfer;
}

Services::Answer<OpenDepositAddress> Services::apply(const OpenDepositAddress& command, const Turn& turn) {
  return change([&](ServicesState& state) { return state.addresses.open(command.account, turn.now_ms); });
}

Services::Answer<IssueWalletChallenge> Services::apply(const IssueWalletChallenge& command, const Turn& turn) {
  return change(
      [&](ServicesState& state) { return state.wallets.challenge(command.account, command.wallet, turn.now_ms); });
}

Services::Answer<RegisterWallet> Services::apply(const RegisterWallet& command, const Turn& turn) {
  const auto is_default = change([&](ServicesState& state) {
    return state.wallets.add(command.account, command.wallet, command.message, command.signer, turn.now_ms);
  });
  if (is_default) return *is_default;
  ApiError error(code_of(is_default.error()));
  if (is_default.error() == WalletRefusal::too_many) error.message = "the account has as many wallets as it may have";
  return unexpected(std::move(error));
}

// The operator and the chain.

Services::Answer<TurnSwitches> Services::apply(const TurnSwitches& command, const Turn&) {
  change([&](ServicesState& state) {
    for (const auto& [service, on] : command.services) state.switches.turn(service, on);
  });
  return Nothing{};
}

Services::Answer<FreezeAccount> Services::apply(const FreezeAccount& command, const Turn&) {
  const bool done = change([&](ServicesState& state) {
    if (command.frozen) return state.switches.freeze(command.account);
    state.switches.unfreeze(command.account);
    return true;
  });
  if (!done) return unexpected(ApiError(ErrorCode::unprocessable, "as many accounts are frozen as can be"));
  return Nothing{};
}

Services::Answer<PayDepositAddress> Services::apply(const PayDepositAddress& command, const Turn& turn) {
  if (!state_.bridge_deposits.has_room(command.account, turn.now_ms))
    return unexpected(ApiError(ErrorCode::unprocessable, "too many deposits of this account are open"));
  ChainMovement movement =
      movement_of(terms_.money.chain, MovementKind::bridge_deposit, command.account, command.amount, turn.now_ms);
  movement.asset = command.asset;
  movement.address = to_string(state_.addresses.address_of(command.account));
  return change([&](ServicesState& state) { return state.bridge_deposits.add(std::move(movement), turn.now_ms); });
}

Result<ChainMovement, ApiError> Services::open_movement(const MovementId& id, TimestampMs now_ms) const {
  auto movement = state_.find(id);
  if (!movement) return unexpected(ApiError(ErrorCode::not_found, "no withdrawal or bridge deposit " + to_string(id)));
  if (movement->fate(now_ms) != MovementFate::open)
    return unexpected(ApiError(ErrorCode::unprocessable, to_string(id) + " is final already"));
  return std::move(*movement);
}

Services::Answer<ConfirmMovement> Services::apply(const ConfirmMovement& command, const Turn& turn) {
  SVC_TRY(open_movement(command.id, turn.now_ms));
  return change([&](ServicesState& state) {
    ChainMovements& movements = state.movements(command.id.kind);
    movements.confirm(command.id.number, turn.now_ms);
    return *movements.find(command.id.number);
  });
}

Services::Answer<FailMovement> Services::apply(const FailMovement& command, const Turn& turn) {
  const auto movement = SVC_TRY(open_movement(command.id, turn.now_ms));
  if (command.id.kind != MovementKind::bridge_deposit) {
    const auto returned = turn.command(engine::Deposit{.account = movement.account,
                                                       .amount = movement.amount,
                                                       .kind = engine::FundsKind::withdrawal_reversal});
    if (!returned.ok()) return ChainMovement{};
  }
  return change([&](ServicesState& state) {
    ChainMovements& movements = state.movements(command.id.kind);
    movements.decide(command.id.number, MovementFate::failed, turn.now_ms);
    return *movements.find(command.id.number);
  });
}

// What the clock alone causes. A deposit comes before a timer that ends at the same instant.

std::optional<TimestampMs> Services::next_due_ms() const {
  std::optional<TimestampMs> next;
  if (const ChainMovement* deposit = state_.bridge_deposits.next_final()) next = deposit->final_ms;
  if (const auto timer = state_.disconnects.next(); timer && (!next || timer->ends_ms < *next)) next = timer->ends_ms;
  return next;
}

void Services::do_due(const Turn& turn) {
  const ChainMovement* deposit = state_.bridge_deposits.next_final();
  const auto timer = state_.disconnects.next();
  if (deposit != nullptr && (!timer || deposit->final_ms <= timer->ends_ms))
    return credit_deposit(ChainMovement(*deposit), turn);
  SVC_ASSERT(timer);
  change([&](ServicesState& state) { state.disconnects.end(*timer); });
  // An account that switched the setting off while the timer ran keeps its orders. One that is unknown or has no
  // orders has nothing to cancel.
  if (state_.disconnects.is_enabled(timer->account))
    (void)turn.command(engine::CancelAll{.account = timer->account,
                                         .market = std::nullopt,
                                         .scope = engine::CancelScope::resting_orders,
                                         .reason = engine::CancelReason::cancel_on_disconnect});
}

// A deposit fails if it is below the chain's minimum, or if the venue cannot hold more money.
void Services::credit_deposit(const ChainMovement& deposit, const Turn& turn) {
  const bool credited = deposit.amount >= terms_.money.chain.min_deposit &&
                        turn.command(engine::Deposit{.account = deposit.account,
                                                     .amount = deposit.amount,
                                                     .kind = engine::FundsKind::bridge_deposit})
                            .ok();
  change([&](ServicesState& state) {
    state.bridge_deposits.decide(deposit.id.number, credited ? MovementFate::settled : MovementFate::failed,
                                 turn.now_ms);
  });
}

std::string Services::image() const {
  return to_archive(state_);
}

Result<ServicesState, std::string> Services::state_of(std::string_view image, TimestampMs last_ms) const {
  ServicesState state(terms_);
  ArchiveReader reader(image);
  reader(state);
  if (!reader.done()) return unexpected(std::string("a row of the services makes no sense"));
  const bool keys_stand = state.idempotency_keys.all_live(last_ms, [&](const KeyedRequest& request) {
    return state.bridge_withdrawals.find(request.withdrawal).has_value();
  });
  if (!keys_stand) return unexpected(std::string("a key of the image stands for a withdrawal that is not there"));
  return state;
}

void Services::become(ServicesState state) {
  change([&](ServicesState& own) { own = std::move(state); });
}

}  // namespace svc::sim
