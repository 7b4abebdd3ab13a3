// Collateral out, on the wallet's signature: the account pays when the withdrawal is accepted, and the chain
// confirms it by the clock. A withdrawal that fails there comes back as a deposit.

#include <memory>

#include "api/ops/funds.h"
#include "base/decimal.h"
#include "signing/withdraw_intent.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/owner_proof.h"

namespace svc::sim {
namespace {

using namespace api;

WithdrawalStatus status_of(MovementFate fate) {
  switch (fate) {
    case MovementFate::open: return WithdrawalStatus::pending;
    case MovementFate::settled: return WithdrawalStatus::settled;
    case MovementFate::failed: return WithdrawalStatus::failed;
  }
  SVC_ASSERT(false);
}

// What the amount of a body may mean, each with the number that is signed for it: decimal USDX, and whole
// units of 0.000001 USDX. Both are the same number of units when that many were signed. (D-294)
std::vector<std::int64_t> readings_of(std::string_view text) {
  std::vector<std::int64_t> readings;
  for (const int scale : {usdx_decimals, 0}) {
    const auto units = parse_scaled(text, scale);
    if (units && *units > 0) readings.push_back(*units);
  }
  return readings;
}

// USDX is named by its name, or by the address that stands for it.
std::optional<Address> asset_of(const std::optional<std::string>& text) {
  if (!text || *text == "USDX") return signing::usdx_asset;
  return parse_address(*text);
}

class WithdrawalHandlers {
 public:
  WithdrawalHandlers(MoneyServices& money, VenueAccess venue) : money_(money), venue_(venue) {}

  Answer<ops::SubmitWithdrawal> submit(RequestContext& context, const SubmitWithdrawalRequest& request) const {
    const auto amount = SVC_TRY(proven_amount(context, request));

    const Address& account = request.wallet;
    const auto turn = money_.turns.take(account);
    if (money_.switches.is_frozen(account))
      return unexpected(ApiError(ErrorCode::withdrawal_rejected, "an operator froze what leaves this account"));
    ChainMovements& withdrawals = money_.withdrawals;
    if (!withdrawals.has_room(account, context.now_ms))
      return unexpected(ApiError(ErrorCode::withdrawal_rejected, "too many withdrawals of this account are pending"));

    ChainMovement movement = money_.movement_of(account, amount, money_.chain.withdrawal_confirmations, context.now_ms);
    movement.number = withdrawals.take_number();
    movement.address = to_string(account);
    context.records_if_applied.push_back(withdrawals.row(movement));
    SVC_TRY(venue_.submit(
        context,
        engine::Withdraw{
            .account = account, .amount = amount, .kind = engine::FundsKind::withdrawal, .record = movement.number}));
    withdrawals.put(movement, context.now_ms, context.records);
    return record(movement, context.now_ms);
  }

  Answer<ops::ListWithdrawals> list(RequestContext& context, const WithdrawalsRequest& request) const {
    List<Withdrawal> list;
    for (const ChainMovement& movement :
         money_.withdrawals.newest_of(context.account(), request.limit, [](const ChainMovement&) { return true; }))
      list.rows.push_back(record(movement, context.now_ms));
    return list;
  }

 private:
  // The amount that the wallet signed.
  Result<Usdx, ApiError> proven_amount(RequestContext& context, const SubmitWithdrawalRequest& request) const {
    const auto readings = readings_of(request.amount.text);
    if (readings.empty()) {
      const auto refused = positive_amount(DecimalText(request.amount.text));
      return unexpected(refused ? ApiError(ErrorCode::invalid_amount) : refused.error());
    }
    const auto asset = asset_of(request.asset);
    if (!asset) return unexpected(ApiError(ErrorCode::invalid_json, "asset must be USDX, or an address"));
    std::vector<signing::Hash32> signable;
    for (const std::int64_t units : readings)
      signable.push_back(signing::struct_hash(signing::WithdrawIntent{
          .amount = static_cast<std::uint64_t>(units), .asset = *asset, .nonce = request.nonce.value}));
    const auto which = SVC_TRY(prove_wallet(context, request.wallet, signable, request.signature, request.nonce.value));
    if (*asset != signing::usdx_asset)
      return unexpected(ApiError(ErrorCode::withdrawal_rejected, "only USDX can be withdrawn"));
    return Usdx{readings[which]};
  }

  Withdrawal record(const ChainMovement& movement, TimestampMs now_ms) const {
    return {.id = money_.withdrawals.id_of(movement.number),
            .amount = usdx_text(movement.amount),
            .timestamp = movement.created_ms,
            .status = status_of(money_.withdrawals.fate(movement, now_ms))};
  }

  MoneyServices& money_;
  VenueAccess venue_;
};

}  // namespace

void bind_withdrawals(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const WithdrawalHandlers>(network.money, venue);
  network.handlers.bind<ops::SubmitWithdrawal>(
      [handlers](RequestContext& context, const SubmitWithdrawalRequest& request) {
        return handlers->submit(context, request);
      });
  network.handlers.bind<ops::ListWithdrawals>([handlers](RequestContext& context, const WithdrawalsRequest& request) {
    return handlers->list(context, request);
  });
}

}  // namespace svc::sim
