// markets ...

#include "api/contract/markets.h"
#include "api/stream/live_book.h"
#include "cli/client/account_lookup.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/operation_command.h"
#include "cli/commands/output_shape.h"
#include "cli/store/completion_values.h"
#include "cli/terminal/canvas.h"

namespace svc::cli {
namespace {

constexpr MemberArgument one_market = positional<&api::MarketRef::market_id>("MARKET", "market");

// Without --status the state is only a column: a failure to read it is a notice.
Result<Json> read_states(Context& context, Exchange& exchange, bool by_status) {
  auto reply = exchange.read<api::ops::ListMarketSummaries>();
  if (reply) return std::move(*reply);
  const auto* failure = failure_in(reply);
  if (by_status || failure == nullptr) return reply.error();
  context.notice("no_status", "the states of the markets could not be read: " + failure->message);
  return Json();
}

// The list has no states of the markets; the summary has them.
Result<Answer> list_markets(Context& context, const OperationCommand& command) {
  const auto typed = SVC_TRY(command.given(context));
  const auto status = typed.find("--status");
  const bool by_status = status != typed.end();
  auto [exchange, cut] = SVC_TRY(command.open_list(context));
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListMarkets>()));
  if (typed.contains("--refresh"))
    SVC_TRY(keep_for_completion(**context.paths(), exchange.network().name, reply.body, {}, context.now_ms()));
  Json states;
  if (by_status || shows_columns(context)) states = SVC_TRY(read_states(context, exchange, by_status));
  Answer answer{.data = Json::array(), .view = command.view(), .rows = Json::array(), .raw = std::move(reply.raw)};
  MarketSettings settings(exchange);
  for (const Json& market : reply.body.items()) {
    const Json* summary = outbox::find_row(states, "market_id", market.text_at("market_id"));
    const auto state = summary == nullptr ? std::nullopt : summary->string_at("status");
    if (!cut.holds(market) || (by_status && state != std::string_view(status->second))) continue;
    answer.data.push(market);
    Json row = market;
    row.set("status", state);
    if (typed.contains("--mine")) {
      const auto setting = SVC_TRY(settings.of({market.text_at("market_id")}));
      row.set("margin_mode", setting.margin_mode);
      row.set("leverage", setting.leverage);
    }
    answer.rows->push(std::move(row));
  }
  if (!by_status) SVC_TRY(cut.check_market(exchange, answer.data));
  if (by_status || cut.filter().market) say_filtered_here(context);
  cut.finish(answer);
  return answer;
}

// From the newest back to the last known one; at first a few.
Result<std::vector<Json>> trades_after(Exchange& exchange, const PageSource& trades, std::uint64_t few,
                                       const std::optional<Json>& last) {
  std::vector<Json> found;
  PageWalk walk;
  while (found.size() < limits::list_rows_max) {
    const auto first_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(few, trades.rows_max));
    const auto reply =
        SVC_TRY(exchange.call(trades.page({.rows = last ? 200 : first_rows, .cursor = walk.cursor(), .filter = {}})));
    bool known = !last;
    for (const Json& row : reply.body.items()) {
      if (last && row.string_at("id") == last->string_at("id")) {
        known = true;
        break;
      }
      found.push_back(row);
    }
    if (known || !SVC_TRY(walk.go_on(reply))) break;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

Result<Answer> list_trades(Context& context, const OperationCommand& command) {
  const PageSource trades = SVC_TRY(command.pages(context));
  if (!SVC_TRY(command.given(context)).contains("--follow")) return command.read(context, trades, {});
  auto exchange = SVC_TRY(Exchange::open(context));
  const std::uint64_t few = command.list_flags().limit.value_or(20);
  return follow_rows(context, command.view(),
                     [&](const std::optional<Json>& last) { return trades_after(exchange, trades, few, last); });
}

using Levels = std::vector<api::BookLevel>;

// nullopt if a number cannot be read exactly.
std::optional<Levels> levels_of(const std::vector<Json>& side) {
  Levels levels;
  for (const Json& level : side) {
    if (level.items().size() < 2) return std::nullopt;
    const auto price = number_of(level.items()[0].text());
    const auto size = number_of(level.items()[1].text());
    if (!price || !size) return std::nullopt;
    levels.push_back({*price, *size});
  }
  return levels;
}

// Merges the levels of a step at the price that is worse for the taker.
std::optional<Levels> grouped(const Levels& levels, const Decimal& step, Rounding rounding) {
  Levels out;
  for (const api::BookLevel& level : levels) {
    const auto price = to_step(level.price, step, rounding);
    if (!price) return std::nullopt;
    if (out.empty() || out.back().price != *price) {
      out.push_back({*price, level.size});
      continue;
    }
    const auto sum = plus(out.back().size, level.size);
    if (!sum) return std::nullopt;
    out.back().size = *sum;
  }
  return out;
}

void put_level(Json& row, const Levels& side, std::size_t level, const std::string& name, Decimal& sum) {
  if (level >= side.size()) return;
  row.set(name, format_decimal(side[level].price));
  row.set(name + "_size", format_decimal(side[level].size));
  const auto total = plus(sum, side[level].size);
  if (!total) return;
  sum = *total;
  row.set(name + "_cum", format_decimal(sum));
}

// Bids and asks side by side, the best first.
Result<Answer> show_book(Context& context, const std::string& market, const std::optional<std::uint64_t>& depth,
                         const std::optional<std::string>& group, bool with_sums) {
  if (depth == 0u) return usage_error("--depth must be at least 1");
  const Call call = call_of<api::ops::GetOrderBook>({.market_id = SVC_TRY(market_id(market))});
  auto exchange = SVC_TRY(Exchange::open(context));
  // The sums stand outside of the sizes.
  Answer answer = answer_of(SVC_TRY(exchange.call(call)),
                            {with_sums ? columns("+bid_cum +bid_size +bid +ask +ask_size +ask_cum +spread_bps")
                                       : columns("+bid_size +bid +ask +ask_size +spread_bps")});
  auto bids = levels_of(answer.data.items_at("bids"));
  auto asks = levels_of(answer.data.items_at("asks"));
  const bool has_both = bids && asks && !bids->empty() && !asks->empty();
  const std::string spread = has_both ? spread_in_bps(bids->front().price, asks->front().price) : std::string();
  if (group && bids && asks) {
    const Decimal step = *parse_decimal(*group);
    bids = grouped(*bids, step, Rounding::down);
    asks = grouped(*asks, step, Rounding::up);
  }
  for (const char* side : {"bids", "asks"}) {
    const std::vector<Json> levels = answer.data.items_at(side);
    if (depth && levels.size() > *depth)
      answer.data.set(side, Json::array({levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(*depth)}));
  }
  if (!shows_columns(context) && (group || with_sums))
    context.notice("table_only", "--group and --cum are for tables; the document has the service's levels");
  answer.rows = Json::array();
  if (!bids || !asks) {
    context.notice("inexact", "the server's numbers cannot be computed with exactly; -o json shows them");
    return answer;
  }
  const std::size_t levels = std::max(bids->size(), asks->size());
  Decimal bid_sum{}, ask_sum{};
  for (std::size_t i = 0; i < levels && (!depth || i < *depth); ++i) {
    Json row = Json::object();
    put_level(row, *bids, i, "bid", bid_sum);
    put_level(row, *asks, i, "ask", ask_sum);
    if (i == 0 && !spread.empty()) row.set("spread_bps", spread);
    answer.rows->push(std::move(row));
  }
  return answer;
}

using namespace std::string_view_literals;

// The record's volume is that of all time, despite its name; the ticker has that of the day. (D-703)
void add_day(Context& context, Answer& answer) {
  if (!shows_columns(context) || answer.data.items().empty()) return;
  const Json tickers = read_for_column<api::ops::ListTickers>(context);
  answer.rows = Json::list(answer.data.items(), [&](Json row) {
    const Json* ticker = tickers.find(row.string_at("market_id").value_or(""));
    if (const Json* volume = ticker == nullptr ? nullptr : ticker->find("quoteVolume")) row.set("quoteVolume", *volume);
    return row;
  });
}

// A candle is an array: time, open, high, low, close, volume.
template <std::size_t place>
std::string candle_part(const Json& candle) {
  return candle.items().size() > place ? cell_text(&candle.items()[place]) : std::string();
}

std::optional<TimestampMs> opened_ms(const Json& candle) {
  if (candle.items().empty()) return std::nullopt;
  return Json::object({{"t", candle.items().front()}}).integer_at("t");
}

std::string candle_time(const Json& candle) {
  const auto time_ms = opened_ms(candle);
  return time_ms ? rfc3339(*time_ms) : std::string();
}

constexpr std::uint32_t candles_max = page_rows_max<api::CandlesRequest>();

Result<Answer> list_candles(Context& context, const std::string& market, const std::optional<api::Timeframe>& interval,
                            const std::optional<std::uint64_t>& limit, const std::optional<std::string>& since,
                            const std::optional<std::string>& until, const ChartFlags& charts) {
  api::CandlesRequest candles{.market_id = SVC_TRY(market_id(market))};
  candles.timeframe = interval.value_or(candles.timeframe);
  if (limit && (*limit == 0 || *limit > candles_max)) return usage_error("--limit must be from 1 to ", candles_max);
  if (limit) candles.limit = static_cast<std::uint32_t>(*limit);
  ListFlags flags;
  flags.since = since;
  flags.until = until;
  auto [exchange, cut] = SVC_TRY(open_list(context, flags, {}));
  candles.end_time = cut.filter().until_ms;
  auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListCandles>(candles)));
  Answer answer = answer_of(std::move(reply), {shown_columns(context.command())});
  // With a start the service would cut off the newest candles, so it is applied here. (D-791)
  if (const auto since_ms = cut.filter().since_ms) {
    std::vector<Json> kept = answer.data.items();
    std::erase_if(kept, [&](const Json& candle) { return opened_ms(candle).value_or(*since_ms - 1) < *since_ms; });
    answer.data = Json::array(std::move(kept));
  }
  const std::string title = candles.market_id.text + " " + std::string(to_string(candles.timeframe));
  charts.draw(context, answer, title, candles_of(answer.data));
  return answer;
}

constexpr std::array state_words{"open"sv, "halted"sv};
constexpr WaitTerms state_wait{.doc = "until the market is open, or halted",
                               .states = state_words,
                               .done = [](const Json& status, std::string_view state) {
                                 return status.string_at("status") == (state == "open" ? "active" : "halted");
                               }};

// The rate is per hour.
std::string annualised(const Json& row) {
  constexpr i128 hours_a_year = 24 * 365;
  const auto rate = row.decimal_at("funding_rate");
  const auto year = rate ? times(*rate, {hours_a_year, 0}) : std::nullopt;
  return year ? format_decimal(*year) : std::string();
}

}  // namespace

std::vector<CommandRow> market_commands() {
  using api::Market, api::Ticker, api::Trade;
  static const std::string candle_limit = concat("candles, at most ", candles_max, " (default 200)");
  const auto ticker_columns = columns<Ticker>("market=symbol bid ask last mark=markPrice change volume=baseVolume");
  using api::FundingSample, api::MarketRiskParams, api::MarketStatus, api::MarketSummary, api::MarkPrice;
  return {
      {"markets list", "", "List the markets",
       "# markets, with tick and lot\n"
       "--template '{market} {tick}'  # two columns as text of your own",
       operation<api::ops::ListMarkets>(
           {.arguments = {own_text("--status", "", "only markets in this state", api::market_state_texts),
                          own_flag("--mine", "also how each is set for the account: margin mode and leverage"),
                          own_flag("--refresh",
                                   "also keep them for completion, which asks every ten minutes by itself")},
            .columns =
                columns<Market>("market=market_id base=base_asset tick=tick_size lot=lot_size min_size=min_order_size "
                                "max_leverage im=initial_margin_rate mm=maintenance_margin_rate +status "
                                "mode=+margin_mode? +leverage?"),
            .list = {{.market = "market_id", .comes = Comes::whole}},
            .run = list_markets})},
      {"markets tickers", "", "Show the tickers of all markets", "# all tickers",
       operation<api::ops::ListTickers>({.columns = ticker_columns, .rows = "*"})},
      {"markets ticker", "MARKET", "Show the ticker of a market", "BTC-USDX-PERP  # one ticker",
       operation<api::ops::GetTicker>({.arguments = {one_market}, .columns = ticker_columns})},
      {"markets trades", "MARKET", "List recent trades of a market, newest first", "BTC-USDX-PERP  # the last trades",
       operation<api::ops::ListTrades>(
           {.arguments = {positional<&api::TradesRequest::market_id>("MARKET", "market")},
            .columns = columns<Trade>("time@timestamp side price size=amount"),
            .list = {{.time_ms = "timestamp"}},
            .more = {own_flag("--follow", "go on with each new trade, oldest first, until Ctrl-C")},
            .run = list_trades})},
      {"markets book", "MARKET", "Show the order book of a market", "BTC-USDX-PERP  # the order book",
       operation<api::ops::GetOrderBook>(
           {.columns = columns("+bid_size +bid +ask +ask_size +spread_bps +bid_cum +ask_cum")}),
       calls(show_book, {{"MARKET", "market"},
                         {"--depth", "levels to show", "N"},
                         decimal("--group", "put levels together in steps of this price", "STEP"),
                         {"--cum", "show what stands up to each level"}})},
      {"markets summary", "", "Show volume, mark and state of all markets", "# markets at a glance",
       operation<api::ops::ListMarketSummaries>(
           {.columns =
                columns<MarketSummary>("market=market_id last=last_trade_price mark=engine_mark_price "
                                       "volume_24h_usdx=+quoteVolume volume_total_usdx=volume_24h trades=trade_count "
                                       "adl_events=adl_event_count status"),
            .list = {{.market = "market_id", .comes = Comes::whole}},
            .finish = add_day})},
      {"markets candles", "MARKET", "Show candles of a market, oldest first", "BTC-USDX-PERP  # candles",
       operation<api::ops::ListCandles>(
           {.columns = columns("time() open() high() low() close() volume()", {{"time", candle_time},
                                                                               {"open", candle_part<1>},
                                                                               {"high", candle_part<2>},
                                                                               {"low", candle_part<3>},
                                                                               {"close", candle_part<4>},
                                                                               {"volume", candle_part<5>}})}),
       calls(list_candles,
             {{"MARKET", "market"},
              {"--interval", "length of a candle (default 1m)", {}, api::timeframe_texts},
              {"--limit", candle_limit, "N"},
              {"--since", "only candles that open at or after this time: 8h (ago), today, an instant", "TIME"},
              {"--until", "only candles that open at or before this time", "TIME"}})},
      {"markets mark-price", "MARKET", "Show the mark price of a market", "BTC-USDX-PERP  # mark and index",
       operation<api::ops::GetMarkPrice>(
           {.arguments = {one_market}, .columns = columns<MarkPrice>("market=market_id mark=mark_price")})},
      {"markets risk", "MARKET", "Show the margin rates of a market", "BTC-USDX-PERP  # margins by size",
       operation<api::ops::GetRiskParams>(
           {.arguments = {one_market},
            .columns = columns<MarketRiskParams>(
                "market=market_id im=initial_margin_rate mm=maintenance_margin_rate max_leverage")})},
      {"markets status", "MARKET", "Show whether a market is halted, and why", "BTC-USDX-PERP  # open or halted",
       operation<api::ops::GetMarketStatus>(
           {.arguments = {one_market},
            .columns =
                columns<MarketStatus>("market=market_id status halt_reason since@halted_at adl_events=adl_event_count"),
            .wait = state_wait})},
      {"markets funding", "MARKET", "List settled funding rates of a market", "BTC-USDX-PERP  # past funding rates",
       operation<api::ops::ListFundingRates>(
           {.arguments = {market_or_flag<&api::FundingRatesRequest::market_id>()},
            .columns = columns<FundingSample>(
                "time@timestamp rate=funding_rate annualised() premium=premium_index mark=mark_price "
                "oracle=oracle_price",
                {{"annualised", annualised}}),
            .list = {{.time_ms = "timestamp"}}})},
      {"markets funding-samples", "MARKET", "List premium samples of a market",
       "BTC-USDX-PERP  # what the next rate is made of",
       operation<api::ops::ListFundingSamples>(
           {.arguments = {market_or_flag<&api::FundingSamplesRequest::market_id>()},
            .columns = columns<api::FundingPremiumSample>("time@timestamp premium=premium_index"),
            .list = {{"", "timestamp", RowKeys::Runs::oldest_first}}})},
      {"markets adl", "MARKET", "List auto-deleveraging events of a market",
       "BTC-USDX-PERP  # deleveraging in the market",
       operation<api::ops::ListAdlEvents>({.arguments = {market_or_flag<&api::AdlEventsRequest::market_id>()},
                                           .columns = adl_event_columns(),
                                           .list = {{.time_ms = "timestamp"}}})},
  };
}

}  // namespace svc::cli
