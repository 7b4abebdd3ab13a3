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

api::DecimalText average_price_text(const engine::MarketSpec& spec, i128 quote, i128 lots) {
  SVC_ASSERT(lots != 0);
  const i128 base = lots * spec.lot_size.coefficient;  // in 10^-scale base units
  // Digit by digit: the quote of years of turnover leaves no room for 10^scale.
  i128 price = div_round(quote, base, Rounding::down);
  i128 rest = quote - price * base;
  for (int digit = 0; digit < spec.lot_size.scale; ++digit) {
    rest *= 10;
    price = price * 10 + rest / base;
    rest %= base;
  }
  return usdx_text(rest * 2 >= base ? price + 1 : price);
}

std::string ratio_text(Usdx numerator, Usdx denominator) {
  SVC_ASSERT(denominator != Usdx{});
  return decimal_text(
      div_round(static_cast<i128>(numerator.value) * 1'000'000, denominator.value, Rounding::toward_zero), 6);
}

namespace {

Unexpected<api::ApiError> too_large(const std::string& text) {
  return api::refused(api::ErrorCode::invalid_amount, "amount " + text + " is too large");
}

}  // namespace

Result<Usdx, api::ApiError> positive_amount(const api::DecimalText& text) {
  const auto amount = parse_scaled(text.text, usdx_decimals);
  if (!amount && amount.error() == DecimalError::too_fine)
    return api::refused(api::ErrorCode::invalid_amount,
                        "amount " + text.text + " has more than " + std::to_string(usdx_decimals) + " decimal places");
  if (amount && *amount <= 0)
    return api::refused(api::ErrorCode::invalid_amount, "amount must be positive, not " + text.text);
  const bool is_large = amount ? !is_sum(Usdx{*amount}) : amount.error() == DecimalError::too_large;
  if (is_large) return too_large(text.text);
  if (!amount) return api::refused(api::ErrorCode::invalid_amount, "amount " + text.text + " is not a plain decimal");
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
  Transactions(const ServicesState& state, const Address& account) {
    const auto credited = [](const ChainMovement& movement) { return movement.decision == MovementFate::settled; };
    for (const ChainMovement& movement :
         state.bridge_deposits.newest_of(account, limits::chain_movements_kept_max, credited))
      by_credit_[{movement.decided_ms, movement.amount}].push_back(movement.id);
  }

  // Called from the newest entry to the oldest. A deposit that was never on a chain has none.
  std::optional<std::string> take(const FundsRow& row) {
    if (row.kind != engine::FundsKind::bridge_deposit) return std::nullopt;
    const auto found = by_credit_.find({row.at_ms, row.amount});
    if (found == by_credit_.end() || found->second.empty()) return std::nullopt;  // forgotten
    const MovementId id = found->second.front();
    found->second.pop_front();
    return transaction_of(id);
  }

 private:
  std::map<std::pair<TimestampMs, Usdx>, std::deque<MovementId>> by_credit_;
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

Result<Applied, ApiError> pay_in(RequestContext& context, Usdx amount) {
  const PayIn command{.account = context.account(), .amount = amount, .kind = engine::FundsKind::deposit};
  return SVC_TRY(serve(context, command)).applied;
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
  if (request.asset != only_asset) return refused(ErrorCode::invalid_json, "asset must be " + std::string(only_asset));
  const auto amount = SVC_TRY(positive_amount(request.amount));
  const auto applied = SVC_TRY(pay_in(context, amount));
  return DepositReceipt{.balance = usdx_text(applied.outcome.balance),
                        .id = funds_row_id(context, applied.outcome.sequence),
                        .amount = usdx_text(amount),
                        .asset = request.asset,
                        .status = FundsStatus::confirmed,
                        .timestamp = applied.at_ms};
}

Answer<ops::DepositCollateral> deposit_collateral(RequestContext& context, const DepositCollateralRequest& request) {
  if (context.request.headers.contains("X-Account-Id")) return unexpected(ErrorCode::account_id_header_unsupported);
  // Crediting another account needs a service key, and this venue mints none. (D-268)
  if (request.account_id && *request.account_id != context.account())
    return refused(ErrorCode::forbidden, "only service keys credit another account");
  const auto amount = SVC_TRY(positive_amount(request.amount));
  const auto applied = SVC_TRY(pay_in(context, amount));
  return BalanceResponse{.balance = usdx_text(applied.outcome.balance)};
}

Answer<ops::ListDeposits> list_deposits(RequestContext& context, const DepositsRequest& request) {
  Transactions transactions(*context.network->services.look(), context.account());
  return context.venue().views.read([&](const VenueView& view) {
    WrittenList<FundsEntry> list;
    std::uint32_t left = request.limit;
    const auto& rows = view.account(context.account()).funds().rows();
    for (auto row = rows.rbegin(); row != rows.rend() && left > 0; ++row) {
      if (kind_of(row->kind) == FundsKind::withdrawal) continue;
      list.rows.add(funds_record(context.account(), *row, transactions.take(*row)));
      --left;
    }
    return list;
  });
}

Answer<ops::ClaimFaucet> claim_faucet(RequestContext& context, const Empty&) {
  const auto claimed = serve(context, sim::ClaimFaucet{context.account()});
  if (!claimed) {
    const auto offer = context.network->services.look()->faucet.offer(context.account(), context.now_ms);
    if (!offer) context.retry_at_ms = offer.error();
    return unexpected(claimed.error());
  }
  return api::FaucetClaim{.amount = usdx_text(claimed->value.amount),
                          .available_at_ms = claimed->value.available_at_ms};
}

Answer<ops::ClaimCredit> claim_credit(RequestContext& context, const CreditRequest& request) {
  if (!context.network->services.look()->switches.is_on(Switchable::credits))
    return unexpected(ErrorCode::credits_frozen);
  sim::ClaimCredit command{.account = context.account()};
  if (request.amount) command.amount = SVC_TRY(positive_amount(*request.amount));
  const auto credit = SVC_TRY(serve(context, command)).value;
  return CreditResponse{.amount = usdx_text(credit.amount),
                        .credited_today = usdx_text(credit.credited_today),
                        .daily_limit = usdx_text(credit.daily_limit)};
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

Withdrawal withdrawal_record(const ChainMovement& movement, TimestampMs now_ms) {
  return {.id = to_string(movement.id),
          .amount = usdx_text(movement.amount),
          .timestamp = movement.created_ms,
          .status = status_as(movement.fate(now_ms), WithdrawalStatus::pending, WithdrawalStatus::settled)};
}

// The amount that the wallet signed, under the action domain. The nonce is spent.
Result<Usdx, ApiError> proven_amount(RequestContext& context, const SubmitWithdrawalRequest& request) {
  const auto readings = readings_of(request.amount.text);
  if (readings.empty()) {
    const auto refused = positive_amount(DecimalText(request.amount.text));
    return unexpected(refused ? ApiError(ErrorCode::invalid_amount) : refused.error());
  }
  const auto asset = asset_of(request.asset);
  if (!asset) return refused(ErrorCode::invalid_json, "asset must be USDX, or an address");
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
    if (!is_sum(Usdx{units})) return too_large(request.amount.text);
    if (*asset != signing::usdx_asset) return refused(ErrorCode::withdrawal_rejected, "only USDX can be withdrawn");
    return Usdx{units};
  }
  return unexpected(context.refuse_signer(signers.front()));
}

Answer<ops::SubmitWithdrawal> submit_withdrawal(RequestContext& context, const SubmitWithdrawalRequest& request) {
  const auto amount = SVC_TRY(proven_amount(context, request));

  const auto withdrawn = SVC_TRY(serve(context, WithdrawToWallet{.account = request.wallet, .amount = amount}));
  return withdrawal_record(withdrawn.value, context.now_ms);
}

}  // namespace

void bind_funds(HandlerTable& handlers) {
  handlers.bind_all(submit_deposit, deposit_collateral, list_deposits, claim_faucet, claim_credit, submit_withdrawal);
  handlers.bind<ops::ListWithdrawals>([](RequestContext& context, const WithdrawalsRequest& request) {
    const auto all = [](const ChainMovement&) { return true; };
    return list_of(context.network->services.look()->withdrawals.newest_of(context.account(), request.limit, all),
                   [&](const ChainMovement& movement) { return withdrawal_record(movement, context.now_ms); });
  });
}

}  // namespace svc::sim
