// faucet claim, credit; deposits submit, list

#include "api/contract/funds.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

// Before any network call: there is no faucet where funds are real (API: Networks, rule 4).
Result<Exchange, Failure> open_play_funds(Context& context) {
  const auto name = SVC_TRY(context.network_name());
  const auto config = SVC_TRY(context.config());
  const auto known = config->networks.find(name.text);
  const Funds funds = funds_of(name.text, known == config->networks.end() ? NetworkConfig{} : known->second);
  if (funds != Funds::play) {
    return unexpected(guard("no_faucet", "network " + name.text + " holds " + std::string(to_string(funds)) +
                                             " funds: there is no faucet"));
  }
  return Exchange::open(context);
}

// The metadata says whether the network has a faucet; if it says nothing, the service is asked.
Result<Exchange, Stop> open_faucet(Context& context) {
  auto exchange = SVC_TRY(open_play_funds(context));
  const auto facts = SVC_TRY(exchange.facts());
  const Json& metadata = facts->metadata;
  const std::string serving(metadata.string_at("network").value_or(exchange.network().name));
  const Json* offered = metadata.at("networks." + serving + ".faucet");
  if (offered == nullptr || !offered->is(Json::Kind::boolean) || offered->truth()) return exchange;
  Failure failure = guard("no_faucet", "network " + exchange.network().name + " offers no faucet");
  if (exchange.network().is_local()) {
    failure.message += "; svc serve --local --faucet starts a sandbox with one";
    failure.actions = {"svc serve --local --faucet", command_line(context, "local fund ADDR AMOUNT")};
  }
  return unexpected(Stop(std::move(failure)));
}

}  // namespace

std::span<const CommandRow> funds_commands() {
  using api::CreditResponse, api::DepositReceipt, api::FaucetClaim, api::FundsEntry;
  static const CommandRow rows[]{
      {"faucet claim", "", "Claim play funds",
       operation<api::ops::ClaimFaucet>(
           {.columns = {column<&FaucetClaim::amount>(), time_column<&FaucetClaim::available_at_ms>("next_at")},
            .look_up = "deposits list",
            .open = open_faucet})},
      {"faucet credit", "", "Claim today's credit of play funds",
       operation<api::ops::ClaimCredit>(
           {.arguments = {flag<&api::CreditRequest::amount>("--amount", "USDX", "default: all that is left today")},
            .columns = {column<&CreditResponse::amount>(), column<&CreditResponse::credited_today>(),
                        column<&CreditResponse::daily_limit>()},
            .look_up = "account show",
            .open = open_faucet})},
      // Collateral credited at once; a service may name whom it is for.
      {"account deposit", "AMOUNT", "Deposit USDX collateral",
       operation<api::ops::DepositCollateral>(
           {.arguments = {positional<&api::DepositCollateralRequest::amount>("AMOUNT", "USDX", read_money),
                          flag<&api::DepositCollateralRequest::account_id>("--account-id", "ADDR",
                                                                           "account credited, for service keys")},
            .look_up = "account show"})},
      {"deposits submit", "--amount USDX", "Submit a deposit",
       operation<api::ops::SubmitDeposit>(
           {.arguments = {demanded(flag<&api::SubmitDepositRequest::amount>("--amount", "USDX", "amount to deposit"),
                                   "--amount says how much"),
                          no_field("--tx")},
            .columns = {column<&DepositReceipt::id>(), column<&DepositReceipt::amount>(),
                        column<&DepositReceipt::asset>(), column<&DepositReceipt::status>(),
                        column<&DepositReceipt::balance>()},
            .look_up = "deposits list"})},
      {"deposits list", "", "List deposits",
       operation<api::ops::ListDeposits>(
           {.columns = {column<&FundsEntry::id>(), time_column<&FundsEntry::timestamp>("time"),
                        column<&FundsEntry::kind>(), column<&FundsEntry::amount>(), column<&FundsEntry::asset>(),
                        column<&FundsEntry::status>()},
            .list = {{.time_ms = "timestamp"}}})},
  };
  return rows;
}

}  // namespace svc::cli
