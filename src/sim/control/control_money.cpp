// Money in transit: simulates the chain behind the bridge, and the operator who switches services off or freezes
// accounts.

#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::DecimalText;
using api::ErrorCode;

struct Movement {
  ChainMovements& store;
  bool is_deposit = false;
  std::string id;
  ChainMovement row;

  // In the API's spelling.
  [[nodiscard]] std::string status(const MoneyServices& money, TimestampMs now_ms) const {
    if (is_deposit) return std::string(to_string(deposit_record(money, row, now_ms).status));
    if (&store == &money.bridge_withdrawals)
      return std::string(to_string(bridge_withdrawal_record(money, row, now_ms).status));
    switch (store.fate(row, now_ms)) {
      case MovementFate::open: return "pending";
      case MovementFate::settled: return "settled";
      case MovementFate::failed: return "failed";
    }
    SVC_ASSERT(false);
  }
};

// For a bridge deposit, bridge withdrawal or withdrawal.
Result<Movement, ApiError> movement_of(const ControlledVenue& venue, const std::string& id) {
  MoneyServices& money = venue.network.money;
  for (ChainMovements* store : {&money.deposits.movements, &money.bridge_withdrawals, &money.withdrawals}) {
    const auto number = store->number_of(id);
    const auto row = number ? store->find(*number) : std::nullopt;
    if (row) return Movement{.store = *store, .is_deposit = store == &money.deposits.movements, .id = id, .row = *row};
  }
  return unexpected(not_found("no withdrawal or bridge deposit " + id));
}

ApiError decided_already(const ControlledVenue& venue, const Movement& movement, TimestampMs now_ms) {
  return not_possible(movement.id + " is " + movement.status(venue.network.money, now_ms) + " already");
}

control::MovementDecided decided(const ControlledVenue& venue, const Movement& before, const Applied& applied) {
  Movement after = before;
  after.row = before.store.find(before.row.number).value_or(before.row);
  return {moment_of(applied),
          before.id,
          before.row.account,
          DecimalText(format_usdx(before.row.amount)),
          before.status(venue.network.money, applied.at_ms),
          after.status(venue.network.money, applied.at_ms)};
}

// Makes now the time of the last confirmation.
Answer<control::SettleMovement> settle_movement(const ControlledVenue& venue, const control::MovementRef& ref) {
  const auto before = SVC_TRY(movement_of(venue, ref.id));
  const TimestampMs now_ms = venue.clock.now_ms();
  const auto settled = before.store.settle_now(before.row.number, now_ms);
  if (!settled) return unexpected(decided_already(venue, before, now_ms));
  const auto applied = apply_control(venue, engine::PassTime{}, {before.store.row(*settled)});
  if (!applied) {
    before.store.take_back(*settled, before.row);
    return unexpected(applied.error());
  }
  venue.sequencer.pass_time();  // a deposit is credited now
  return decided(venue, before, *applied);
}

// A failed withdrawal is paid back.
Answer<control::FailMovement> fail_movement(const ControlledVenue& venue, const control::MovementRef& ref) {
  const auto before = SVC_TRY(movement_of(venue, ref.id));
  const TimestampMs now_ms = venue.clock.now_ms();
  const auto failed = before.store.fail(before.row.number, now_ms);
  if (!failed) return unexpected(decided_already(venue, before, now_ms));
  const RecordChange row = before.store.row(*failed);
  const auto applied = before.is_deposit
                           ? apply_control(venue, engine::PassTime{}, {row})
                           : apply_control(venue,
                                           engine::Deposit{.account = failed->account,
                                                           .amount = failed->amount,
                                                           .kind = engine::FundsKind::withdrawal_reversal},
                                           {}, {row});
  if (!applied) {
    before.store.take_back(*failed, before.row);
    return unexpected(applied.error());
  }
  return decided(venue, before, *applied);
}

// A transaction on the chain that pays an account's deposit address.
Answer<control::SendDeposit> send_deposit(const ControlledVenue& venue, const control::ChainPayment& payment) {
  if (payment.account.has_value() == payment.address.has_value())
    return unexpected(bad_body("one of account and address, a deposit address, is needed"));
  MoneyServices& money = venue.network.money;
  const auto account = payment.account ? payment.account : money.addresses.owner_of(*payment.address);
  if (!account) return unexpected(not_found("nobody has the deposit address " + to_string(*payment.address)));
  const auto amount = SVC_TRY(amount_of(payment.amount));
  const TimestampMs now_ms = venue.clock.now_ms();
  ChainMovements& deposits = money.deposits.movements;
  if (!deposits.has_room(*account, now_ms))
    return unexpected(not_possible("too many deposits of this account are open"));
  ChainMovement movement = money.movement_of(*account, amount, money.chain.deposit_confirmations, now_ms);
  movement.number = deposits.take_number();
  movement.asset = api::to_string(payment.asset.value_or(control::DepositAsset::usdx));
  movement.address = to_string(money.addresses.address_of(*account));
  const auto applied = SVC_TRY(apply_control(venue, engine::PassTime{}, {deposits.row(movement)}));
  RecordBatch forgotten;
  deposits.put(movement, now_ms, forgotten);
  if (!forgotten.empty()) SVC_TRY(apply_control(venue, engine::PassTime{}, std::move(forgotten)));
  venue.sequencer.pass_time();  // if no confirmation is required
  const auto record = deposit_record(money, deposits.find(movement.number).value_or(movement), now_ms);
  return control::ChainPaid{moment_of(applied),
                            record.id,
                            *account,
                            DecimalText(format_usdx(amount)),
                            movement.asset,
                            movement.chain,
                            std::string(to_string(record.status)),
                            movement.final_ms};
}

Answer<control::GetSwitches> show_switches(const ControlledVenue& venue, const api::Empty&) {
  return switches_of(venue);
}

Answer<control::TurnSwitches> turn_switches(const ControlledVenue& venue, const control::Switches& wanted) {
  if (wanted.services.empty()) return unexpected(bad_body("at least one service is needed"));
  for (const auto& [name, on] : wanted.services)
    if (!parse_switchable(name)) return unexpected(bad_body("no service \"" + name + "\" can be switched"));
  RecordBatch records;
  for (const auto& [name, on] : wanted.services)
    venue.network.money.switches.turn(*parse_switchable(name), on, records);
  SVC_TRY(apply_control(venue, engine::PassTime{}, std::move(records)));
  return show_switches(venue, {});
}

template <Freeze freeze>
Result<control::Frozen, ApiError> set_frozen(const ControlledVenue& venue, const control::AccountRef& ref) {
  // First ends all writes in progress for the account, so that an answered freeze is effective.
  const auto turn = venue.network.money.turns.take(ref.address);
  RecordBatch records;
  if (!venue.network.money.switches.set_frozen(ref.address, freeze, records))
    return unexpected(not_possible("as many accounts are frozen as can be"));
  const auto applied = SVC_TRY(apply_control(venue, engine::PassTime{}, std::move(records)));
  return control::Frozen{moment_of(applied), ref.address, freeze == Freeze::impose};
}

}  // namespace

control::Switches switches_of(const ControlledVenue& venue) {
  control::Switches switches;
  for (std::size_t i = 0; i < switchable_texts.size(); ++i)
    switches.services.emplace_back(switchable_texts[i], venue.network.money.switches.is_on(static_cast<Switchable>(i)));
  return switches;
}

void bind_control_money(ControlHandlers& handlers) {
  handlers.bind<control::SendDeposit>(send_deposit);
  handlers.bind<control::SettleMovement>(settle_movement);
  handlers.bind<control::FailMovement>(fail_movement);
  handlers.bind<control::GetSwitches>(show_switches);
  handlers.bind<control::TurnSwitches>(turn_switches);
  handlers.bind<control::FreezeAccount>(set_frozen<Freeze::impose>);
  handlers.bind<control::UnfreezeAccount>(set_frozen<Freeze::lift>);
}

}  // namespace svc::sim
