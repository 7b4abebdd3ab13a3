// Collateral in: deposits, which the sandbox's chain confirms at once, the faucet and its credit.

#include "api/ops/funds.h"

#include <deque>
#include <map>
#include <utility>

#include "base/decimal.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/bridge_translation.h"

namespace svc::sim {
namespace {

using namespace api;

constexpr std::string_view only_asset = "USDX";

FundsKind kind_of(engine::FundsKind kind) {
  switch (kind) {
    case engine::FundsKind::deposit:
    case engine::FundsKind::bridge_deposit:
    case engine::FundsKind::operator_grant:
    case engine::FundsKind::withdrawal_reversal: return FundsKind::deposit;
    case engine::FundsKind::faucet:
    case engine::FundsKind::credit: return FundsKind::faucet;
    case engine::FundsKind::withdrawal:
    case engine::FundsKind::bridge_withdrawal: return FundsKind::withdrawal;
  }
  SVC_ASSERT(false);
}

// The transactions of an account's credited bridge deposits, by when and how much. Two that agree in both are
// told apart by their order.
class Transactions {
 public:
  Transactions(const MoneyServices& money, const Address& account) {
    const auto credited = [](const ChainMovement& movement) { return movement.fate == MovementFate::settled; };
    const ChainMovements& deposits = money.deposits.movements;
    for (const ChainMovement& movement : deposits.newest_of(account, limits::chain_movements_kept_max, credited))
      by_credit_[{movement.decided_ms, movement.amount}].push_back(deposits.id_of(movement.number));
  }

  // Asked from the newest entry to the oldest. A deposit that never was on a chain has none.
  std::optional<std::string> take(const FundsRow& row) {
    if (row.kind != engine::FundsKind::bridge_deposit) return std::nullopt;
    const auto found = by_credit_.find({row.at_ms, row.amount});
    if (found == by_credit_.end() || found->second.empty()) return std::nullopt;  // forgotten
    const std::string id = found->second.front();
    found->second.pop_front();
    return transaction_of(id);
  }

 private:
  std::map<std::pair<TimestampMs, Usdx>, std::deque<std::string>> by_credit_;
};

FundsEntry funds_record(const Address& account, const FundsRow& row, std::optional<std::string> transaction) {
  return {.id = row.id,
          .kind = kind_of(row.kind),
          .account = account,
          .amount = usdx_text(row.amount),
          .asset = std::string(only_asset),
          .timestamp = row.at_ms,
          .status = FundsStatus::confirmed,
          .tx_hash = std::move(transaction)};
}

class FundsHandlers {
 public:
  explicit FundsHandlers(VenueAccess venue) : venue_(venue) {}

  Answer<ops::SubmitDeposit> submit_deposit(RequestContext& context, const SubmitDepositRequest& request) const {
    if (request.asset != only_asset)
      return unexpected(ApiError(ErrorCode::invalid_parameter, "asset must be " + std::string(only_asset)));
    const auto amount = SVC_TRY(positive_amount(request.amount));
    const auto applied = SVC_TRY(pay_in(context, amount, engine::FundsKind::deposit));
    return DepositReceipt{.balance = usdx_text(applied.outcome.balance),
                          .id = row_id(context.account(), applied.outcome.sequence),
                          .amount = usdx_text(amount),
                          .asset = request.asset,
                          .status = FundsStatus::confirmed,
                          .timestamp = applied.at_ms};
  }

  Answer<ops::DepositCollateral> deposit_collateral(RequestContext& context,
                                                    const DepositCollateralRequest& request) const {
    if (context.request.headers.contains("X-Account-Id"))
      return unexpected(ApiError(ErrorCode::account_id_header_unsupported));
    // Crediting somebody else takes a service key, and this venue mints none. (D-268)
    if (request.account_id && *request.account_id != context.account())
      return unexpected(ApiError(ErrorCode::forbidden, "only service keys credit another account"));
    const auto amount = SVC_TRY(positive_amount(request.amount));
    const auto applied = SVC_TRY(pay_in(context, amount, engine::FundsKind::deposit));
    return BalanceResponse{.balance = usdx_text(applied.outcome.balance)};
  }

  Answer<ops::ListDeposits> list_deposits(RequestContext& context, const DepositsRequest& request) const {
    Transactions transactions(context.network->money, context.account());
    return venue_.views.read([&](const VenueView& view) {
      List<FundsEntry> list;
      const auto& rows = view.account(context.account()).funds().rows();
      for (auto row = rows.rbegin(); row != rows.rend() && list.rows.size() < request.limit; ++row)
        if (kind_of(row->kind) != FundsKind::withdrawal)
          list.rows.push_back(funds_record(context.account(), *row, transactions.take(*row)));
      return list;
    });
  }

  Answer<ops::ClaimFaucet> claim_faucet(RequestContext& context, const Empty&) const {
    FaucetLedger& ledger = context.network->faucet;
    const auto claim = ledger.claim(context.account(), context.now_ms, context.records_if_applied);
    if (!claim) {
      if (claim.error().available_at_ms) {
        const std::int64_t wait_ms = *claim.error().available_at_ms - context.now_ms;
        context.response.headers.set("Retry-After", std::to_string((wait_ms + second_ms - 1) / second_ms));
      }
      return unexpected(faucet_refusal(claim.error()));
    }
    const auto applied = pay_in(context, claim->amount, engine::FundsKind::faucet);
    if (!applied) {
      ledger.take_back(context.account(), *claim, context.records);
      return unexpected(applied.error());
    }
    return api::FaucetClaim{.amount = usdx_text(claim->amount), .available_at_ms = claim->available_at_ms};
  }

  Answer<ops::ClaimCredit> claim_credit(RequestContext& context, const CreditRequest& request) const {
    if (!context.network->money.switches.is_on(Switchable::credits))
      return unexpected(ApiError(ErrorCode::credits_frozen));
    std::optional<Usdx> wanted;
    if (request.amount) {
      const auto amount = SVC_TRY(positive_amount(*request.amount));
      wanted = amount;
    }
    CreditLedger& ledger = context.network->credits;
    const auto credit = ledger.claim(context.account(), wanted, context.now_ms, context.records_if_applied);
    if (!credit)
      return unexpected(ApiError(ErrorCode::daily_limit_exceeded)
                            .with("credited_today", format_usdx(credit.error().credited_today))
                            .with("daily_limit", format_usdx(credit.error().daily_limit)));
    const auto applied = pay_in(context, credit->amount, engine::FundsKind::credit);
    if (!applied) {
      ledger.take_back(context.account(), *credit, context.now_ms, context.records);
      return unexpected(applied.error());
    }
    return CreditResponse{.amount = usdx_text(credit->amount),
                          .credited_today = usdx_text(credit->credited_today),
                          .daily_limit = usdx_text(credit->daily_limit)};
  }

 private:
  Result<Applied, ApiError> pay_in(RequestContext& context, Usdx amount, engine::FundsKind kind) const {
    const auto turn = context.network->money.turns.take(context.account());
    // (API: Tiers; D-725)
    if (context.network->tiers.of(context.account()) == Tier::unlimited)
      return unexpected(ApiError(ErrorCode::forbidden, "an account with the Unlimited tier takes no funds"));
    return venue_.submit(context, engine::Deposit{.account = context.account(), .amount = amount, .kind = kind});
  }

  // Of the entry that the command made.
  std::uint64_t row_id(const Address& account, engine::Sequence sequence) const {
    return venue_.views.read([&](const VenueView& view) {
      const auto& rows = view.account(account).funds().rows();
      for (auto row = rows.rbegin(); row != rows.rend(); ++row)
        if (row->sequence == sequence) return row->id;
      return std::uint64_t{0};  // pushed out already by a flood of later deposits
    });
  }

  static ApiError faucet_refusal(const FaucetRefusal& refusal) {
    ApiError error(refusal.capped ? ErrorCode::faucet_cap_reached : ErrorCode::faucet_cooldown);
    if (refusal.available_at_ms) error.members = "\"available_at_ms\":" + std::to_string(*refusal.available_at_ms);
    return error;
  }

  VenueAccess venue_;
};

}  // namespace

void bind_funds(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const FundsHandlers>(venue);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::SubmitDeposit>(&FundsHandlers::submit_deposit);
  bind.operator()<ops::DepositCollateral>(&FundsHandlers::deposit_collateral);
  bind.operator()<ops::ListDeposits>(&FundsHandlers::list_deposits);
  bind.operator()<ops::ClaimFaucet>(&FundsHandlers::claim_faucet);
  bind.operator()<ops::ClaimCredit>(&FundsHandlers::claim_credit);
}

}  // namespace svc::sim
