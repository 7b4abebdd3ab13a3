// Money in transit: simulates the chain behind the bridge, and the operator who switches services off or freezes
// accounts.

#include "api/contract/funds.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
namespace {

// In the API's spelling.
std::string status_of(const ChainMovement& movement, TimestampMs now_ms) {
  switch (movement.id.kind) {
    case MovementKind::bridge_deposit: return std::string(to_string(deposit_record(movement, now_ms).status));
    case MovementKind::bridge_withdrawal:
      return std::string(to_string(bridge_withdrawal_record(movement, now_ms).status));
    case MovementKind::withdrawal:
      using enum api::WithdrawalStatus;
      return std::string(to_string(status_as(movement.fate(now_ms), pending, settled)));
  }
  SVC_ASSERT(false);
}

// Applies the command to a bridge deposit, bridge withdrawal or withdrawal.
template <class Command>
Result<control::MovementDecided, ApiError> decide(const ControlledVenue& venue, const control::MovementRef& ref) {
  const std::string& text = ref.id;
  const auto id = parse_movement_id(text);
  const auto before = id ? venue.network.services.look()->find(*id) : std::nullopt;
  if (!before) return not_found("no withdrawal or bridge deposit " + text);
  const std::string status_before = status_of(*before, venue.clock.now_ms());
  const auto decided = serve_control(venue, Command{*id});
  if (!decided && decided.error().code == ErrorCode::unprocessable) {
    const auto now = venue.network.services.look()->find(*id);
    return not_possible(text + " is " + status_of(now.value_or(*before), venue.clock.now_ms()) + " already");
  }
  SVC_TRY(decided);
  venue.sequencer.pass_time();  // a confirmed deposit is credited now
  const auto after = venue.network.services.look()->find(*id).value_or(decided->value);
  return control::MovementDecided{moment_of(decided->applied), text,          after.account,
                                  usdx_text(after.amount),     status_before, status_of(after, decided->applied.at_ms)};
}

// A transaction on the chain that pays an account's deposit address.
Answer<control::SendDeposit> send_deposit(const ControlledVenue& venue, const control::ChainPayment& payment) {
  if (payment.account.has_value() == payment.address.has_value())
    return bad_body("one of account and address, a deposit address, is needed");
  const auto account =
      payment.account ? payment.account : venue.network.services.look()->addresses.owner_of(*payment.address);
  if (!account) return not_found("nobody has the deposit address " + to_string(*payment.address));
  const auto amount = SVC_TRY(amount_of(payment.amount));
  const auto sent = SVC_TRY(serve_control(
      venue,
      PayDepositAddress{.account = *account,
                        .amount = amount,
                        .asset = std::string(api::to_string(payment.asset.value_or(control::DepositAsset::usdx)))}));
  venue.sequencer.pass_time();  // if no confirmation is required
  const auto movement = venue.network.services.look()->find(sent.value.id).value_or(sent.value);
  const auto record = deposit_record(movement, sent.applied.at_ms);
  return control::ChainPaid{moment_of(sent.applied),
                            record.id,
                            *account,
                            usdx_text(amount),
                            movement.asset,
                            movement.chain,
                            std::string(to_string(record.status)),
                            movement.final_ms};
}

Answer<control::TurnSwitches> turn_switches(const ControlledVenue& venue, const control::Switches& wanted) {
  if (wanted.services.empty()) return bad_body("at least one service is needed");
  for (const auto& [name, on] : wanted.services)
    if (!api::parse<Switchable>(name)) return bad_body("no service \"" + name + "\" can be switched");
  TurnSwitches command;
  for (const auto& [name, on] : wanted.services) command.services.emplace_back(*api::parse<Switchable>(name), on);
  SVC_TRY(serve_control(venue, std::move(command)));
  return switches_of(venue);
}

template <bool frozen>
Result<control::Frozen, ApiError> set_frozen(const ControlledVenue& venue, const control::AccountRef& ref) {
  const auto done = SVC_TRY(serve_control(venue, FreezeAccount{.account = ref.address, .frozen = frozen}));
  return control::Frozen{moment_of(done.applied), ref.address, frozen};
}

}  // namespace

control::Switches switches_of(const ControlledVenue& venue) {
  control::Switches switches;
  const auto state = venue.network.services.look();
  for (const std::string_view name : Switchable_texts)
    switches.services.emplace_back(name, state->switches.is_on(*api::parse<Switchable>(name)));
  return switches;
}

void bind_control_money(ControlHandlers& handlers) {
  handlers.bind_all(send_deposit, turn_switches);
  handlers.bind<control::SettleMovement>(decide<ConfirmMovement>);
  handlers.bind<control::FailMovement>(decide<FailMovement>);
  handlers.bind<control::GetSwitches>(switches_of);
  handlers.bind<control::FreezeAccount>(set_frozen<true>);
  handlers.bind<control::UnfreezeAccount>(set_frozen<false>);
}

}  // namespace svc::sim
