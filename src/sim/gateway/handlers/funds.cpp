// Collateral in: deposits, which the sandbox's chain confirms immediately, the faucet and its credit.
#include "sim/gateway/handlers/funds.h"

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "api/contract/funds.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "signing/actions.h"
#include "sim/gateway/handlers/bridge.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/owner_proof.h"

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

// The transactions of an account's credited bridge deposits, by time and amount. Two that agree in both are
// distinguished by their order.
class Transactions {
 public:
  Transactions(const MoneyServices& money, const Address& account) {
    const auto credited = [](const ChainMovement& movement) { return movement.fate == MovementFate::settled; };
    const ChainMovements& deposits = money.deposits.movements;
    for (const ChainMovement& movement : deposits.newest_of(account, limits::chain_movements_kept_max, credited))
      by_credit_[{movement.decided_ms, movement.amount}].push_back(deposits.id_of(movement.number));
  }

  // Called from the newest entry to the oldest. A deposit that was never on a chain has none.
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
    // Crediting another account needs a service key, and this venue mints none. (D-268)
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

  // The id of the entry that the command made.
  std::uint64_t row_id(const Address& account, engine::Sequence sequence) const {
    return venue_.views.read([&](const VenueView& view) {
      const auto& rows = view.account(account).funds().rows();
      for (auto row = rows.rbegin(); row != rows.rend(); ++row)
        if (row->sequence == sequence) return row->id;
      return std::uint64_t{0};  // already displaced by many later deposits
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

// Collateral out, with the wallet's signature: the account pays when the withdrawal is accepted, and the chain
// confirms it by the clock. A withdrawal that fails there comes back as a deposit.

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

// The possible meanings of an amount, each as the signed number: decimal USDX, and whole units of 0.000001 USDX.
// The signature decides between them. (D-294)
std::vector<std::int64_t> readings_of(std::string_view text) {
  std::vector<std::int64_t> readings;
  for (const int scale : {usdx_decimals, 0}) {
    const auto units = parse_scaled(text, scale);
    if (units && *units > 0) readings.push_back(*units);
  }
  return readings;
}

// USDX by name, or by the address that represents it.
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

namespace {

constexpr i128 power_of_ten(int exponent) {
  i128 power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

}  // namespace

std::string decimal_text(i128 coefficient, int scale) {
  while (scale > 0 && coefficient % 10 == 0) {
    coefficient /= 10;
    --scale;
  }
  return format_decimal({coefficient, scale});
}

api::DecimalText usdx_text(Usdx amount) {
  return api::DecimalText(format_usdx(amount));
}
api::DecimalText usdx_text(i128 amount) {
  return api::DecimalText(decimal_text(amount, usdx_decimals));
}

api::DecimalText price_text(const engine::MarketSpec& spec, Ticks price) {
  return api::DecimalText(engine::format_price(spec, price));
}

api::DecimalText lots_text(const engine::MarketSpec& spec, Lots quantity) {
  return api::DecimalText(engine::format_lots(spec, quantity));
}

api::DecimalText ppb_text(Ppb rate) {
  return api::DecimalText(format_scaled(rate.value, 9));
}

api::DecimalText rate_text(const engine::Rational& rate) {
  return api::DecimalText(decimal_text(div_round(static_cast<i128>(rate.num) * ppb_one, rate.den, Rounding::up), 9));
}

api::DecimalText average_price_text(const engine::MarketSpec& spec, Usdx quote, Lots lots) {
  SVC_ASSERT(lots != Lots{});
  const i128 base = static_cast<i128>(lots.value) * spec.lot_size.coefficient;  // in 10^-scale base units
  const i128 price =
      div_round(static_cast<i128>(quote.value) * power_of_ten(spec.lot_size.scale), base, Rounding::half_up);
  return usdx_text(price);
}

std::string ratio_text(Usdx numerator, Usdx denominator) {
  SVC_ASSERT(denominator != Usdx{});
  return decimal_text(
      div_round(static_cast<i128>(numerator.value) * 1'000'000, denominator.value, Rounding::toward_zero), 6);
}

Result<Usdx, api::ApiError> positive_amount(const api::DecimalText& text) {
  const auto amount = parse_scaled(text.text, usdx_decimals);
  if (!amount && amount.error() == DecimalError::too_fine)
    return unexpected(
        api::ApiError(api::ErrorCode::invalid_amount,
                      "amount " + text.text + " has more than " + std::to_string(usdx_decimals) + " decimal places"));
  if (amount && *amount <= 0)
    return unexpected(api::ApiError(api::ErrorCode::invalid_amount, "amount must be positive, not " + text.text));
  if (!amount)
    return unexpected(api::ApiError(api::ErrorCode::invalid_amount, "amount " + text.text + " is too large"));
  return Usdx{*amount};
}

}  // namespace svc::sim
