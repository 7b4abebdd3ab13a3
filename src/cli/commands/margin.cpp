// margin add, remove, mode get, mode set, leverage; account cancel-on-disconnect get, on, off

#include "api/contract/margin.h"
#include "api/contract/account.h"
#include "cli/client/account_lookup.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

Result<std::string, Failure> read_mode(std::string_view, const std::string& typed) {
  if (const auto mode = trade::parse<trade::MarginMode>(typed)) return std::string(to_string(*mode));
  return unexpected(usage_error("MODE must be cross or isolated, not \"", typed, "\""));
}

// "10x" as well.
Result<std::string, Failure> read_leverage(std::string_view, const std::string& typed) {
  std::string_view digits = typed;
  if (digits.ends_with('x') || digits.ends_with('X')) digits.remove_suffix(1);
  const auto value = parse_integer<std::uint32_t>(digits);
  if (value && *value > 0) return std::to_string(*value);
  return unexpected(usage_error("X must be a whole number from 1, such as 10, not \"", typed, "\""));
}

// The answer names neither direction nor amount.
Result<void, Failure> show_asked(Context&, Answer& answer, const Given& given) {
  answer.rows = answer.data;
  answer.rows->set("direction", given.at("direction")).set("amount", given.at("AMOUNT"));
  return {};
}

// Sets something of a market; a column shows the setting before.
template <std::optional<std::string> MarketSettingTexts::*Setting>
class ChangeSetting final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  Result<Answer, Failure> run(Context& context) override {
    const auto wanted = SVC_TRY(call(context));
    const auto typed = SVC_TRY(given(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    MarketSettingTexts before;
    if (!context.globals().dry_run) before = SVC_TRY(MarketSettings(exchange).of({typed.at("MARKET")}));
    Answer answer = shown(context, SVC_TRY(write_.send(context, exchange, wanted)));
    answer.rows = answer.data;
    answer.rows->set("previous", before.*Setting);
    return answer;
  }
};

}  // namespace

std::span<const CommandRow> margin_commands() {
  using Adjust = api::AdjustMarginRequest;
  using Set = api::SetMarginModeRequest;
  using Mode = api::MarginModeStatus;
  using api::AdjustMarginResponse, api::LeverageRequest, api::LeverageResponse;
  const auto adjust = [](std::string_view direction) {
    return operation<api::ops::AdjustMargin>(
        {.arguments = {positional<&Adjust::market_id>("MARKET", "market"),
                       positional<&Adjust::amount>("AMOUNT", "USDX", read_amount),
                       fixed<&Adjust::direction>(direction)},
         .columns =
             columns<AdjustMarginResponse>("market=market_id +direction +amount allocated=allocated_margin collateral"),
         .look_up = "positions list",
         .then = show_asked});
  };
  const std::vector<Column> disconnect_columns = columns<api::CancelOnDisconnectStatus>("enabled active grace_secs");
  const auto disconnect = [&](std::string_view enabled) {
    return operation<api::ops::SetCancelOnDisconnect>(
        {.arguments = {fixed<&api::CancelOnDisconnectRequest::enabled>(enabled), no_field("--timeout-secs")},
         .columns = disconnect_columns,
         .look_up = "account cancel-on-disconnect get"});
  };
  static const CommandRow rows[]{
      {"margin add", "MARKET AMOUNT", "Add margin to an isolated position", adjust("add")},
      {"margin remove", "MARKET AMOUNT", "Take margin from an isolated position", adjust("remove")},
      {"margin mode get", "[MARKET]", "Show the margin mode, and the leverage of a market",
       operation<api::ops::GetMarginMode>(
           {.arguments = {maybe<&api::GetMarginModeRequest::market_id>("MARKET",
                                                                       "market (default: the account's own mode)")},
            .columns = columns<Mode>("market=market_id mode=margin_mode source leverage")})},
      {"margin mode set", "MARKET cross|isolated", "Set the margin mode of a market",
       operation<api::ops::SetMarginMode, ChangeSetting<&MarketSettingTexts::margin_mode>>(
           {.arguments = {positional<&Set::market_id>("MARKET", "market"),
                          positional<&Set::margin_mode>("MODE", "cross or isolated", read_mode)},
            .columns = columns<Mode>("market=market_id mode=margin_mode +previous"),
            .look_up = "margin mode get MARKET"})},
      {"margin leverage", "MARKET X", "Set the leverage of a market",
       operation<api::ops::SetLeverage, ChangeSetting<&MarketSettingTexts::leverage>>(
           {.arguments = {positional<&LeverageRequest::market_id>("MARKET", "market"),
                          positional<&LeverageRequest::leverage>("X", "whole number from 1", read_leverage)},
            .columns = columns<LeverageResponse>("market=market_id leverage +previous"),
            .look_up = "margin mode get MARKET"})},
      {"account cancel-on-disconnect get", "", "Show whether orders are cancelled when the last stream closes",
       operation<api::ops::GetCancelOnDisconnect>({.columns = disconnect_columns})},
      {"account cancel-on-disconnect on", "", "Cancel orders when the last stream closes", disconnect("true")},
      {"account cancel-on-disconnect off", "", "Leave orders when the last stream closes", disconnect("false")},
  };
  return rows;
}

}  // namespace svc::cli
