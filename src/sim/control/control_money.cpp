#include "sim/control/control_money.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/control/control_body.h"
#include "sim/gateway/handlers/bridge.h"
#include "sim/gateway/handlers/funds.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> deposit_assets{"USDC", "USDX"};

// "/_svc/bridge/wdl_1/settle": the routes saw to its shape.
std::string_view named_in(const api::HttpRequest& request) {
  std::string_view path = request.path();
  path.remove_suffix(path.size() - path.rfind('/'));
  path.remove_prefix(path.rfind('/') + 1);
  return path;
}

// A body that has nothing to say: none, or {}.
Result<void, ApiError> says_nothing(const api::HttpRequest& request) {
  if (request.body.empty()) return {};
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({}); !known) return unexpected(bad_body(known.error()));
  return {};
}

Result<Applied, ApiError> apply(Sequencer& sequencer, CommandBody command, RecordBatch records,
                                RecordBatch records_if_applied = {}) {
  auto applied = sequencer.submit(std::move(command), std::move(records), std::move(records_if_applied));
  if (!applied) return unexpected(refusal_of(applied.error()));
  if (!applied->outcome.ok()) return unexpected(refusal_of(applied->outcome.reject));
  return std::move(*applied);
}

Json money_moment(const Applied& applied) {
  return {{"now_ms", applied.at_ms}, {"sequence", applied.outcome.sequence.value}};
}

}  // namespace

struct ControlMoney::Movement {
  ChainMovements& store;
  bool is_deposit = false;
  std::string id;
  ChainMovement row;

  // As the API spells it.
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

Result<ControlMoney::Movement, ApiError> ControlMoney::movement_of(const api::HttpRequest& request) const {
  SVC_TRY(says_nothing(request));
  MoneyServices& money = venue_.money;
  const std::string id(named_in(request));
  for (ChainMovements* store : {&money.deposits.movements, &money.bridge_withdrawals, &money.withdrawals}) {
    const auto number = store->number_of(id);
    const auto row = number ? store->find(*number) : std::nullopt;
    if (row) return Movement{.store = *store, .is_deposit = store == &money.deposits.movements, .id = id, .row = *row};
  }
  return unexpected(ApiError(ErrorCode::not_found, "no withdrawal or bridge deposit " + id));
}

ControlAnswer ControlMoney::report(const Movement& before, const Applied& applied) const {
  Movement after = before;
  after.row = before.store.find(before.row.number).value_or(before.row);
  Json document = money_moment(applied);
  document["id"] = before.id;
  document["account"] = to_string(before.row.account);
  document["amount"] = format_usdx(before.row.amount);
  document["old"] = before.status(venue_.money, applied.at_ms);
  document["new"] = after.status(venue_.money, applied.at_ms);
  return document.dump();
}

ControlAnswer ControlMoney::settle(const api::HttpRequest& request) const {
  const auto before = SVC_TRY(movement_of(request));
  const TimestampMs now_ms = venue_.clock.now_ms();
  const auto settled = before.store.settle_now(before.row.number, now_ms);
  if (!settled)
    return unexpected(
        ApiError(ErrorCode::unprocessable, before.id + " is " + before.status(venue_.money, now_ms) + " already"));
  const auto applied = apply(venue_.sequencer, engine::PassTime{}, {before.store.row(*settled)});
  if (!applied) {
    before.store.take_back(*settled, before.row);
    return unexpected(applied.error());
  }
  venue_.sequencer.pass_time();  // a deposit is credited now
  return report(before, *applied);
}

ControlAnswer ControlMoney::fail(const api::HttpRequest& request) const {
  const auto before = SVC_TRY(movement_of(request));
  const TimestampMs now_ms = venue_.clock.now_ms();
  const auto failed = before.store.fail(before.row.number, now_ms);
  if (!failed)
    return unexpected(
        ApiError(ErrorCode::unprocessable, before.id + " is " + before.status(venue_.money, now_ms) + " already"));
  const RecordChange row = before.store.row(*failed);
  const auto applied = before.is_deposit ? apply(venue_.sequencer, engine::PassTime{}, {row})
                                         : apply(venue_.sequencer,
                                                 engine::Deposit{.account = failed->account,
                                                                 .amount = failed->amount,
                                                                 .kind = engine::FundsKind::withdrawal_reversal},
                                                 {}, {row});
  if (!applied) {
    before.store.take_back(*failed, before.row);
    return unexpected(applied.error());
  }
  return report(before, *applied);
}

ControlAnswer ControlMoney::send_deposit(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"account", "address", "asset", "amount"}); !known)
    return unexpected(bad_body(known.error()));
  if (body->has("account") == body->has("address"))
    return unexpected(bad_body("one of account and address, a deposit address, is needed"));
  const auto text = body->text(body->has("account") ? "account" : "address");
  if (!text) return unexpected(bad_body(text.error()));
  auto account = parse_address(*text);
  if (!account) return unexpected(bad_body("an address is 0x and 40 hex digits"));
  MoneyServices& money = venue_.money;
  if (body->has("address")) {
    account = money.addresses.owner_of(*account);
    if (!account) return unexpected(ApiError(ErrorCode::not_found, "nobody has the deposit address " + *text));
  }
  const auto asset = body->has("asset") ? body->text("asset") : std::string("USDX");
  if (!asset) return unexpected(bad_body(asset.error()));
  if (std::ranges::find(deposit_assets, *asset) == deposit_assets.end())
    return unexpected(bad_body("asset is USDC or USDX, not \"" + *asset + '"'));
  const auto decimal = body->decimal("amount");
  if (!decimal) return unexpected(bad_body(decimal.error()));
  const auto amount = SVC_TRY(positive_amount(api::DecimalText(*decimal)));

  const TimestampMs now_ms = venue_.clock.now_ms();
  ChainMovements& deposits = money.deposits.movements;
  if (!deposits.has_room(*account, now_ms))
    return unexpected(ApiError(ErrorCode::unprocessable, "too many deposits of this account are open"));
  ChainMovement movement = money.movement_of(*account, amount, money.chain.deposit_confirmations, now_ms);
  movement.number = deposits.take_number();
  movement.asset = *asset;
  movement.address = to_string(money.addresses.address_of(*account));
  const auto applied = SVC_TRY(apply(venue_.sequencer, engine::PassTime{}, {deposits.row(movement)}));
  RecordBatch forgotten;
  deposits.put(movement, now_ms, forgotten);
  if (!forgotten.empty()) SVC_TRY(apply(venue_.sequencer, engine::PassTime{}, std::move(forgotten)));
  venue_.sequencer.pass_time();  // where no confirmation is asked for
  const auto record = deposit_record(money, deposits.find(movement.number).value_or(movement), now_ms);
  Json document = money_moment(applied);
  document["id"] = record.id;
  document["account"] = to_string(*account);
  document["amount"] = format_usdx(amount);
  document["asset"] = *asset;
  document["chain"] = movement.chain;
  document["status"] = to_string(record.status);
  document["final_ms"] = movement.final_ms;
  return document.dump();
}

ControlAnswer ControlMoney::switches(const api::HttpRequest&) const {
  Json document;
  for (std::size_t i = 0; i < switchable_texts.size(); ++i)
    document[std::string(switchable_texts[i])] = venue_.money.switches.is_on(static_cast<Switchable>(i));
  return document.dump();
}

ControlAnswer ControlMoney::turn_switches(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (body->members().empty()) return unexpected(bad_body("at least one service is needed"));
  std::vector<std::pair<Switchable, bool>> wanted;
  for (const auto& [name, value] : body->members()) {
    const auto service = parse_switchable(name);
    if (!service) return unexpected(bad_body("no service \"" + name + "\" can be switched"));
    if (value.kind != ControlBody::Kind::boolean)
      return unexpected(bad_body("member \"" + name + "\" must be true or false"));
    wanted.emplace_back(*service, value.text == "true");
  }
  RecordBatch records;
  for (const auto& [service, on] : wanted) venue_.money.switches.turn(service, on, records);
  SVC_TRY(apply(venue_.sequencer, engine::PassTime{}, std::move(records)));
  return switches(request);
}

ControlAnswer ControlMoney::freeze(const api::HttpRequest& request) const {
  return set_frozen(request, Freeze::impose);
}

ControlAnswer ControlMoney::unfreeze(const api::HttpRequest& request) const {
  return set_frozen(request, Freeze::lift);
}

ControlAnswer ControlMoney::set_frozen(const api::HttpRequest& request, Freeze freeze) const {
  SVC_TRY(says_nothing(request));
  const auto account = parse_address(named_in(request));
  if (!account) return unexpected(ApiError(ErrorCode::invalid_parameter, "an account is 0x and 40 hex digits"));
  // Whatever is under way for the account ends first: a freeze that was answered holds.
  const auto turn = venue_.money.turns.take(*account);
  RecordBatch records;
  if (!venue_.money.switches.set_frozen(*account, freeze, records))
    return unexpected(ApiError(ErrorCode::unprocessable, "as many accounts are frozen as can be"));
  const auto applied = SVC_TRY(apply(venue_.sequencer, engine::PassTime{}, std::move(records)));
  Json document = money_moment(applied);
  document["account"] = to_string(*account);
  document["frozen"] = freeze == Freeze::impose;
  return document.dump();
}

}  // namespace svc::sim
