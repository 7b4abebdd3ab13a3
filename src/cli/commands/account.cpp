// account show, summary, state, activity, fees, referrals, equity-history, portfolio-history, funding-snapshot,
// adl-history, deposit-target, cancel-on-disconnect; positions list, closed, pnl; funding payments; margin

#include "api/contract/account.h"
#include "api/contract/funds.h"
#include "api/contract/margin.h"
#include "api/contract/markets.h"
#include "api/contract/positions.h"
#include "cli/client/account_lookup.h"
#include "cli/commands/operation_command.h"
#include "cli/terminal/qr_code.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// The sum over the positions; nullopt if it is not known of one of them.
std::optional<std::string> margin_of(const Json* positions) {
  if (positions == nullptr || !positions->is(Json::Kind::array)) return std::nullopt;
  Decimal sum{};
  for (const Json& position : positions->items()) {
    const auto margin = position.decimal_at("margin_used");
    const auto more = margin ? plus(sum, *margin) : std::nullopt;
    if (!more) return std::nullopt;
    sum = *more;
  }
  return format_decimal(sum);
}

// The record does not name its account, and a key from the environment may not either.
void add_account(Context& context, Answer& answer) {
  if (!context.facts().account) {
    const Json target = read_for_column<api::ops::GetDepositTarget>(context);
    if (const auto account = target.address_at("account")) context.facts().account = to_string(*account);
  }
  answer.rows = answer.data;
  answer.rows->set("account", context.facts().account);
  answer.rows->set("margin_used", margin_of(answer.data.find("positions")));
}

// The record of a position has no mark price.
void add_marks(Context& context, Answer& answer) {
  if (!shows_columns(context) || answer.data.items().empty()) return;
  const Json markets = read_for_column<api::ops::ListMarketSummaries>(context);
  answer.rows = Json::list(answer.data.items(), [&](Json row) {
    const Json* market = outbox::find_row(markets, "market_id", row.text_at("market_id"));
    return row.set("mark_price", market == nullptr ? Json() : market->value_at("engine_mark_price"));
  });
}

// "BTC-USDX-PERP cross 10x, ETH-USDX-PERP isolated 25x"
std::string settings_text(const Json& state) {
  return joined(state.items_at("market_settings"), [](const Json& one) {
    return cell_text(one.find("market_id")) + " " + cell_text(one.find("margin_mode")) + " " +
           cell_text(one.find("leverage")) + "x";
  });
}

// "BTC-USDX-PERP Long 0.01 @ 60005, ETH-USDX-PERP Short 1 @ 3000"
std::string positions_text(const Json& state) {
  return joined(state.items_at("positions"), [](const Json& one) {
    return cell_text(one.find("market_id")) + " " + cell_text(one.find("side")) + " " + cell_text(one.find("size")) +
           " @ " + cell_text(one.find("entry_price"));
  });
}

std::vector<ChartPoint> equity_points(const Json& points) {
  return points_of(points, "timestamp_ms", "equity");
}

// Deposits less withdrawals: the profit does not contain them.
std::string deposits_of(const Json& point) {
  const auto equity = point.decimal_at("equity");
  const auto pnl = point.decimal_at("pnl");
  const auto deposits = equity && pnl ? plus(*equity, {-pnl->coefficient, pnl->scale}) : std::nullopt;
  return deposits ? format_decimal(*deposits) : std::string();
}

api::PortfolioWindow window_reaching_back(std::int64_t back_ms) {
  if (back_ms <= day_ms) return api::PortfolioWindow::day;
  if (back_ms <= 7 * day_ms) return api::PortfolioWindow::week;
  return back_ms <= 30 * day_ms ? api::PortfolioWindow::month : api::PortfolioWindow::all;
}

Result<Answer> show_portfolio(Context& context, const OperationCommand& command) {
  auto [exchange, cut] = SVC_TRY(command.open_list(context));
  auto wanted = SVC_TRY(command.asked<api::PortfolioHistoryRequest>(context));
  const auto since_ms = cut.filter().since_ms;
  if (since_ms && !SVC_TRY(command.given(context)).contains("--window"))
    wanted.window = window_reaching_back(server_now_ms(context, exchange) - *since_ms);
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetPortfolioHistory>(wanted)));
  Answer answer = answer_of(std::move(reply), command.view());
  Answer points{.data = Json::array(), .view = command.view()};
  for (const Json& point : answer.data.items_at("points"))
    if (cut.holds(point)) points.data.push(point);
  if (cut.filter().by_time()) say_filtered_here(context);
  // The present is the last row; the record has it beside its points.
  answer.rows = points.data;
  const Json* now = answer.data.find("now");
  if (now != nullptr && now->is(Json::Kind::object) && cut.holds(*now)) answer.rows->push(*now);
  cut.finish(points);
  cut.finish(answer);
  answer.data.set("points", std::move(points.data));
  return answer;
}

// Whose credential the next call would use.
Result<Address> own_account(Context& context) {
  auto exchange = SVC_TRY(Exchange::open(context));
  SVC_TRY(exchange.call(call_of<api::ops::GetRateLimit>()));  // costs nothing
  const auto known = context.facts().account ? parse_address(*context.facts().account) : std::nullopt;
  if (!known) return usage_error("the credential does not say whose account it is: name the ADDR");
  return *known;
}

// Of any address (API: the history is public to those who may read accounts); the own one if none is typed.
Result<Answer> list_account_adl(Context& context, const OperationCommand& command) {
  auto wanted = SVC_TRY(command.asked<api::AccountAdlRequest>(context));
  if (!SVC_TRY(command.given(context)).contains("ADDR")) {
    const auto& account = context.globals().account;
    wanted.address = account ? *account : SVC_TRY(own_account(context));
  }
  return command.read(context, pages_of<api::ops::ListAccountAdl>(wanted), {});
}

// Whoever scans the code also reads what it says, and what to check before sending.
Result<void> show_qr_code(Context& context, Answer& answer, const Given& given) {
  if (!given.contains("--qr")) return {};
  const auto address = answer.data.string_at("address");
  if (!address) {
    return absent("no_deposit_address", "accounts are funded in another way here: mode ",
                  text_in(answer.data, "mode", "unknown"));
  }
  const QrGlyphs glyphs = context.presentation().utf8 ? QrGlyphs::half_blocks : QrGlyphs::ascii;
  const auto code = SVC_TRY(qr_code(std::string(*address), glyphs));
  answer.text = code + escaped(*address) + "\n" + escaped(answer.data.text_at("confirm")) + "\n";
  return {};
}

Result<std::string> read_mode(std::string_view, const std::string& typed) {
  if (const auto mode = trade::parse<trade::MarginMode>(typed)) return std::string(to_string(*mode));
  return usage_error("MODE must be cross or isolated, not \"", typed, "\"");
}

// "10x" as well.
Result<std::string> read_leverage(std::string_view, const std::string& typed) {
  std::string_view digits = typed;
  if (digits.ends_with('x') || digits.ends_with('X')) digits.remove_suffix(1);
  const auto value = parse_integer<std::uint32_t>(digits);
  if (value && *value > 0) return std::to_string(*value);
  return usage_error("X must be a whole number from 1, such as 10, not \"", typed, "\"");
}

// The answer names neither direction nor amount.
Result<void> show_asked(Context&, Answer& answer, const Given& given) {
  answer.rows = answer.data;
  answer.rows->set("direction", given.at("direction")).set("amount", given.at("AMOUNT"));
  return {};
}

// Sets something of a market; a column shows the setting before.
template <std::optional<std::string> MarketSettingTexts::*setting>
Result<Answer> change_setting(Context& context, const OperationCommand& command) {
  const auto wanted = SVC_TRY(command.call(context));
  const auto typed = SVC_TRY(command.given(context));
  auto exchange = SVC_TRY(Exchange::open(context));
  MarketSettingTexts before;
  if (!context.globals().dry_run) before = SVC_TRY(MarketSettings(exchange).of({typed.at("MARKET")}));
  Answer answer = SVC_TRY(command.sent(context, exchange, wanted));
  answer.rows = answer.data;
  answer.rows->set("previous", before.*setting);
  return answer;
}

}  // namespace

std::vector<CommandRow> account_commands() {
  return {
      {"positions list", "", "List open positions", "# open positions",
       operation<api::ops::ListPositions>(
           {.columns = columns<api::Position>(
                "market=market_id! side!! size!! entry=entry_price mark=+mark_price liq=liquidation_price! "
                "upnl=unrealized_pnl! margin()~ mode=margin_mode~ leverage~ roe~",
                {{"margin", margin_behind}}),
            .list = {{.market = "market_id", .comes = Comes::whole}},
            .finish = add_marks})},
      {"account show", "", "Show balance, equity and free margin", "# balance, equity and free margin",
       operation<api::ops::GetAccount>(
           {.columns = columns<api::AccountSummary>("+account balance equity +margin_used free=available_margin"),
            .finish = add_account})},
      {"account summary", "", "Show the portfolio summary", "# the portfolio at a glance",
       operation<api::ops::GetAccountSummary>(
           {.columns = columns<api::AccountPortfolioSummary>(
                "equity=total_equity collateral upnl=total_unrealized_pnl margin_used "
                "free=available_margin withdrawable positions=open_positions_count "
                "orders=open_orders_count pnl_24h=total_realized_pnl_24h "
                "volume_24h_usdx=total_volume_24h"),
            .layout = Layout::sheet})},
  };
}

std::vector<CommandRow> account_more_commands() {
  using Adjust = api::AdjustMarginRequest;
  using Set = api::SetMarginModeRequest;
  using Mode = api::MarginModeStatus;
  const auto adjust = [](std::string_view direction) {
    return operation<api::ops::AdjustMargin>(
        {.arguments = {positional<&Adjust::market_id>("MARKET", "market"),
                       positional<&Adjust::amount>("AMOUNT", "USDX", read_amount),
                       fixed<&Adjust::direction>(direction)},
         .columns = columns<api::AdjustMarginResponse>(
             "market=market_id +direction +amount allocated=allocated_margin collateral"),
         .look_up = "positions list",
         .then = show_asked});
  };
  const auto disconnect_columns = columns<api::CancelOnDisconnectStatus>("enabled active grace_secs");
  const auto disconnect = [&](std::string_view enabled) {
    return operation<api::ops::SetCancelOnDisconnect>(
        {.arguments = {fixed<&api::CancelOnDisconnectRequest::enabled>(enabled), no_field("--timeout-secs")},
         .columns = disconnect_columns,
         .look_up = "account cancel-on-disconnect get"});
  };
  return {
      {"account state", "", "Show summary and positions of one instant",
       "--json  # one coherent read of the summary, positions and settings",
       operation<api::ops::GetAccountState>(
           {.columns = columns<api::AccountState>(
                "equity=summary.total_equity collateral=summary.collateral "
                "upnl=summary.total_unrealized_pnl margin_used=summary.margin_used "
                "free=summary.available_margin withdrawable=summary.withdrawable "
                "open_positions=summary.open_positions_count open_orders=summary.open_orders_count "
                "positions() settings()",
                {{"positions", positions_text}, {"settings", settings_text}}),
            .layout = Layout::sheet})},
      {"account activity", "", "List what moved the collateral, newest first", "# money that came and went",
       operation<api::ops::ListAccountActivity>(
           {.columns =
                columns<api::ActivityRow>("time@timestamp kind=cause! market=market_id amount! ref=reference id"),
            .list = {{"market_id", "timestamp"}}})},
      {"account fees", "", "Show the fee schedule by market", "# what trading costs",
       operation<api::ops::GetAccountFees>(
           {.arguments = {flag<&api::FeesRequest::market_id>("--market", "MARKET", "only this market")},
            .columns = columns<api::MarketFees>("market=market_id maker_bps=maker_fee_bps taker_bps=taker_fee_bps"),
            .rows = wire_name_of<&api::AccountFees::markets>})},
      {"account referrals", "", "Show the referral code and its count", "# who was referred",
       operation<api::ops::GetAccountReferrals>(
           {.columns = columns<api::AccountReferrals>("code referred=referred_count")})},
      {"account equity-history", "", "List equity every 5 seconds, oldest first", "# equity over time",
       operation<api::ops::ListEquityHistory>({.columns = columns<api::EquityPoint>("time@timestamp_ms equity"),
                                               .list = {{"", "timestamp_ms", RowKeys::Runs::oldest_first}},
                                               .chart = {{"equity", equity_points}}})},
      {"account portfolio-history", "", "Show equity, profit and volume over a window", "# the portfolio over time",
       operation<api::ops::GetPortfolioHistory>(
           {.arguments = {flag<&api::PortfolioHistoryRequest::window>(
                "--window", "",
                "span, which decides the cadence (default: day, or the shortest that reaches back to --since)")},
            .columns = columns<api::PortfolioPoint>("time@timestamp_ms equity pnl deposits() volume_usdx=volume",
                                                    {{"deposits", deposits_of}}),
            .rows = wire_name_of<&api::PortfolioHistory::points>,
            .list = {{"", "timestamp_ms", RowKeys::Runs::oldest_first, Comes::whole}},
            .run = show_portfolio,
            .chart = {{"equity", equity_points}}})},
      {"account funding-snapshot", "", "Show what the next funding would move", "# the next funding payments",
       operation<api::ops::GetFundingSnapshot>(
           {.arguments = {flag<&api::FundingSnapshotRequest::market_id>("--market", "MARKET", "only this market")},
            .columns = columns<api::MarketFundingSnapshot>(
                "market=market_id rate=funding_rate position=position_size next_payment "
                "index=index_price paid=funding_paid status"),
            .rows = wire_name_of<&api::FundingSnapshot::markets>})},
      {"account adl-history", "[ADDR]", "List auto-deleveraging events of an account",
       "# times the account was deleveraged",
       operation<api::ops::ListAccountAdl>(
           {.arguments = {maybe<&api::AccountAdlRequest::address>("ADDR", "account (default: the own)")},
            .columns = adl_event_columns(),
            .list = {{"market_id", "timestamp"}},
            .run = list_account_adl})},
      {"account deposit-target", "", "Show how the account is funded", "# where to send money",
       operation<api::ops::GetDepositTarget>(
           {.arguments = {own_flag("--qr", "the address as a QR code as well, to be read from the screen")},
            .columns = columns<api::DepositTarget>(
                "mode account chain asset address min=min_amount amount cooldown_secs confirm"),
            .layout = Layout::sheet,
            .then = show_qr_code})},
      {"positions closed", "", "List closed positions, newest first", "# positions that are done",
       operation<api::ops::ListClosedPositions>(
           {.columns = columns<api::ClosedPosition>(
                "closed_at@closed_at_ms market=market_id! side!! size!! entry=entry_price exit=exit_price "
                "pnl=realized_pnl!"),
            .list = {{"market_id", "closed_at_ms"}}})},
      {"positions pnl", "", "Split the profit of open positions by cause", "# profit and loss by market",
       operation<api::ops::ListPositionPnl>(
           {.columns = columns<api::PositionPnl>(
                "market=market_id! side size! price_pnl funding=funding_pnl fees=fee_pnl total=total_pnl!"),
            .list = {{.market = "market_id", .comes = Comes::whole}}})},
      {"funding payments", "", "List own funding payments, newest first", "# funding paid and received",
       operation<api::ops::ListFunding>(
           {.columns = columns<api::AccountFunding>(
                "time@timestamp market=market_id rate=funding_rate position=position_size amount! "
                "direction!"),
            .list = {{"market_id", "timestamp"}}})},
      {"margin add", "MARKET AMOUNT", "Add margin to an isolated position",
       "BTC-USDX-PERP 10 --dry-run  # what putting 10 USDX aside for a position would send", adjust("add")},
      {"margin remove", "MARKET AMOUNT", "Take margin from an isolated position",
       "BTC-USDX-PERP 10 --dry-run  # what taking them back would send", adjust("remove")},
      {"margin mode get", "[MARKET]", "Show the margin mode, and the leverage of a market",
       "BTC-USDX-PERP  # cross or isolated?",
       operation<api::ops::GetMarginMode>(
           {.arguments = {maybe<&api::GetMarginModeRequest::market_id>("MARKET",
                                                                       "market (default: the account's own mode)")},
            .columns = columns<Mode>("market=market_id mode=margin_mode source leverage")})},
      {"margin mode set", "MARKET cross|isolated", "Set the margin mode of a market",
       "ETH-USDX-PERP isolated  # from now on isolated",
       operation<api::ops::SetMarginMode>(
           {.arguments = {positional<&Set::market_id>("MARKET", "market"),
                          positional<&Set::margin_mode>("MODE", "cross or isolated", read_mode)},
            .columns = columns<Mode>("market=market_id mode=margin_mode +previous"),
            .look_up = "margin mode get MARKET",
            .run = change_setting<&MarketSettingTexts::margin_mode>})},
      {"margin leverage", "MARKET X", "Set the leverage of a market", "BTC-USDX-PERP 5  # from now on five times",
       operation<api::ops::SetLeverage>(
           {.arguments = {positional<&api::LeverageRequest::market_id>("MARKET", "market"),
                          positional<&api::LeverageRequest::leverage>("X", "whole number from 1", read_leverage)},
            .columns = columns<api::LeverageResponse>("market=market_id leverage +previous"),
            .look_up = "margin mode get MARKET",
            .run = change_setting<&MarketSettingTexts::leverage>})},
      {"account cancel-on-disconnect get", "", "Show whether orders are cancelled when the last stream closes",
       "# are orders cancelled when the stream is lost?",
       operation<api::ops::GetCancelOnDisconnect>({.columns = disconnect_columns})},
      {"account cancel-on-disconnect on", "", "Cancel orders when the last stream closes", "# from now on they are",
       disconnect("true")},
      {"account cancel-on-disconnect off", "", "Leave orders when the last stream closes", "# from now on they are not",
       disconnect("false")},
  };
}

}  // namespace svc::cli
