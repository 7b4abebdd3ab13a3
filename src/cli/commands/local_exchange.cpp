// What is done to the exchange of a sandbox: local accounts, bridge, switch, freeze, unfreeze, halt, resume, settle,
// insurance, flow, price, trade, fill, liquidate, adl, reset
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
    const auto reply = SVC_TRY(exchange.read<control::GetStatus>());
    return Answer{.data = Json::array(reply.items_at("accounts")), .view = accounts_view()};
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

Result<Answer> move_flow(Context& context, const std::optional<std::string>& what, bool accounts, bool drills) {
  control::FlowChange wanted;
  if (what == "bots" || what == "none")
    wanted.bots = what == "bots";
  else
    wanted.drill = what;
  auto reply =
      SVC_TRY(what ? ask_sandbox<control::ChangeFlow>(context, wanted) : ask_sandbox<control::GetFlow>(context));
  Answer answer = answer_of(std::move(reply), {{}, Layout::sheet});
  if (accounts) {
    answer.rows = Json::array(answer.data.items_at("accounts"));
    answer.view = {columns("+name +kind +account +equity")};
  } else if (drills) {
    answer.rows = Json::array(answer.data.items_at("drills"));
    answer.view = {columns("+name +summary")};
  }
  return answer;
}

Result<Answer> set_price(Context& context, const std::string& market, const std::string& price) {
  auto reply =
      SVC_TRY(ask_sandbox<control::SetPrices>(context, {.by_market = {{market, control::TypedDecimal(price)}}}));
  Answer answer = answer_of(std::move(reply));
  const Json* now = answer.data.at("prices." + market);
  if (now == nullptr) return answer;
  const auto stands = parse_decimal(now->text()), wanted = parse_decimal(price);
  if (stands && wanted && *stands != *wanted)
    context.notice("price_stands",
                   "the price is " + now->text() + "; that of a halted or delisted market stands still");
  answer.rows = Json::object({{"market", market}, {"mark", *now}, {"index", *now}});
  copy_members(answer.data, {"sequence"}, *answer.rows);
  return answer;
}

Result<Answer> move_price(Context& context, const std::string& market, const std::optional<std::string>& price,
                          bool walk, const std::optional<std::string>& shock, const std::optional<std::string>& over) {
  SVC_TRY(market_id(market));
  if (price && shock) return usage_error("PRICE and --shock exclude each other");
  if (!price && !shock) return usage_error("one of PRICE and --shock is needed");
  const std::string to = price ? SVC_TRY(read_amount("PRICE", *price)) : std::string();
  if (price && !walk && !over) return set_price(context, market, to);
  control::WalkTerms terms{.market_id = market};
  if (price) terms.to = control::TypedDecimal(to);
  if (shock) {
    std::string percent = *shock;
    if (percent.ends_with('%')) percent.pop_back();
    if (percent.starts_with('+')) percent.erase(0, 1);
    percent = completed_decimal(percent);
    if (!parse_decimal(percent)) return usage_error("--shock must be such as -10% or 2.5, not \"" + *shock + "\"");
    terms.shock = control::TypedDecimal(percent);
  }
  constexpr std::int64_t walk_ms = 60'000;
  terms.over_ms = over ? SVC_TRY(parse_duration("--over", *over)) : walk ? walk_ms : 1'000;
  auto reply = SVC_TRY(ask_sandbox<control::WalkPrice>(context, terms));
  return answer_of(std::move(reply), {columns("market=+market_id +from +to ends@+end_ms")});
}

// One row per changed position, each with the event.
void show_staged(Context& context, Answer& answer) {
  answer.rows = Json::list(answer.data.items_at("affected"), [&](Json row) {
    copy_members(answer.data, {"event", "sequence"}, row);
    return row;
  });
  if (answer.data.find("affected") != nullptr && answer.rows->items().empty())
    context.notice("nothing_changed", "no position changed: nobody stood there to trade with");
}

void show_deleveraged(Context& context, Answer& answer) {
  show_staged(context, answer);
  if (answer.data.find("deleveraged") == nullptr || answer.data.text_at("event") == "adl") return;
  const std::string others =
      joined(answer.data.items_at("deleveraged"), [](const Json& account) { return account.text(); });
  context.notice("not_deleveraged", "the account was not deleveraged" +
                                        (others.empty() ? ", nor was anybody" : "; these were: " + others));
}

Result<std::optional<std::string>> trade_price(const std::vector<std::string>& at,
                                               const std::optional<std::string>& price) {
  if (at.empty()) return price;
  const std::string place = joined(at, {}, "");
  if (!place.starts_with('@')) return usage_error("after SIZE only @ PRICE may follow, such as @ 60100");
  if (price) return usage_error("@ PRICE and --price exclude each other");
  return std::optional(SVC_TRY(read_amount("@ PRICE", place.substr(1))));
}

Result<Answer> make_trade(Context& context, const std::string& market, const std::string& size,
                          const std::vector<std::string>& at, const std::optional<std::string>& typed_price,
                          const std::optional<trade::Side>& side) {
  control::TradeTerms terms{.market_id = market};
  SVC_TRY(market_id(market));
  terms.quantity.text = SVC_TRY(read_amount("SIZE", size));
  if (const auto price = SVC_TRY(trade_price(at, typed_price))) terms.price = control::TypedDecimal(*price);
  terms.side = side;
  Answer answer = answer_of(SVC_TRY(ask_sandbox<control::StageTrade>(context, terms)));
  show_staged(context, answer);
  return answer;
}

Result<std::string> read_order_id(std::string_view, const std::string& typed) {
  if (std::ranges::all_of(typed, is_name_character)) return typed;
  return usage_error("\"", typed, "\" is no id of an order");
}

}  // namespace

std::vector<CommandRow> local_account_commands() {
  return {{"local accounts", "[list|new|fund ADDR AMOUNT|set-tier ADDR TIER]",
           "List the development accounts and their keys, or make more", "# accounts made for development",
           Output{"[] index:integer address private_key balance | now_ms:integer account balance | address tier",
                  "index address balance private_key account amount"},
           calls(handle_accounts, {{"ACTION", "list, new, fund ADDR AMOUNT, set-tier ADDR TIER"},
                                   {"--count", "of new: how many (default 1)", "N"},
                                   decimal("--balance", "of new: what each has (default 100000)", "USDX")})}};
}

std::vector<CommandRow> local_market_commands() {
  const OperationTerms decision{
      .arguments = {positional<&control::MovementRef::id>(
          "ID", "of a withdrawal (wd_…), bridge withdrawal (wdl_…) or bridge deposit (dep_…)", read_movement)},
      .columns = columns<control::MovementDecided>("id old new")};
  const OperationTerms freeze{.arguments = {positional<&control::AccountRef::address>("ADDR", "account")},
                              .columns = columns<control::Frozen>("account frozen sequence")};
  using control::HaltTerms, control::InsuranceGranted, control::MarketMoved, control::ResumeTerms, control::SettleTerms;
  const auto market_columns = columns<MarketMoved>("market=market_id status sequence");
  return {
      {"local halt", "MARKET", "Halt a market: cancels work, new orders do not", "ETH-USDX-PERP  # halt a market",
       operation<control::HaltMarket>(
           {.arguments = {positional<&HaltTerms::market_id>("MARKET", "market", read_market),
                          flag<&HaltTerms::reason>("--reason", "TEXT", "what its status says", read_any,
                                                   "halted by the sandbox's user")},
            .columns = market_columns})},
      {"local resume", "MARKET", "Open a halted market again", "ETH-USDX-PERP  # and open it again",
       operation<control::ResumeMarket>(
           {.arguments = {positional<&ResumeTerms::market_id>("MARKET", "market", read_market),
                          flag<&ResumeTerms::inject>("--inject", "USDX", "pay so much into the insurance fund first")},
            .columns = market_columns})},
      {"local settle", "MARKET PRICE", "Close every position of a market and delist it",
       "SOL-USDX-PERP 150  # settle a market for good",
       operation<control::SettleMarket>(
           {.arguments = {positional<&SettleTerms::market_id>("MARKET", "market", read_market),
                          positional<&SettleTerms::price>("PRICE", "at which every position is closed", read_amount)},
            .columns = market_columns})},
      {"local insurance", "AMOUNT", "Pay play money into the insurance fund", "1000  # money for the insurance fund",
       operation<control::FundInsurance>(
           {.arguments = {positional<&control::InsuranceGrant::amount>("AMOUNT", "USDX", read_amount)},
            .columns = columns<InsuranceGranted>("amount insurance_fund sequence")})},
      {"local bridge deposit", "ADDR AMOUNT", "Pay an account over the chain",
       "$ADDR 10  # money arrives from another chain",
       operation<control::SendDeposit>(
           {.arguments = {positional<&control::ChainPayment::account>("ADDR", "account"),
                          positional<&control::ChainPayment::amount>("AMOUNT", "of the asset", read_amount),
                          flag<&control::ChainPayment::asset>("--asset", "", "what is sent (default USDX)")},
            .columns = columns<control::ChainPaid>("id account amount asset status")})},
      {"local bridge settle", "ID", "Confirm a withdrawal or bridge deposit now",
       "$WITHDRAWAL  # a withdrawal arrived there", operation<control::SettleMovement>(decision)},
      {"local bridge fail", "ID", "Let a withdrawal or bridge deposit fail", "$WITHDRAWAL  # or did not",
       operation<control::FailMovement>(decision)},
      {"local switch", "[SERVICE on|off]", "Show or switch what an operator can switch off", "# services, on or off",
       Output{"credits:boolean transfers:boolean bridge_withdrawals:boolean bridge_chain:boolean "
              "wallet_registration:boolean",
              "service on"},
       calls(turn_switch, {{"SERVICE on|off", "a service, and what becomes of it; nothing: show all"}})},
      {"local freeze", "ADDR", "Let nothing leave an account", "$ADDR  # no withdrawal or transfer leaves it",
       operation<control::FreezeAccount>(freeze)},
      {"local unfreeze", "ADDR", "Let money leave an account again", "$ADDR  # and again",
       operation<control::UnfreezeAccount>(freeze)},
  };
}

std::vector<CommandRow> local_flow_commands() {
  return {
      {"local flow", "[bots|none|DRILL]", "Show, start and stop the bots, or begin a drill",
       "none  # stop the flow of orders",
       Output{"get_flow",
              "bots drill drill_ends@drill_ends_ms tape_played=tape.played tape_lines=tape.lines recorded=record.lines "
              "record_failed=record.failed name kind account equity summary"},
       calls(move_flow, {{"WHAT", "bots, none, or the name of a drill; absent: show it"},
                         {"--accounts", "list the bots and their accounts"},
                         {"--drills", "list the drills"}})},
      {"local price", "MARKET PRICE", "Set index and mark price of a market, at once or bit by bit",
       "BTC-USDX-PERP 60500  # move a price",
       Output{"set_prices | walk_price", "market mark index sequence from to ends@end_ms"},
       calls(move_price,
             {{"MARKET", "market"},
              {"PRICE", "index and mark price"},
              {"--walk", "go there on a straight line instead of at once"},
              {"--shock", "instead of PRICE: so much from where it is, such as -10%", "PERCENT"},
              {"--over", "how long it takes (default 60s with --walk, 1s with --shock, else at once)", "DURATION"}})},
  };
}

std::vector<CommandRow> local_staging_commands() {
  using control::FillTerms, control::Staged;
  const auto staged_columns = columns<Staged>("event market=+market_id +account +was +is sequence");
  const std::vector<MemberArgument> distress{
      positional<&control::DistressTerms::address>("ADDR", "account"),
      flag<&control::DistressTerms::market_id>("--market", "MARKET", "of the position, if it has several",
                                               read_market)};
  return {
      {"local trade", "MARKET SIZE [@ PRICE]", "Let two accounts of the house trade",
       "ETH-USDX-PERP 1  # a print at the mark price\n"
       "ETH-USDX-PERP 1 @ 3001  # or at another",
       operation<control::StageTrade>({.columns = staged_columns}),
       calls(make_trade, {{"MARKET", "market"},
                          {"SIZE", "base units"},
                          {"@", "where: @ 60100 (default: the mark price)"},
                          decimal("--price", "same as @ PRICE", "PRICE"),
                          {"--side", "what the taker does (default buy)", {}, trade::side_lower_texts}})},
      {"local fill", "ORDER_ID", "Let somebody take an order that rests",
       "$ORDER  # somebody takes an order that rests",
       operation<control::FillOrder>(
           {.arguments = {positional<&FillTerms::order_id>("ORDER_ID", "an order that rests, anybody's", read_order_id),
                          flag<&FillTerms::quantity>("--size", "SIZE", "so much of it (default: all that is left)")},
            .columns = staged_columns,
            .finish = show_staged})},
      {"local liquidate", "ADDR", "Move the mark price to where an account is liquidated",
       "$HOLDER  # to the price at which an account is liquidated",
       operation<control::Liquidate>({.arguments = distress, .columns = staged_columns, .finish = show_staged})},
      {"local adl", "ADDR", "Empty the book and move the mark price to where an account is deleveraged",
       "$HOLDER  # or deleveraged",
       operation<control::Deleverage>({.arguments = distress, .columns = staged_columns, .finish = show_deleveraged})},
      {"local reset", "", "Make everything as it was at the start",
       "--keep-markets  # begin anew, at the prices of now",
       operation<control::Reset>(
           {.arguments = {flag<&control::ResetTerms::keep_prices>("--keep-markets", "", "markets keep their prices")},
            .columns = columns<control::Restored>("now@now_ms sequence")})},
  };
}

}  // namespace svc::cli
