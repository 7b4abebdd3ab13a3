// account show, summary; positions list
#include <array>

#include "api/contract/account.h"
#include "api/contract/funds.h"
#include "api/contract/markets.h"
#include "api/contract/positions.h"
#include "base/decimal_arithmetic.h"
#include "cli/commands/chart_flags.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_terms.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/qr_code.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

View account_view() {
  return {{{"account", "account"},
           {"balance", "balance"},
           {"equity", "equity"},
           {"margin_used", "margin_used"},
           {"free", "available_margin"}},
          Layout::rows};
}

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

class ShowAccount final : public ReadCommand {
 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::GetAccount>(); }
  Answer render(Context& context, Reply reply) override {
    Answer answer = answer_of(std::move(reply), account_view());
    // The record does not repeat whose it is, and a key from the environment may not tell either.
    if (!context.facts().account) {
      auto exchange = Exchange::open(context);
      const auto target = exchange ? exchange->call(call_of<api::ops::GetDepositTarget>())
                                   : Result<Reply, Stop>(unexpected(Stop(exchange.error())));
      const auto account = target ? parse_address(target->body.string_at("account").value_or("")) : std::nullopt;
      if (account) context.facts().account = to_string(*account);
    }
    answer.rows = answer.data;
    answer.rows->set("account", context.facts().account);
    answer.rows->set("margin_used", margin_of(answer.data.find("positions")));
    return answer;
  }
};

View summary_view() {
  return {{{"equity", "total_equity"},
           {"collateral", "collateral"},
           {"upnl", "total_unrealized_pnl"},
           {"margin_used", "margin_used"},
           {"free", "available_margin"},
           {"withdrawable", "withdrawable"},
           {"positions", "open_positions_count"},
           {"orders", "open_orders_count"},
           {"pnl_24h", "total_realized_pnl_24h"},
           {"volume_24h_usdx", "total_volume_24h"}},
          Layout::sheet};
}

View positions_view() {
  using enum Column::Need;
  return {{{"market", "market_id"},
           {"side", "side"},
           {"size", "size"},
           {"entry", "entry_price"},
           {"mark", "mark_price"},
           {"liq", "liquidation_price"},
           {"upnl", "unrealized_pnl"},
           {"margin", "", margin_behind, if_it_fits},
           {"mode", "margin_mode", nullptr, if_it_fits},
           {"leverage", "leverage", nullptr, if_it_fits},
           {"roe", "roe", nullptr, if_it_fits}},
          Layout::rows};
}

// The record of a position tells everything at mark but the mark itself.
class ListPositions final : public Command {
 public:
  void declare(Arguments& arguments) override { flags_.declare(arguments, keys_, Comes::whole); }
  Result<Answer, Stop> run(Context& context) override {
    std::optional<Json> markets;  // read with the first row
    const auto with_mark = [&](const Json& position) {
      Json row = position;
      if (!shows_columns(context)) return row;
      if (!markets) markets = read_for_column<api::ops::ListMarketSummaries>(context);
      for (const Json& market : markets->items()) {
        const Json* mark = market.find("engine_mark_price");
        if (mark != nullptr && market.string_at("market_id") == row.string_at("market_id")) row.set("mark_price", *mark);
      }
      return row;
    };
    return read_whole(
        context, flags_, keys_, [](const RowFilter&) { return call_of<api::ops::ListPositions>(); }, Sent::nothing,
        positions_view(), with_mark);
  }

 private:
  static constexpr RowKeys keys_{"market_id", ""};
  ListFlags flags_;
};

constexpr std::array account_rows{
    CommandRow{"positions list", "", "List open positions", make<ListPositions>, 1, Repeats::yes},
    CommandRow{"account show", "", "Show balance, equity and free margin", make<ShowAccount>, 1, Repeats::yes},
    CommandRow{"account summary", "", "Show the portfolio summary",
               make<PlainRead<api::ops::GetAccountSummary, summary_view>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> account_commands() {
  return account_rows;
}

// account state, activity, fees, referrals, equity-history, portfolio-history, funding-snapshot,
// adl-history, deposit-target; positions closed, pnl; funding payments

namespace {

using namespace std::string_view_literals;

std::string row_time(const Json& row) {
  return time_at(row, "timestamp");
}

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

View state_view() {
  return {{{"equity", "summary.total_equity"},
           {"collateral", "summary.collateral"},
           {"upnl", "summary.total_unrealized_pnl"},
           {"margin_used", "summary.margin_used"},
           {"free", "summary.available_margin"},
           {"withdrawable", "summary.withdrawable"},
           {"open_positions", "summary.open_positions_count"},
           {"open_orders", "summary.open_orders_count"},
           {"positions", "positions"},
           {"settings", "", settings_text}},
          Layout::sheet};
}

View activity_view() {
  return {{{"time", "", row_time},
           {"kind", "cause"},
           {"market", "market_id"},
           {"amount", "amount"},
           {"ref", "reference"},
           {"id", "id"}},
          Layout::rows};
}
RowKeys activity_keys() {
  return {"market_id", "timestamp"};
}

View fees_view() {
  return {{{"market", "market_id"}, {"maker_bps", "maker_fee_bps"}, {"taker_bps", "taker_fee_bps"}}, Layout::rows};
}
const char* market_rows() {
  return "markets";
}

View referrals_view() {
  return {{{"code", "code"}, {"referred", "referred_count"}}, Layout::rows};
}

View equity_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "timestamp_ms"); }}, {"equity", "equity"}},
          Layout::rows};
}
RowKeys equity_keys() {
  return {"", "timestamp_ms", RowKeys::Runs::oldest_first};
}

class ListEquity final : public Command {
 public:
  void declare(Arguments& arguments) override {
    flags_.declare(arguments, equity_keys());
    charts_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto answer = read_pages(context, flags_, equity_keys(), pages_of<api::ops::ListEquityHistory>(), equity_view());
    if (answer) charts_.draw(context, *answer, "equity", points_of(answer->data, "timestamp_ms", "equity"));
    return answer;
  }

 private:
  ListFlags flags_;
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

View portfolio_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "timestamp_ms"); }},
           {"equity", "equity"},
           {"pnl", "pnl"},
           {"deposits", "", deposits_of},
           {"volume_usdx", "volume"}},
          Layout::rows};
}

class ShowPortfolio final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--window", window_, window_words,
                     "span, which decides the cadence (default: day, or the shortest that reaches back to --since)");
    flags_.declare(arguments, keys_, Comes::whole);
    charts_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto cut = SVC_TRY(RowCut::of(context, flags_, keys_));
    auto exchange = SVC_TRY(Exchange::open(context));
    cut.set_clock(context, exchange);
    const auto since_ms = cut.filter().since_ms;
    const auto window =
        since_ms ? reaching_back(server_now_ms(context, exchange) - *since_ms) : api::PortfolioWindow::day;
    auto reply =
        SVC_TRY(exchange.call(call_of<api::ops::GetPortfolioHistory>({.window = chosen_window().value_or(window)})));
    Answer answer = answer_of(std::move(reply), portfolio_view());
    Answer points{.data = Json::array(), .view = portfolio_view()};
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

  static constexpr RowKeys keys_{"", "timestamp_ms", RowKeys::Runs::oldest_first};
  static constexpr std::int64_t month_ms = 30 * day_ms;

  std::optional<std::string> window_;
  ListFlags flags_;
  ChartFlags charts_;
};

View funding_snapshot_view() {
  return {{{"market", "market_id"},
           {"rate", "funding_rate"},
           {"position", "position_size"},
           {"next_payment", "next_payment"},
           {"index", "index_price"},
           {"paid", "funding_paid"},
           {"status", "status"}},
          Layout::rows};
}

// Of the own account, or of any address (API: the history is public to those who may read accounts).
class ListAccountAdl final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", address_, "account (default: the own)");
    flags_.declare(arguments, keys_);
  }
  Result<Answer, Stop> run(Context& context) override {
    std::optional<Address> account = context.globals().account;
    if (address_) {
      account = parse_address(*address_);
      if (!account)
        return unexpected(Stop(usage_error("\"" + *address_ + "\" is not an address: 0x and 40 hex digits")));
    }
    if (!account) {
      auto own = SVC_TRY(own_account(context));
      account = own;
    }
    return read_pages(context, flags_, keys_, pages_of<api::ops::ListAccountAdl>({.address = *account}),
                      adl_events_view());
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

  static constexpr RowKeys keys_{"market_id", "timestamp"};
  std::optional<std::string> address_;
  ListFlags flags_;
};

View deposit_target_view() {
  return {{{"mode", "mode"},
           {"account", "account"},
           {"chain", "chain"},
           {"asset", "asset"},
           {"address", "address"},
           {"min", "min_amount"},
           {"amount", "amount"},
           {"cooldown_secs", "cooldown_secs"},
           {"confirm", "confirm"}},
          Layout::sheet};
}

View closed_positions_view() {
  return {{{"closed_at", "", [](const Json& row) { return time_at(row, "closed_at_ms"); }},
           {"market", "market_id"},
           {"side", "side"},
           {"size", "size"},
           {"entry", "entry_price"},
           {"exit", "exit_price"},
           {"pnl", "realized_pnl"}},
          Layout::rows};
}
RowKeys closed_keys() {
  return {"market_id", "closed_at_ms"};
}

View pnl_view() {
  return {{{"market", "market_id"},
           {"side", "side"},
           {"size", "size"},
           {"price_pnl", "price_pnl"},
           {"funding", "funding_pnl"},
           {"fees", "fee_pnl"},
           {"total", "total_pnl"}},
          Layout::rows};
}

RowKeys pnl_keys() {
  return {"market_id", ""};
}

View funding_payments_view() {
  return {{{"time", "", row_time},
           {"market", "market_id"},
           {"rate", "funding_rate"},
           {"position", "position_size"},
           {"amount", "amount"},
           {"direction", "direction"}},
          Layout::rows};
}
RowKeys funding_keys() {
  return {"market_id", "timestamp"};
}

class ShowDepositTarget final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--qr", qr_, "the address as a QR code as well, to be read from the screen");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetDepositTarget>()));
    Answer answer = answer_of(std::move(reply), deposit_target_view());
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

constexpr std::array account_history_rows{
    CommandRow{"account state", "", "Show summary and positions of one instant",
               make<PlainRead<api::ops::GetAccountState, state_view>>, 1, Repeats::yes},
    CommandRow{"account activity", "", "List what moved the collateral, newest first",
               make<ListCommand<api::ops::ListAccountActivity, activity_view, activity_keys>>, 1, Repeats::yes},
    CommandRow{"account fees", "", "Show the fee schedule by market",
               make<MarketFiltered<api::ops::GetAccountFees, fees_view, market_rows>>, 1, Repeats::yes},
    CommandRow{"account referrals", "", "Show the referral code and its count",
               make<PlainRead<api::ops::GetAccountReferrals, referrals_view>>, 1, Repeats::yes},
    CommandRow{"account equity-history", "", "List equity every 5 seconds, oldest first", make<ListEquity>, 1,
               Repeats::yes},
    CommandRow{"account portfolio-history", "", "Show equity, profit and volume over a window", make<ShowPortfolio>, 1,
               Repeats::yes},
    CommandRow{"account funding-snapshot", "", "Show what the next funding would move",
               make<MarketFiltered<api::ops::GetFundingSnapshot, funding_snapshot_view, market_rows>>, 1, Repeats::yes},
    CommandRow{"account adl-history", "[ADDR]", "List auto-deleveraging events of an account", make<ListAccountAdl>, 1,
               Repeats::yes},
    CommandRow{"account deposit-target", "", "Show how the account is funded", make<ShowDepositTarget>, 1,
               Repeats::yes},
    CommandRow{"positions closed", "", "List closed positions, newest first",
               make<ListCommand<api::ops::ListClosedPositions, closed_positions_view, closed_keys>>, 1, Repeats::yes},
    CommandRow{"positions pnl", "", "Split the profit of open positions by cause",
               make<WholeList<api::ops::ListPositionPnl, pnl_view, pnl_keys>>, 1, Repeats::yes},
    CommandRow{"funding payments", "", "List own funding payments, newest first",
               make<ListCommand<api::ops::ListFunding, funding_payments_view, funding_keys>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> account_history_commands() {
  return account_history_rows;
}

}  // namespace svc::cli
