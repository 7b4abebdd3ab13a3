// local accounts, bridge, switch, freeze, unfreeze
#include "api/contract/admin.h"
#include "base/address.h"
#include "base/encoding.h"
#include "cli/commands/admin.h"
#include "cli/commands/control_call.h"
#include "cli/commands/operation_command.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t count_max = 1'000;  // of accounts made at once

View accounts_view() {
  return {columns("+index +address +balance +private_key")};
}

// Random keys with play money: they are for this sandbox, so they are shown.
Result<Answer> make_accounts(Context& context, Exchange& exchange, std::uint64_t count, const std::string& balance) {
  if (count == 0 || count > count_max) return usage_error("--count must be from 1 to ", count_max);
  Answer answer{.data = Json::array(), .view = accounts_view()};
  for (std::uint64_t i = 0; i < count; ++i) {
    const signing::PrivateKey key = fresh_key(context.environment());
    const auto reply = SVC_TRY(
        exchange.call(call_of<control::Fund>({.account = key.address(), .amount = control::TypedDecimal(balance)})));
    answer.data.push(Json::object({{"index", i},
                                   {"address", to_string(key.address())},
                                   {"balance", reply.body.string_at("balance")},
                                   {"private_key", to_hex_0x(key.reveal())}}));
  }
  return answer;
}

Result<Answer> fund_account(Exchange& exchange, const std::string& typed, const std::string& typed_amount) {
  const auto account = SVC_TRY(read_address("ADDR", typed));
  const auto amount = SVC_TRY(read_amount("AMOUNT", typed_amount));
  auto reply = SVC_TRY(exchange.call(
      call_of<control::Fund>({.account = *parse_address(account), .amount = control::TypedDecimal(amount)})));
  return answer_of(std::move(reply), {columns("+account +amount +balance")});
}

// As an operator, with the sandbox's operator secret.
Result<Answer> set_account_tier(Context& context, Exchange& exchange, OperatorAccess access, const std::string& typed,
                                const std::string& typed_tier) {
  const auto address = parse_address(SVC_TRY(read_address("ADDR", typed)));
  const auto tier = SVC_TRY(read_tier("TIER", typed_tier));
  auto reply = SVC_TRY(access.change(context, exchange, {*address, "-", tier}));
  return answer_of(std::move(reply), {columns("+address +tier")});
}

Result<Answer> handle_accounts(Context& context, const std::vector<std::string>& words,
                               const std::optional<std::uint64_t>& count, const std::optional<std::string>& balance,
                               const OperatorAccess& access) {
  const std::string action = words.empty() ? "list" : words.front();
  auto exchange = SVC_TRY(Exchange::open(context));
  if (action != "new" && (count || balance))
    return usage_error("--count and --balance belong to svc local accounts new");
  if (action == "list" && words.size() <= 1) {
    const auto reply = SVC_TRY(exchange.call(call_of<control::GetStatus>()));
    return Answer{.data = Json::array(reply.body.items_at("accounts")), .view = accounts_view()};
  }
  if (action == "new" && words.size() == 1)
    return make_accounts(context, exchange, count.value_or(1), balance.value_or("100000"));
  if (action == "fund" && words.size() == 3) return fund_account(exchange, words[1], words[2]);
  if (action == "set-tier" && words.size() == 3) return set_account_tier(context, exchange, access, words[1], words[2]);
  return usage_error("svc local accounts takes list, new, fund ADDR AMOUNT or set-tier ADDR TIER");
}

Result<std::string> read_movement(std::string_view, const std::string& typed) {
  if (typed.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos) return typed;
  return usage_error("\"" + typed + "\" is no id of a withdrawal or bridge deposit");
}

Result<Answer> turn_switch(Context& context, const std::vector<std::string>& words) {
  Call call = call_of<control::GetSwitches>();
  if (!words.empty()) {
    if (words.size() != 2 || (words[1] != "on" && words[1] != "off"))
      return usage_error("svc local switch takes a service and on or off");
    call = call_of<control::TurnSwitches>({.services = {{words[0], words[1] == "on"}}});
  }
  auto exchange = SVC_TRY(Exchange::open(context));
  auto reply = SVC_TRY(exchange.call(call));
  Answer answer{.data = reply.body};
  answer.rows = Json::array();
  for (const auto& [service, on] : reply.body.members())
    answer.rows->push(Json::object({{"service", service}, {"on", on}}));
  return answer;
}

}  // namespace

std::vector<CommandRow> local_account_commands() {
  return {{"local accounts", "[list|new|fund ADDR AMOUNT|set-tier ADDR TIER]",
           "List the development accounts and their keys, or make more",
           "svc local accounts  # accounts made for development",
           Output{"[] index:integer address private_key balance | now_ms:integer account balance | address tier",
                  "index address balance private_key account amount"},
           calls(handle_accounts, {{"ACTION", "list, new, fund ADDR AMOUNT, set-tier ADDR TIER"},
                                   {"--count", "of new: how many (default 1)", "N"},
                                   {.names = "--balance",
                                    .doc = "of new: what each has (default 100000)",
                                    .value = "USDX",
                                    .is_decimal = true}})}};
}

std::vector<CommandRow> local_money_commands() {
  using control::ChainPaid, control::ChainPayment, control::Frozen, control::MovementDecided;
  const OperationTerms decision{
      .arguments = {positional<&control::MovementRef::id>(
          "ID", "of a withdrawal (wd_…), bridge withdrawal (wdl_…) or bridge deposit (dep_…)", read_movement)},
      .columns = columns<MovementDecided>("id old new")};
  const OperationTerms freeze{.arguments = {positional<&control::AccountRef::address>("ADDR", "account")},
                              .columns = columns<Frozen>("account frozen sequence")};
  return {
      {"local bridge deposit", "ADDR AMOUNT", "Pay an account over the chain",
       "svc local bridge deposit $ADDR 10  # money arrives from another chain",
       operation<control::SendDeposit>(
           {.arguments = {positional<&ChainPayment::account>("ADDR", "account"),
                          positional<&ChainPayment::amount>("AMOUNT", "of the asset", read_amount),
                          flag<&ChainPayment::asset>("--asset", "", "what is sent (default USDX)")},
            .columns = columns<ChainPaid>("id account amount asset status")})},
      {"local bridge settle", "ID", "Confirm a withdrawal or bridge deposit now",
       "svc local bridge settle $WITHDRAWAL  # a withdrawal arrived there",
       operation<control::SettleMovement>(decision)},
      {"local bridge fail", "ID", "Let a withdrawal or bridge deposit fail",
       "svc local bridge fail $WITHDRAWAL  # or did not", operation<control::FailMovement>(decision)},
      {"local switch", "[SERVICE on|off]", "Show or switch what an operator can switch off",
       "svc local switch  # services, on or off",
       Output{"credits:boolean transfers:boolean bridge_withdrawals:boolean bridge_chain:boolean "
              "wallet_registration:boolean",
              "service on"},
       calls(turn_switch, {{"SERVICE on|off", "a service, and what becomes of it; nothing: show all"}})},
      {"local freeze", "ADDR", "Let nothing leave an account",
       "svc local freeze $ADDR  # no withdrawal or transfer leaves it", operation<control::FreezeAccount>(freeze)},
      {"local unfreeze", "ADDR", "Let money leave an account again", "svc local unfreeze $ADDR  # and again",
       operation<control::UnfreezeAccount>(freeze)},
  };
}

}  // namespace svc::cli
