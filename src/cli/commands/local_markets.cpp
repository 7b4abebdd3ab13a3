// local halt, resume, settle, insurance, flow, price, trade, fill, liquidate, adl, reset
#include "cli/commands/control_call.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {

std::vector<CommandRow> local_market_commands() {
  using control::HaltTerms, control::InsuranceGranted, control::MarketMoved, control::ResumeTerms, control::SettleTerms;
  const auto market_columns = columns<MarketMoved>("market=market_id status sequence");
  return {
      {"local halt", "MARKET", "Halt a market: cancels work, new orders do not",
       "svc local halt ETH-USDX-PERP  # halt a market",
       operation<control::HaltMarket>(
           {.arguments = {positional<&HaltTerms::market_id>("MARKET", "market", read_market),
                          flag<&HaltTerms::reason>("--reason", "TEXT", "what its status says", read_any,
                                                   "halted by the sandbox's user")},
            .columns = market_columns})},
      {"local resume", "MARKET", "Open a halted market again", "svc local resume ETH-USDX-PERP  # and open it again",
       operation<control::ResumeMarket>(
           {.arguments = {positional<&ResumeTerms::market_id>("MARKET", "market", read_market),
                          flag<&ResumeTerms::inject>("--inject", "USDX", "pay so much into the insurance fund first")},
            .columns = market_columns})},
      {"local settle", "MARKET PRICE", "Close every position of a market and delist it",
       "svc local settle SOL-USDX-PERP 150  # settle a market for good",
       operation<control::SettleMarket>(
           {.arguments = {positional<&SettleTerms::market_id>("MARKET", "market", read_market),
                          positional<&SettleTerms::price>("PRICE", "at which every position is closed", read_amount)},
            .columns = market_columns})},
      {"local insurance", "AMOUNT", "Pay play money into the insurance fund",
       "svc local insurance 1000  # money for the insurance fund",
       operation<control::FundInsurance>(
           {.arguments = {positional<&control::InsuranceGrant::amount>("AMOUNT", "USDX", read_amount)},
            .columns = columns<InsuranceGranted>("amount insurance_fund sequence")})},
  };
}

namespace {

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
  if (price.has_value() == shock.has_value()) return usage_error("one of PRICE and --shock is needed");
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

std::vector<CommandRow> local_flow_commands() {
  return {
      {"local flow", "[bots|none|DRILL]", "Show, start and stop the bots, or begin a drill",
       "svc local flow none  # stop the flow of orders",
       Output{"get_flow",
              "bots drill drill_ends@drill_ends_ms tape_played=tape.played tape_lines=tape.lines recorded=record.lines "
              "record_failed=record.failed name kind account equity summary"},
       calls(move_flow, {{"WHAT", "bots, none, or the name of a drill; absent: show it"},
                         {"--accounts", "list the bots and their accounts"},
                         {"--drills", "list the drills"}})},
      {"local price", "MARKET PRICE", "Set index and mark price of a market, at once or bit by bit",
       "svc local price BTC-USDX-PERP 60500  # move a price",
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
  const std::vector<Argument> distress{positional<&control::DistressTerms::address>("ADDR", "account"),
                                       flag<&control::DistressTerms::market_id>(
                                           "--market", "MARKET", "of the position, if it has several", read_market)};
  return {
      {"local trade", "MARKET SIZE [@ PRICE]", "Let two accounts of the house trade",
       "svc local trade ETH-USDX-PERP 1  # a print at the mark price\n"
       "svc local trade ETH-USDX-PERP 1 @ 3001  # or at another",
       operation<control::StageTrade>({.columns = staged_columns}),
       calls(make_trade, {{"MARKET", "market"},
                          {"SIZE", "base units"},
                          {"@", "where: @ 60100 (default: the mark price)"},
                          {.names = "--price", .doc = "same as @ PRICE", .value = "PRICE", .is_decimal = true},
                          {"--side", "what the taker does (default buy)", {}, trade::side_lower_texts}})},
      {"local fill", "ORDER_ID", "Let somebody take an order that rests",
       "svc local fill $ORDER  # somebody takes an order that rests",
       operation<control::FillOrder>(
           {.arguments = {positional<&FillTerms::order_id>("ORDER_ID", "an order that rests, anybody's", read_order_id),
                          flag<&FillTerms::quantity>("--size", "SIZE", "so much of it (default: all that is left)")},
            .columns = staged_columns,
            .finish = show_staged})},
      {"local liquidate", "ADDR", "Move the mark price to where an account is liquidated",
       "svc local liquidate $HOLDER  # to the price at which an account is liquidated",
       operation<control::Liquidate>({.arguments = distress, .columns = staged_columns, .finish = show_staged})},
      {"local adl", "ADDR", "Empty the book and move the mark price to where an account is deleveraged",
       "svc local adl $HOLDER  # or deleveraged",
       operation<control::Deleverage>({.arguments = distress, .columns = staged_columns, .finish = show_staged})},
      {"local reset", "", "Make everything as it was at the start",
       "svc local reset --keep-markets  # begin anew, at the prices of now",
       operation<control::Reset>(
           {.arguments = {flag<&control::ResetTerms::keep_prices>("--keep-markets", "", "markets keep their prices")},
            .columns = columns<control::Restored>("now@now_ms sequence")})},
  };
}

}  // namespace svc::cli
