#include "sim/services/services.h"

#include "api/tiers.h"
#include "base/encoding.h"
#include "sim/services/service_commands.h"

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

// Besides what every row has to be: by the names of its members.
template <class Command>
bool has_usual_parts(const Command& command) {
  if constexpr (requires { command.label; })
    if (command.label && command.label->size() > limits::label_bytes_max) return false;
  if constexpr (requires { command.drawn->secret; })
    if (command.drawn && !(is_name(command.drawn->id) && signing::HmacKey::from_hex(command.drawn->secret)))
      return false;
  if constexpr (requires { command.amount; })
    if (command.amount == Usdx{}) return false;
  if constexpr (requires { command.idempotency_key; })
    if (!is_name(command.idempotency_key)) return false;
  return are_sound(command);
}

}  // namespace

std::optional<Entitlement> revoked_by(const ServiceCommand& command) {
  return std::visit(
      [](const auto& one) -> std::optional<Entitlement> {
        if constexpr (requires { one.revoked(); }) return one.revoked();
        return std::nullopt;
      },
      command);
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
    if (const auto* id = std::get_if<std::string>(&one.by)) {
      const auto key = keys.find(*id);
      return key != nullptr && key->account == one.account;
    }
    const auto agent = agents.find(std::get<Address>(one.by), now_ms);
    return agent && agent->account == one.account;
  });
}

Result<void, ApiError> admit_to_transfers(const ServicesState& state, const Address& account, TimestampMs now_ms) {
  if (!state.switches.is_on(Switchable::transfers)) return unexpected(ErrorCode::transfers_unavailable);
  if (state.agents.find(account, now_ms))
    return refused(ErrorCode::transfer_account_ineligible,
                   "an agent is no account of its own: DELETE /agents/{address}, also with the agent's own API key, "
                   "ends that");
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

bool Services::Applying::has_money(const Address& account) const {
  const auto is_open = [&](const ChainMovement& movement) { return movement.fate(now_ms) == MovementFate::open; };
  const auto moves = [&](const ChainMovements& movements) { return !movements.newest_of(account, 1, is_open).empty(); };
  const engine::AccountFigures figures = engine.account(account);
  return figures.collateral != Usdx{} || figures.balance != Usdx{} || figures.open_positions > 0 ||
         moves(state.withdrawals) || moves(state.bridge_withdrawals) || moves(state.bridge_deposits);
}

Result<ChainMovement, ApiError> Services::Applying::open_movement(const MovementId& id) const {
  auto movement = state.find(id);
  if (!movement) return refused(ErrorCode::not_found, "no withdrawal or bridge deposit " + to_string(id));
  if (movement->fate(now_ms) != MovementFate::open)
    return refused(ErrorCode::unprocessable, to_string(id) + " is final already");
  return std::move(*movement);
}

Result<ServiceValue, ApiError> Services::apply(const ServiceCommand& command, const Turn& turn) {
  const Applying on{turn, *this, state_, terms_.money.chain};
  return std::visit(
      [&](const auto& one) -> Result<ServiceValue, ApiError> { return ServiceValue(SVC_TRY(one.apply(on))); }, command);
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
  if (!read_archive(image, state)) return unexpected("a row of the services makes no sense");
  const bool keys_stand = state.idempotency_keys.all_live(last_ms, [&](const KeyedRequest& request) {
    return state.bridge_withdrawals.find(request.withdrawal).has_value();
  });
  if (!keys_stand) return unexpected("a key of the image stands for a withdrawal that is not there");
  return state;
}

}  // namespace svc::sim
