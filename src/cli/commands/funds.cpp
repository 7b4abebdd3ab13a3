// faucet claim, credit; deposits submit, list
#include <array>

#include "api/contract/funds.h"
#include "base/decimal.h"
#include "cli/arguments/spelling.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/plain_write.h"
#include "cli/terminal/order_views.h"

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

class ClaimFaucet final : public Command {
 public:
  void declare(Arguments& arguments) override { write_.declare(arguments); }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(open_faucet(context));
    Call call = call_of<api::ops::ClaimFaucet>();
    call.look_up = {command_line(context, "deposits list")};
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return answer_of(
        std::move(reply),
        {{{"amount", "amount"}, {"next_at", "", [](const Json& row) { return time_at(row, "available_at_ms"); }}}});
  }

 private:
  PlainWrite write_;
};

class ClaimCredit final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.decimal("--amount", amount_, "USDX", "default: all that is left today");
    write_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(open_faucet(context));
    api::CreditRequest request;
    if (amount_) request.amount = api::DecimalText(*amount_);
    Call call = call_of<api::ops::ClaimCredit>(request);
    call.look_up = {command_line(context, "account show")};
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return answer_of(std::move(reply),
                     {{{"amount", "amount"}, {"credited_today", "credited_today"}, {"daily_limit", "daily_limit"}}});
  }

 private:
  std::optional<std::string> amount_;
  PlainWrite write_;
};

// Collateral credited at once; a service may name whom it is for.
class DepositCollateral final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("AMOUNT", amount_, "USDX");
    arguments.address("--account-id", account_, "account credited, for service keys");
    write_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    amount_ = completed_decimal(amount_);
    const auto amount = parse_decimal(amount_);
    if (!amount || amount->coefficient <= 0) {
      return unexpected(Stop(usage_error("AMOUNT must be a positive decimal such as 25.5, not \"" + amount_ + "\"")));
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    Call call = call_of<api::ops::DepositCollateral>({.amount = api::DecimalText(amount_), .account_id = account_});
    call.look_up = {command_line(context, "account show")};
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return answer_of(std::move(reply), View{});
  }

 private:
  std::string amount_;
  std::optional<Address> account_;
  PlainWrite write_;
};

class SubmitDeposit final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.decimal("--amount", amount_, "USDX", "amount to deposit");
    arguments.no_field("--tx");
    write_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    if (!amount_) return unexpected(Stop(usage_error("--amount says how much")));
    auto exchange = SVC_TRY(Exchange::open(context));
    api::SubmitDepositRequest request;
    request.amount = api::DecimalText(*amount_);
    Call call = call_of<api::ops::SubmitDeposit>(request);
    call.look_up = {command_line(context, "deposits list")};
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return answer_of(
        std::move(reply),
        {{{"id", "id"}, {"amount", "amount"}, {"asset", "asset"}, {"status", "status"}, {"balance", "balance"}}});
  }

 private:
  std::optional<std::string> amount_;
  PlainWrite write_;
};

View deposits_view() {
  return {{{"id", "id"},
           {"time", "", [](const Json& row) { return time_at(row, "timestamp"); }},
           {"kind", "kind"},
           {"amount", "amount"},
           {"asset", "asset"},
           {"status", "status"}},
          Layout::rows};
}
RowKeys deposit_keys() {
  return {"", "timestamp"};
}

constexpr std::array funds_rows{
    CommandRow{"faucet claim", "", "Claim play funds", make<ClaimFaucet>},
    CommandRow{"faucet credit", "", "Claim today's credit of play funds", make<ClaimCredit>},
    CommandRow{"account deposit", "AMOUNT", "Deposit USDX collateral", make<DepositCollateral>},
    CommandRow{"deposits submit", "--amount USDX", "Submit a deposit", make<SubmitDeposit>},
    CommandRow{"deposits list", "", "List deposits",
               make<ListCommand<api::ops::ListDeposits, deposits_view, deposit_keys>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> funds_commands() {
  return funds_rows;
}

}  // namespace svc::cli
