// The bridge: what it takes, what came over it, and withdrawals under an idempotency key.

#include "api/ops/bridge.h"

#include <algorithm>
#include <memory>

#include "base/decimal.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/bridge_translation.h"

namespace svc::sim {
namespace {

using namespace api;

constexpr std::size_t withdrawals_listed_max = 100;  // API: the newest 100

bool is_good_key(const std::string& key) {
  const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7f'; });
  return !key.empty() && key.size() <= limits::idempotency_key_chars_max && printable;
}

// A whole number of 0.000001 USDX.
Result<Usdx, ApiError> whole_units(const DecimalText& text) {
  const auto units = parse_scaled(text.text, 0);
  if (units && *units > 0) return Usdx{*units};
  return unexpected(
      ApiError(ErrorCode::invalid_amount, "amount must be a positive whole number of 0.000001 USDX, not " + text.text));
}

class BridgeHandlers {
 public:
  BridgeHandlers(MoneyServices& money, VenueAccess venue) : money_(money), venue_(venue) {}

  Answer<ops::ListBridgeAssets> assets(RequestContext&, const Empty&) const { return assets_of(money_.chain); }

  Answer<ops::CreateBridgeWithdrawal> withdraw(RequestContext& context, const BridgeWithdrawalRequest& request) const {
    if (!is_good_key(request.idempotency_key))
      return unexpected(ApiError(ErrorCode::invalid_parameter, "Idempotency-Key takes 1 to " +
                                                                   std::to_string(limits::idempotency_key_chars_max) +
                                                                   " printable characters without blanks"));
    const auto amount = SVC_TRY(whole_units(request.amount));

    // Repeats of one key wait for each other here, so that one of them withdraws and the others see its answer.
    const Address& account = context.account();
    const auto turn = money_.turns.take(account);
    if (const auto known = money_.idempotency_keys.find(account, request.idempotency_key, context.now_ms)) {
      if (known->amount != amount) return unexpected(ApiError(ErrorCode::idempotency_conflict));
      const auto movement = money_.bridge_withdrawals.find(known->withdrawal);
      SVC_ASSERT(movement);  // as many are kept as keys can be alive
      return first_answer(money_, *movement);
    }
    SVC_TRY(may_withdraw(context, account, amount));

    ChainMovement movement = money_.movement_of(account, amount, money_.chain.withdrawal_confirmations, context.now_ms);
    movement.number = money_.bridge_withdrawals.take_number();
    movement.fee = money_.chain.withdrawal_fee;
    const auto wallets = money_.wallets.of(account);
    movement.address = to_string(wallets.empty() ? account : wallets.front());
    const KeyedRequest keyed{.amount = amount, .withdrawal = movement.number, .first_used_ms = context.now_ms};
    context.records_if_applied.push_back(money_.bridge_withdrawals.row(movement));
    context.records_if_applied.push_back(IdempotencyKeys::row(account, request.idempotency_key, keyed));
    SVC_TRY(venue_.submit(context, engine::Withdraw{.account = account,
                                                    .amount = amount,
                                                    .kind = engine::FundsKind::bridge_withdrawal,
                                                    .record = movement.number}));
    money_.bridge_withdrawals.put(movement, context.now_ms, context.records);
    money_.idempotency_keys.put(account, request.idempotency_key, keyed, context.records);
    return first_answer(money_, movement);
  }

  Answer<ops::ListBridgeWithdrawals> list_withdrawals(RequestContext& context,
                                                      const BridgeWithdrawalsRequest& request) const {
    List<BridgeWithdrawal> list;
    const auto wanted = [&](const ChainMovement& movement) {
      return !request.status || bridge_withdrawal_record(money_, movement, context.now_ms).status == *request.status;
    };
    for (const ChainMovement& movement :
         money_.bridge_withdrawals.newest_of(context.account(), withdrawals_listed_max, wanted))
      list.rows.push_back(bridge_withdrawal_record(money_, movement, context.now_ms));
    return list;
  }

  Answer<ops::GetBridgeWithdrawal> get_withdrawal(RequestContext& context, const BridgeRef& request) const {
    const auto movement = own(money_.bridge_withdrawals, request.id, context.account());
    if (!movement) return unexpected(ApiError(ErrorCode::withdrawal_not_found));
    return bridge_withdrawal_record(money_, *movement, context.now_ms);
  }

  Answer<ops::ListBridgeDeposits> list_deposits(RequestContext& context, const BridgeDepositsRequest& request) const {
    List<BridgeDeposit> list;
    const auto wanted = [&](const ChainMovement& movement) {
      return (!request.chain || movement.chain == *request.chain) &&
             (!request.asset || movement.asset == *request.asset) &&
             (!request.status || deposit_record(money_, movement, context.now_ms).status == *request.status);
    };
    for (const ChainMovement& movement : money_.deposits.movements.newest_of(context.account(), request.limit, wanted))
      list.rows.push_back(deposit_record(money_, movement, context.now_ms));
    return list;
  }

  Answer<ops::GetBridgeDeposit> get_deposit(RequestContext& context, const BridgeRef& request) const {
    const auto movement = own(money_.deposits.movements, request.id, context.account());
    if (!movement) return unexpected(ApiError(ErrorCode::deposit_not_found));
    return deposit_record(money_, *movement, context.now_ms);
  }

 private:
  // In this order. A step behind the bridge that fails leaves nothing behind: neither money nor key are used.
  Result<void, ApiError> may_withdraw(const RequestContext& context, const Address& account, Usdx amount) const {
    using enum ErrorCode;
    if (!money_.switches.is_on(Switchable::bridge_withdrawals))
      return unexpected(ApiError(bridge_withdrawals_unavailable));
    if (money_.idempotency_keys.is_full(account, context.now_ms) ||
        !money_.bridge_withdrawals.has_room(account, context.now_ms))
      return unexpected(ApiError(bridge_withdrawals_unavailable, "too many withdrawals of this account in 24 hours"));
    if (amount < money_.chain.min_withdrawal)
      return unexpected(ApiError(amount_below_minimum, "the smallest withdrawal is " +
                                                           std::to_string(money_.chain.min_withdrawal.value) +
                                                           " units of 0.000001 USDX"));
    if (money_.switches.is_frozen(account))
      return unexpected(ApiError(withdrawal_rejected, "an operator froze what leaves this account"));
    if (!money_.switches.is_on(Switchable::bridge_chain))
      return unexpected(
          ApiError(bridge_step_failed, "the chain does not take transactions; repeat with the same Idempotency-Key"));
    return {};
  }

  static std::optional<ChainMovement> own(const ChainMovements& store, std::string_view id, const Address& account) {
    const auto number = store.number_of(id);
    auto movement = number ? store.find(*number) : std::nullopt;
    return movement && movement->account == account ? movement : std::nullopt;
  }

  MoneyServices& money_;
  VenueAccess venue_;
};

}  // namespace

void bind_bridge(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const BridgeHandlers>(network.money, venue);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::ListBridgeAssets>(&BridgeHandlers::assets);
  bind.operator()<ops::CreateBridgeWithdrawal>(&BridgeHandlers::withdraw);
  bind.operator()<ops::ListBridgeWithdrawals>(&BridgeHandlers::list_withdrawals);
  bind.operator()<ops::GetBridgeWithdrawal>(&BridgeHandlers::get_withdrawal);
  bind.operator()<ops::ListBridgeDeposits>(&BridgeHandlers::list_deposits);
  bind.operator()<ops::GetBridgeDeposit>(&BridgeHandlers::get_deposit);
  bind_bridge_legacy(network);
}

}  // namespace svc::sim
