// Collateral in: deposits, which the sandbox's chain confirms immediately, the faucet and its credit. Collateral out,
// with the wallet's signature: the account pays when the withdrawal is accepted, and the chain confirms it by the
// clock. A withdrawal that fails there comes back as a deposit. Also the texts of amounts, prices and sizes.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "api/contract/funds.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {

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

api::DecimalText average_price_text(const engine::MarketSpec& spec, Usdx quote, Lots lots) {
  SVC_ASSERT(lots != Lots{});
  const i128 base = static_cast<i128>(lots.value) * spec.lot_size.coefficient;  // in 10^-scale base units
  i128 scaled_quote = quote.value;
  for (int digit = 0; digit < spec.lot_size.scale; ++digit) scaled_quote *= 10;
  return usdx_text(div_round(scaled_quote, base, Rounding::half_up));
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

// (API: Tiers; D-725)
Result<Applied, ApiError> pay_in(RequestContext& context, Usdx amount, engine::FundsKind kind) {
  NetworkInstance& network = *context.network;
  const auto turn = network.money.turns.take(context.account());
  if (network.tiers.of(context.account()) == Tier::unlimited)
    return unexpected(ApiError(ErrorCode::forbidden, "an account with the Unlimited tier takes no funds"));
  return submit(context, engine::Deposit{.account = context.account(), .amount = amount, .kind = kind});
}

// The id of the entry that the command made; 0 if it is already displaced by many later deposits.
std::uint64_t funds_row_id(const RequestContext& context, engine::Sequence sequence) {
  return context.venue().views.read([&](const VenueView& view) {
    const auto& rows = view.account(context.account()).funds().rows();
    const auto row =
        std::find_if(rows.rbegin(), rows.rend(), [&](const FundsRow& r) { return r.sequence == sequence; });
    return row == rows.rend() ? std::uint64_t{0} : row->id;
  });
}

Answer<ops::SubmitDeposit> submit_deposit(RequestContext& context, const SubmitDepositRequest& request) {
  if (request.asset != only_asset)
    return unexpected(ApiError(ErrorCode::invalid_parameter, "asset must be " + std::string(only_asset)));
  const auto amount = SVC_TRY(positive_amount(request.amount));
  const auto applied = SVC_TRY(pay_in(context, amount, engine::FundsKind::deposit));
  return DepositReceipt{.balance = usdx_text(applied.outcome.balance),
                        .id = funds_row_id(context, applied.outcome.sequence),
                        .amount = usdx_text(amount),
                        .asset = request.asset,
                        .status = FundsStatus::confirmed,
                        .timestamp = applied.at_ms};
}

Answer<ops::DepositCollateral> deposit_collateral(RequestContext& context, const DepositCollateralRequest& request) {
  if (context.request.headers.contains("X-Account-Id"))
    return unexpected(ApiError(ErrorCode::account_id_header_unsupported));
  // Crediting another account needs a service key, and this venue mints none. (D-268)
  if (request.account_id && *request.account_id != context.account())
    return unexpected(ApiError(ErrorCode::forbidden, "only service keys credit another account"));
  const auto amount = SVC_TRY(positive_amount(request.amount));
  const auto applied = SVC_TRY(pay_in(context, amount, engine::FundsKind::deposit));
  return BalanceResponse{.balance = usdx_text(applied.outcome.balance)};
}

Answer<ops::ListDeposits> list_deposits(RequestContext& context, const DepositsRequest& request) {
  Transactions transactions(context.network->money, context.account());
  return context.venue().views.read([&](const VenueView& view) {
    List<FundsEntry> list;
    const auto& rows = view.account(context.account()).funds().rows();
    for (auto row = rows.rbegin(); row != rows.rend() && list.rows.size() < request.limit; ++row)
      if (kind_of(row->kind) != FundsKind::withdrawal)
        list.rows.push_back(funds_record(context.account(), *row, transactions.take(*row)));
    return list;
  });
}

Answer<ops::ClaimFaucet> claim_faucet(RequestContext& context, const Empty&) {
  FaucetLedger& ledger = context.network->faucet;
  const auto claim = ledger.claim(context.account(), context.now_ms, context.records_if_applied);
  if (!claim) {
    ApiError error(claim.error().capped ? ErrorCode::faucet_cap_reached : ErrorCode::faucet_cooldown);
    if (const auto available_at_ms = claim.error().available_at_ms) {
      const std::int64_t wait_ms = *available_at_ms - context.now_ms;
      context.response.headers.set("Retry-After", std::to_string((wait_ms + second_ms - 1) / second_ms));
      error.members = "\"available_at_ms\":" + std::to_string(*available_at_ms);
    }
    return unexpected(std::move(error));
  }
  const auto applied = pay_in(context, claim->amount, engine::FundsKind::faucet);
  if (!applied) {
    ledger.take_back(context.account(), *claim, context.records);
    return unexpected(applied.error());
  }
  return api::FaucetClaim{.amount = usdx_text(claim->amount), .available_at_ms = claim->available_at_ms};
}

Answer<ops::ClaimCredit> claim_credit(RequestContext& context, const CreditRequest& request) {
  if (!context.network->money.switches.is_on(Switchable::credits))
    return unexpected(ApiError(ErrorCode::credits_frozen));
  std::optional<Usdx> wanted;
  if (request.amount) wanted = SVC_TRY(positive_amount(*request.amount));
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

WithdrawalStatus wire_status(MovementFate fate) {
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

Withdrawal withdrawal_record(const ChainMovements& withdrawals, const ChainMovement& movement, TimestampMs now_ms) {
  return {.id = withdrawals.id_of(movement.number),
          .amount = usdx_text(movement.amount),
          .timestamp = movement.created_ms,
          .status = wire_status(withdrawals.fate(movement, now_ms))};
}

// The amount that the wallet signed, under the action domain. The nonce is spent.
Result<Usdx, ApiError> proven_amount(RequestContext& context, const SubmitWithdrawalRequest& request) {
  const auto readings = readings_of(request.amount.text);
  if (readings.empty()) {
    const auto refused = positive_amount(DecimalText(request.amount.text));
    return unexpected(refused ? ApiError(ErrorCode::invalid_amount) : refused.error());
  }
  const auto asset = asset_of(request.asset);
  if (!asset) return unexpected(ApiError(ErrorCode::invalid_json, "asset must be USDX, or an address"));
  const auto signature = signing::parse_signature(request.signature);
  if (!signature) return unexpected(context.refuse_credential(AuthFault::malformed_signature));
  const NetworkSettings& settings = context.network->settings;
  const auto separator = signing::separator(signing::action_domain(settings.domain_name));
  std::vector<std::optional<Address>> signers;
  for (const std::int64_t units : readings) {
    const auto hash = signing::struct_hash(signing::WithdrawIntent{
        .amount = static_cast<std::uint64_t>(units), .asset = *asset, .nonce = request.nonce.value});
    signers.push_back(signing::recover(signing::typed_data_digest(separator, hash), *signature));
    if (signers.back() != request.wallet) continue;
    // Signed with the right key, perhaps for another network of this name: no nonce is spent.
    if (!settings.owns_domain_name()) return unexpected(context.refuse_shared_name());
    context.prove_signer(request.wallet);
    SVC_TRY(context.spend_owner_nonce(request.wallet, request.nonce.value));
    if (*asset != signing::usdx_asset)
      return unexpected(ApiError(ErrorCode::withdrawal_rejected, "only USDX can be withdrawn"));
    return Usdx{units};
  }
  return unexpected(context.refuse_signer(signers.front()));
}

Answer<ops::SubmitWithdrawal> submit_withdrawal(RequestContext& context, const SubmitWithdrawalRequest& request) {
  const auto amount = SVC_TRY(proven_amount(context, request));

  MoneyServices& money = context.network->money;
  const Address& account = request.wallet;
  const auto turn = money.turns.take(account);
  if (money.switches.is_frozen(account))
    return unexpected(ApiError(ErrorCode::withdrawal_rejected, "an operator froze what leaves this account"));
  ChainMovements& withdrawals = money.withdrawals;
  if (!withdrawals.has_room(account, context.now_ms))
    return unexpected(ApiError(ErrorCode::withdrawal_rejected, "too many withdrawals of this account are pending"));

  ChainMovement movement = money.movement_of(account, amount, money.chain.withdrawal_confirmations, context.now_ms);
  movement.number = withdrawals.take_number();
  movement.address = to_string(account);
  context.records_if_applied.push_back(withdrawals.row(movement));
  SVC_TRY(submit(
      context,
      engine::Withdraw{
          .account = account, .amount = amount, .kind = engine::FundsKind::withdrawal, .record = movement.number}));
  withdrawals.put(movement, context.now_ms, context.records);
  return withdrawal_record(withdrawals, movement, context.now_ms);
}

Answer<ops::ListWithdrawals> list_withdrawals(RequestContext& context, const WithdrawalsRequest& request) {
  const ChainMovements& withdrawals = context.network->money.withdrawals;
  const auto all = [](const ChainMovement&) { return true; };
  return list_of(withdrawals.newest_of(context.account(), request.limit, all), [&](const ChainMovement& movement) {
    return withdrawal_record(withdrawals, movement, context.now_ms);
  });
}

}  // namespace

void bind_funds(HandlerTable& handlers) {
  handlers.bind<ops::SubmitDeposit>(submit_deposit);
  handlers.bind<ops::DepositCollateral>(deposit_collateral);
  handlers.bind<ops::ListDeposits>(list_deposits);
  handlers.bind<ops::ClaimFaucet>(claim_faucet);
  handlers.bind<ops::ClaimCredit>(claim_credit);
  handlers.bind<ops::SubmitWithdrawal>(submit_withdrawal);
  handlers.bind<ops::ListWithdrawals>(list_withdrawals);
}

}  // namespace svc::sim
