// account show, summary; positions list
#include <array>

#include "api/contract/account.h"
#include "api/contract/funds.h"
#include "api/contract/markets.h"
#include "api/contract/positions.h"
#include "base/decimal.h"
#include "cli/commands/chart_flags.h"
#include "cli/commands/operation_command.h"
#include "cli/terminal/qr_code.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// The sum over the positions; nullopt if one of them tells none.
std::optional<std::string> margin_of(const Json* positions) {
  if (positions == nullptr || !positions->is(Json::Kind::array)) return std::nullopt;
  Decimal sum{};
  for (const Json& position : positions->items()) {
    const auto margin = parse_decimal(position.string_at("margin_used").value_or(""));
    const auto more = margin ? plus(sum, *margin) : std::nullopt;
    if (!more) return std::nullopt;
    sum = *more;
  }
  return format_decimal(sum);
}

// The record does not repeat whose it is, and a key from the environment may not tell either.
void add_account(Context& context, Answer& answer) {
  if (!context.facts().account) {
    const Json target = read_for_column<api::ops::GetDepositTarget>(context);
    if (const auto account = parse_address(target.string_at("account").value_or("")))
      context.facts().account = to_string(*account);
  }
  answer.rows = answer.data;
  answer.rows->set("account", context.facts().account);
  answer.rows->set("margin_used", margin_of(answer.data.find("positions")));
}

// The record of a position tells everything at mark but the mark itself.
void add_marks(Context& context, Answer& answer) {
  if (!shows_columns(context) || answer.data.items().empty()) return;
  const Json markets = read_for_column<api::ops::ListMarketSummaries>(context);
  answer.rows = Json::array();
  for (Json row : answer.data.items()) {
    for (const Json& market : markets.items()) {
      const Json* mark = market.find("engine_mark_price");
      if (mark != nullptr && market.string_at("market_id") == row.string_at("market_id")) row.set("mark_price", *mark);
    }
    answer.rows->push(std::move(row));
  }
}

}  // namespace

std::span<const CommandRow> account_commands() {
  using api::AccountPortfolioSummary, api::AccountSummary, api::Position;
  using enum Column::Need;
  static const CommandRow rows[]{
      {"positions list", "", "List open positions",
       operation<api::ops::ListPositions>(
           {.columns = {column<&Position::market_id>("market"), column<&Position::side>(), column<&Position::size>(),
                        column<&Position::entry_price>("entry"), placed("mark", "mark_price"),
                        column<&Position::liquidation_price>("liq"), column<&Position::unrealized_pnl>("upnl"),
                        computed("margin", margin_behind, if_it_fits),
                        column<&Position::margin_mode>("mode", if_it_fits),
                        column<&Position::leverage>("leverage", if_it_fits), column<&Position::roe>("roe", if_it_fits)},
            .list = {{.market = "market_id", .comes = Comes::whole}},
            .finish = add_marks})},
      {"account show", "", "Show balance, equity and free margin",
       operation<api::ops::GetAccount>(
           {.columns = {added("account"), column<&AccountSummary::balance>(), column<&AccountSummary::equity>(),
                        added("margin_used"), column<&AccountSummary::available_margin>("free")},
            .finish = add_account})},
      {"account summary", "", "Show the portfolio summary",
       operation<api::ops::GetAccountSummary>(
           {.columns = {column<&AccountPortfolioSummary::total_equity>("equity"),
                        column<&AccountPortfolioSummary::collateral>(),
                        column<&AccountPortfolioSummary::total_unrealized_pnl>("upnl"),
                        column<&AccountPortfolioSummary::margin_used>(),
                        column<&AccountPortfolioSummary::available_margin>("free"),
                        column<&AccountPortfolioSummary::withdrawable>(),
                        column<&AccountPortfolioSummary::open_positions_count>("positions"),
                        column<&AccountPortfolioSummary::open_orders_count>("orders"),
                        column<&AccountPortfolioSummary::total_realized_pnl_24h>("pnl_24h"),
                        column<&AccountPortfolioSummary::total_volume_24h>("volume_24h_usdx")},
            .layout = Layout::sheet})},
  };
  return rows;
}

// account state, activity, fees, referrals, equity-history, portfolio-history, funding-snapshot,
// adl-history, deposit-target; positions closed, pnl; funding payments

namespace {

using namespace std::string_view_literals;

// "BTC-USDX-PERP cross 10x, ETH-USDX-PERP isolated 25x"
std::string settings_text(const Json& state) {
  const Json* settings = state.find("market_settings");
  std::string text;
  for (std::size_t i = 0; settings != nullptr && i < settings->items().size(); ++i) {
    const Json& one = settings->items()[i];
    text += (i == 0 ? "" : ", ") + cell_text(one.find("market_id")) + " " + cell_text(one.find("margin_mode")) + " " +
            cell_text(one.find("leverage")) + "x";
  }
  return text;
}

class ListEquity final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    OperationCommand::declare(arguments);
    charts_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto answer = OperationCommand::run(context);
    if (answer) charts_.draw(context, *answer, "equity", points_of(answer->data, "timestamp_ms", "equity"));
    return answer;
  }

 private:
  ChartFlags charts_;
};

constexpr std::array window_words{"day"sv, "week"sv, "month"sv, "all"sv};

// What came in less what went out: the profit is told without it.
std::string deposits_of(const Json& point) {
  const auto equity = parse_decimal(point.string_at("equity").value_or(""));
  const auto pnl = parse_decimal(point.string_at("pnl").value_or(""));
  const auto deposits = equity && pnl ? plus(*equity, {-pnl->coefficient, pnl->scale}) : std::nullopt;
  return deposits ? format_decimal(*deposits) : std::string();
}

class ShowPortfolio final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.choice("--window", window_, window_words,
                     "span, which decides the cadence (default: day, or the shortest that reaches back to --since)");
    OperationCommand::declare(arguments);
    charts_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto cut = SVC_TRY(RowCut::of(context, flags_, *terms_.list));
    auto exchange = SVC_TRY(Exchange::open(context));
    cut.set_clock(context, exchange);
    const auto since_ms = cut.filter().since_ms;
    const auto window =
        since_ms ? reaching_back(server_now_ms(context, exchange) - *since_ms) : api::PortfolioWindow::day;
    auto reply =
        SVC_TRY(exchange.call(call_of<api::ops::GetPortfolioHistory>({.window = chosen_window().value_or(window)})));
    Answer answer = answer_of(std::move(reply), view());
    Answer points{.data = Json::array(), .view = view()};
    if (const Json* all = answer.data.find("points")) {
      for (const Json& point : all->items())
        if (cut.holds(point)) points.data.push(point);
    }
    if (cut.filter().by_time()) say_filtered_here(context);
    // The present closes the rows; the record has it beside its points.
    answer.rows = points.data;
    const Json* now = answer.data.find("now");
    if (now != nullptr && now->is(Json::Kind::object) && cut.holds(*now)) answer.rows->push(*now);
    cut.finish(points);
    cut.finish(answer);
    answer.data.set("points", std::move(points.data));
    charts_.draw(context, answer, "equity", points_of(*answer.rows, "timestamp_ms", "equity"));
    return answer;
  }

 private:
  [[nodiscard]] std::optional<api::PortfolioWindow> chosen_window() const {
    for (std::size_t i = 0; window_ && i < window_words.size(); ++i)
      if (window_words[i] == *window_) return static_cast<api::PortfolioWindow>(i);
    return std::nullopt;
  }
  [[nodiscard]] static api::PortfolioWindow reaching_back(std::int64_t back_ms) {
    if (back_ms <= day_ms) return api::PortfolioWindow::day;
    if (back_ms <= 7 * day_ms) return api::PortfolioWindow::week;
    return back_ms <= month_ms ? api::PortfolioWindow::month : api::PortfolioWindow::all;
  }

  static constexpr std::int64_t month_ms = 30 * day_ms;

  std::optional<std::string> window_;
  ChartFlags charts_;
};

// Of the own account, or of any address (API: the history is public to those who may read accounts).
class ListAccountAdl final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account (default: the own)");
    OperationCommand::declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    std::optional<Address> account = context.globals().account;
    if (address_) {
      account = parse_address(SVC_TRY(read_address("ADDR", *address_)));
    }
    if (!account) {
      auto own = SVC_TRY(own_account(context));
      account = own;
    }
    return read_pages(context, flags_, *terms_.list, pages_of<api::ops::ListAccountAdl>({.address = *account}), view());
  }

 private:
  // Whose credential the next call would use.
  static Result<Address, Stop> own_account(Context& context) {
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = exchange.call(call_of<api::ops::GetRateLimit>());  // costs nothing
    if (!reply) return unexpected(reply.error());
    const auto known = context.facts().account ? parse_address(*context.facts().account) : std::nullopt;
    if (!known) return unexpected(Stop(usage_error("the credential does not say whose account it is: name the ADDR")));
    return *known;
  }

  std::optional<std::string> address_;
};

class ShowDepositTarget final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.flag("--qr", qr_, "the address as a QR code as well, to be read from the screen");
  }
  Result<Answer, Stop> run(Context& context) override {
    Answer answer = SVC_TRY(OperationCommand::run(context));
    if (!qr_) return answer;
    const auto address = answer.data.string_at("address");
    if (!address) {
      return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                     .code = "no_deposit_address",
                                     .message = "accounts are funded in another way here: mode " +
                                                std::string(answer.data.string_at("mode").value_or("unknown"))}));
    }
    auto code =
        SVC_TRY(qr_code(std::string(*address), context.presentation().utf8 ? QrGlyphs::half_blocks : QrGlyphs::ascii));
    // Whoever reads the code sees what it says, and what to look at before sending.
    answer.text =
        std::move(code) + escaped(*address) + "\n" + escaped(answer.data.string_at("confirm").value_or("")) + "\n";
    return answer;
  }

 private:
  bool qr_ = false;
};

}  // namespace

std::span<const CommandRow> account_history_commands() {
  using api::AccountFunding, api::ActivityRow, api::ClosedPosition, api::DepositTarget, api::EquityPoint,
      api::MarketFees, api::MarketFundingSnapshot, api::PortfolioPoint, api::PositionPnl;
  static const CommandRow rows[]{
      {"account state", "", "Show summary and positions of one instant",
       operation<api::ops::GetAccountState>(
           {.columns = {placed("equity", "summary.total_equity"), placed("collateral", "summary.collateral"),
                        placed("upnl", "summary.total_unrealized_pnl"), placed("margin_used", "summary.margin_used"),
                        placed("free", "summary.available_margin"), placed("withdrawable", "summary.withdrawable"),
                        placed("open_positions", "summary.open_positions_count"),
                        placed("open_orders", "summary.open_orders_count"), column<&api::AccountState::positions>(),
                        computed("settings", settings_text)},
            .layout = Layout::sheet})},
      {"account activity", "", "List what moved the collateral, newest first",
       operation<api::ops::ListAccountActivity>(
           {.columns = {time_column<&ActivityRow::timestamp>("time"), column<&ActivityRow::cause>("kind"),
                        column<&ActivityRow::market_id>("market"), column<&ActivityRow::amount>(),
                        column<&ActivityRow::reference>("ref"), column<&ActivityRow::id>()},
            .list = {{"market_id", "timestamp"}}})},
      {"account fees", "", "Show the fee schedule by market",
       operation<api::ops::GetAccountFees>(
           {.arguments = {flag<&api::FeesRequest::market_id>("--market", "MARKET", "only this market")},
            .columns = {column<&MarketFees::market_id>("market"), column<&MarketFees::maker_fee_bps>("maker_bps"),
                        column<&MarketFees::taker_fee_bps>("taker_bps")},
            .rows = wire_name_of<&api::AccountFees::markets>})},
      {"account referrals", "", "Show the referral code and its count",
       operation<api::ops::GetAccountReferrals>(
           {.columns = {column<&api::AccountReferrals::code>(),
                        column<&api::AccountReferrals::referred_count>("referred")}})},
      {"account equity-history", "", "List equity every 5 seconds, oldest first",
       operation<api::ops::ListEquityHistory, ListEquity>(
           {.columns = {time_column<&EquityPoint::timestamp_ms>("time"), column<&EquityPoint::equity>()},
            .list = {{"", "timestamp_ms", RowKeys::Runs::oldest_first}}})},
      {"account portfolio-history", "", "Show equity, profit and volume over a window",
       operation<api::ops::GetPortfolioHistory, ShowPortfolio>(
           {.columns = {time_column<&PortfolioPoint::timestamp_ms>("time"), column<&PortfolioPoint::equity>(),
                        column<&PortfolioPoint::pnl>(), computed("deposits", deposits_of),
                        column<&PortfolioPoint::volume>("volume_usdx")},
            .rows = wire_name_of<&api::PortfolioHistory::points>,
            .list = {{"", "timestamp_ms", RowKeys::Runs::oldest_first, Comes::whole}}})},
      {"account funding-snapshot", "", "Show what the next funding would move",
       operation<api::ops::GetFundingSnapshot>(
           {.arguments = {flag<&api::FundingSnapshotRequest::market_id>("--market", "MARKET", "only this market")},
            .columns = {column<&MarketFundingSnapshot::market_id>("market"),
                        column<&MarketFundingSnapshot::funding_rate>("rate"),
                        column<&MarketFundingSnapshot::position_size>("position"),
                        column<&MarketFundingSnapshot::next_payment>(),
                        column<&MarketFundingSnapshot::index_price>("index"),
                        column<&MarketFundingSnapshot::funding_paid>("paid"), column<&MarketFundingSnapshot::status>()},
            .rows = wire_name_of<&api::FundingSnapshot::markets>})},
      {"account adl-history", "[ADDR]", "List auto-deleveraging events of an account",
       operation<api::ops::ListAccountAdl, ListAccountAdl>(
           {.columns = adl_event_columns(), .list = {{"market_id", "timestamp"}}})},
      {"account deposit-target", "", "Show how the account is funded",
       operation<api::ops::GetDepositTarget, ShowDepositTarget>(
           {.columns = {column<&DepositTarget::mode>(), column<&DepositTarget::account>(),
                        column<&DepositTarget::chain>(), column<&DepositTarget::asset>(),
                        column<&DepositTarget::address>(), column<&DepositTarget::min_amount>("min"),
                        column<&DepositTarget::amount>(), column<&DepositTarget::cooldown_secs>(),
                        column<&DepositTarget::confirm>()},
            .layout = Layout::sheet})},
      {"positions closed", "", "List closed positions, newest first",
       operation<api::ops::ListClosedPositions>(
           {.columns = {time_column<&ClosedPosition::closed_at_ms>("closed_at"),
                        column<&ClosedPosition::market_id>("market"), column<&ClosedPosition::side>(),
                        column<&ClosedPosition::size>(), column<&ClosedPosition::entry_price>("entry"),
                        column<&ClosedPosition::exit_price>("exit"), column<&ClosedPosition::realized_pnl>("pnl")},
            .list = {{"market_id", "closed_at_ms"}}})},
      {"positions pnl", "", "Split the profit of open positions by cause",
       operation<api::ops::ListPositionPnl>(
           {.columns = {column<&PositionPnl::market_id>("market"), column<&PositionPnl::side>(),
                        column<&PositionPnl::size>(), column<&PositionPnl::price_pnl>(),
                        column<&PositionPnl::funding_pnl>("funding"), column<&PositionPnl::fee_pnl>("fees"),
                        column<&PositionPnl::total_pnl>("total")},
            .list = {{.market = "market_id", .comes = Comes::whole}}})},
      {"funding payments", "", "List own funding payments, newest first",
       operation<api::ops::ListFunding>(
           {.columns = {time_column<&AccountFunding::timestamp>("time"), column<&AccountFunding::market_id>("market"),
                        column<&AccountFunding::funding_rate>("rate"),
                        column<&AccountFunding::position_size>("position"), column<&AccountFunding::amount>(),
                        column<&AccountFunding::direction>()},
            .list = {{"market_id", "timestamp"}}})},
  };
  return rows;
}

}  // namespace svc::cli
