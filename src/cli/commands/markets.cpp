// markets list, ticker, tickers, trades
#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "api/contract/markets.h"
#include "base/decimal_arithmetic.h"
#include "cli/client/account_lookup.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/chart_flags.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/market_names.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/read.h"
#include "cli/store/completion_values.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

View markets_view() {
  return {{{"market", "market_id"},
           {"base", "base_asset"},
           {"tick", "tick_size"},
           {"lot", "lot_size"},
           {"min_size", "min_order_size"},
           {"max_leverage", "max_leverage"},
           {"im", "initial_margin_rate"},
           {"mm", "maintenance_margin_rate"},
           {"status", "status"},
           {"mode", "margin_mode", nullptr, Column::Need::if_any},
           {"leverage", "leverage", nullptr, Column::Need::if_any}},
          Layout::rows};
}

// The list itself tells no state; the summary of the same markets does.
class ListMarkets final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--status", status_, api::market_state_texts, "only markets in this state");
    arguments.flag("--mine", mine_, "also how each is set for the account: margin mode and leverage");
    arguments.flag("--refresh", refresh_, "also keep them for completion, which asks every ten minutes by itself");
    flags_.declare(arguments, {"market_id", ""}, Comes::whole);
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto cut = SVC_TRY(RowCut::of(context, flags_, {"market_id", ""}));
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListMarkets>()));
    if (refresh_) {
      const auto kept =
          keep_for_completion(**context.paths(), exchange.network().name, reply.body, {}, context.now_ms());
      if (!kept) return unexpected(Stop(kept.error()));
    }
    const auto states =
        SVC_TRY(status_ || shows_columns(context) ? read_states(context, exchange) : Result<Json, Stop>(Json()));
    Answer answer{.data = Json::array(), .view = markets_view(), .rows = Json::array(), .raw = std::move(reply.raw)};
    MarketSettings settings(exchange);
    for (const Json& market : reply.body.items()) {
      const auto state = state_of(states, market.string_at("market_id").value_or(""));
      if (!cut.holds(market) || (status_ && state != std::string_view(*status_))) continue;
      answer.data.push(market);
      Json row = market;
      row.set("status", state);
      if (mine_) {
        const auto setting = SVC_TRY(settings.of({std::string(market.string_at("market_id").value_or(""))}));
        row.set("margin_mode", setting.margin_mode);
        row.set("leverage", setting.leverage);
      }
      answer.rows->push(std::move(row));
    }
    SVC_TRY(status_ ? Result<void, Stop>() : cut.check_market(exchange, answer.data));
    if (status_ || cut.filter().market) say_filtered_here(context);
    cut.finish(answer);
    return answer;
  }

 private:
  // Without a filter by it the state is one column among others: no reason to show nothing.
  Result<Json, Stop> read_states(Context& context, Exchange& exchange) const {
    auto reply = exchange.call(call_of<api::ops::ListMarketSummaries>());
    if (reply) return std::move(reply->body);
    const auto* failure = std::get_if<Failure>(&reply.error().why);
    if (status_ || failure == nullptr) return unexpected(reply.error());
    context.notice("no_status", "the states of the markets could not be read: " + failure->message);
    return Json();
  }
  static std::optional<std::string_view> state_of(const Json& summaries, std::string_view market) {
    for (const Json& one : summaries.items())
      if (one.string_at("market_id") == market) return one.string_at("status");
    return std::nullopt;
  }

  std::optional<std::string> status_;
  bool mine_ = false;
  bool refresh_ = false;
  ListFlags flags_;
};

View ticker_view() {
  return {{{"market", "symbol"},
           {"bid", "bid"},
           {"ask", "ask"},
           {"last", "last"},
           {"mark", "markPrice"},
           {"change", "change"},
           {"volume", "baseVolume"}},
          Layout::rows};
}

class ListTickers final : public ReadCommand {
 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::ListTickers>(); }
  Answer render(Context&, Reply reply) override {
    Answer answer = answer_of(std::move(reply), ticker_view());
    answer.rows = Json::array(answer.data.items());  // an object keyed by market id
    return answer;
  }
};

View trades_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "timestamp"); }},
           {"side", "side"},
           {"price", "price"},
           {"size", "amount"}},
          Layout::rows};
}

RowKeys trade_keys() {
  return {"", "timestamp"};
}

class ListTrades final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    flags_.declare(arguments, trade_keys());
    arguments.flag("--follow", follow_, "go on with each new trade, oldest first, until Ctrl-C");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto id = SVC_TRY(market_id(market_));
    const auto page = [&](std::uint32_t rows, const std::optional<std::string>& cursor) {
      return call_of<api::ops::ListTrades>({.market_id = id, .limit = rows, .cursor = cursor});
    };
    if (!follow_)
      return read_pages(context, flags_, trade_keys(), pages_of<api::ops::ListTrades>({.market_id = id}),
                        trades_view());
    auto exchange = SVC_TRY(Exchange::open(context));
    return follow_rows(context, trades_view(),
                       [&](const std::optional<Json>& last) { return trades_after(exchange, page, last); });
  }

 private:
  using Page = std::function<Call(std::uint32_t rows, const std::optional<std::string>& cursor)>;

  // Back from the newest to the one that is known.
  Result<std::vector<Json>, Stop> trades_after(Exchange& exchange, const Page& page,
                                               const std::optional<Json>& last) const {
    constexpr std::uint32_t few = 20;
    std::vector<Json> found;
    std::optional<std::string> cursor;
    while (found.size() < limits::list_rows_max) {
      const std::uint64_t first_rows =
          std::min<std::uint64_t>(flags_.limit.value_or(few), page_rows_max<api::TradesRequest>());
      const auto reply = SVC_TRY(exchange.call(page(last ? 200 : static_cast<std::uint32_t>(first_rows), cursor)));
      bool known = !last;
      for (const Json& row : reply.body.items()) {
        if (last && row.string_at("id") == last->string_at("id")) {
          known = true;
          break;
        }
        found.push_back(row);
      }
      auto next = next_cursor(reply, cursor);
      if (known || !next) break;
      cursor = std::move(next);
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  std::string market_;
  ListFlags flags_;
  bool follow_ = false;
};

constexpr std::array market_command_rows{
    CommandRow{"markets list", "", "List the markets", make<ListMarkets>, 1, Repeats::yes},
    CommandRow{"markets tickers", "", "Show the tickers of all markets", make<ListTickers>, 1, Repeats::yes},
    CommandRow{"markets ticker", "MARKET", "Show the ticker of a market",
               make<MarketRead<api::ops::GetTicker, ticker_view>>, 1, Repeats::yes},
    CommandRow{"markets trades", "MARKET", "List recent trades of a market, newest first", make<ListTrades>, 1,
               Repeats::yes},
};

}  // namespace

std::span<const CommandRow> market_commands() {
  return market_command_rows;
}

// markets book

namespace {

struct Level {
  Decimal price;
  Decimal size;
};
using Levels = std::vector<Level>;

// nullopt if a number of the server is none that can be added exactly.
std::optional<Levels> levels_of(const Json* side) {
  Levels levels;
  if (side == nullptr) return levels;
  for (const Json& level : side->items()) {
    if (level.items().size() < 2) return std::nullopt;
    const auto price = parse_decimal(level.items()[0].text());
    const auto size = parse_decimal(level.items()[1].text());
    if (!price || !size) return std::nullopt;
    levels.push_back({*price, *size});
  }
  return levels;
}

// Levels within one step become one, at the step that is worse for the taker.
std::optional<Levels> grouped(const Levels& levels, const Decimal& step, Rounding rounding) {
  Levels out;
  for (const Level& level : levels) {
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

// The distance of the best prices in hundredths of a per cent of their middle, to a hundredth; empty without both.
std::string spread_bps(const Levels& bids, const Levels& asks) {
  if (bids.empty() || asks.empty()) return {};
  const Decimal bid{-bids.front().price.coefficient, bids.front().price.scale};
  const auto distance = plus(asks.front().price, bid);
  const auto both = plus(asks.front().price, bids.front().price);
  const auto scaled = distance ? times(*distance, {2'000'000, 0}) : std::nullopt;  // 2 x 10000 x 100
  if (!scaled || !both || both->coefficient <= 0) return {};
  // scaled / both, both over one scale.
  i128 numerator = scaled->coefficient;
  i128 denominator = both->coefficient;
  for (int i = scaled->scale; i < both->scale; ++i)
    if (__builtin_mul_overflow(numerator, i128{10}, &numerator)) return {};
  for (int i = both->scale; i < scaled->scale; ++i)
    if (__builtin_mul_overflow(denominator, i128{10}, &denominator)) return {};
  return format_decimal({div_round(numerator, denominator, Rounding::half_up), 2});
}

class ShowBook final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.integer("--depth", depth_, "N", "levels to show");
    arguments.decimal("--group", group_, "STEP", "put levels together in steps of this price");
    arguments.flag("--cum", cumulated_, "show what stands up to each level");
  }

 protected:
  Result<Call, Failure> call() override {
    const auto id = SVC_TRY(market_id(market_));
    if (depth_ == 0u) return unexpected(usage_error("--depth must be at least 1"));
    return call_of<api::ops::GetOrderBook>({.market_id = id});
  }

  // Bids and asks side by side, the best first.
  Answer render(Context& context, Reply reply) override {
    Answer answer = answer_of(std::move(reply), view());
    auto bids = levels_of(answer.data.find("bids"));
    auto asks = levels_of(answer.data.find("asks"));
    const std::string spread = bids && asks ? spread_bps(*bids, *asks) : std::string();
    if (group_ && bids && asks) {
      const Decimal step = *parse_decimal(*group_);
      bids = grouped(*bids, step, Rounding::down);
      asks = grouped(*asks, step, Rounding::up);
    }
    answer.rows = Json::array();
    if (!bids || !asks) {
      context.notice("inexact", "the server's numbers cannot be computed with exactly; -o json shows them");
      return answer;
    }
    const std::size_t levels = std::max(bids->size(), asks->size());
    Decimal bid_sum{}, ask_sum{};
    for (std::size_t i = 0; i < levels && (!depth_ || i < *depth_); ++i) {
      Json row = Json::object();
      put(row, *bids, i, "bid", bid_sum);
      put(row, *asks, i, "ask", ask_sum);
      if (i == 0 && !spread.empty()) row.set("spread_bps", spread);
      answer.rows->push(std::move(row));
    }
    return answer;
  }

 private:
  View view() const {
    View view{{{"bid_size", "bid_size"}, {"bid", "bid"}, {"ask", "ask"}, {"ask_size", "ask_size"}}};
    if (cumulated_) {
      view.columns.insert(view.columns.begin(), Column{"bid_cum", "bid_cum"});
      view.columns.push_back({"ask_cum", "ask_cum"});
    }
    view.columns.push_back({"spread_bps", "spread_bps"});
    return view;
  }

  static void put(Json& row, const Levels& side, std::size_t level, const std::string& name, Decimal& sum) {
    if (level >= side.size()) return;
    row.set(name, format_decimal(side[level].price));
    row.set(name + "_size", format_decimal(side[level].size));
    const auto total = plus(sum, side[level].size);
    if (!total) return;
    sum = *total;
    row.set(name + "_cum", format_decimal(sum));
  }

  std::string market_;
  std::optional<std::uint64_t> depth_;
  std::optional<std::string> group_;
  bool cumulated_ = false;
};

constexpr std::array market_book_rows{
    CommandRow{"markets book", "MARKET", "Show the order book of a market", make<ShowBook>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> market_book_commands() {
  return market_book_rows;
}

// markets summary, candles, mark-price, risk, status, funding, funding-samples, adl

namespace {

using namespace std::string_view_literals;

constexpr std::array interval_words{"1s"sv, "1m"sv, "5m"sv, "1h"sv};

View markets_summary_view() {
  return {{{"market", "market_id"},
           {"last", "last_trade_price"},
           {"mark", "engine_mark_price"},
           {"volume_24h_usdx", "quoteVolume"},
           {"volume_total_usdx", "volume_24h"},
           {"trades", "trade_count"},
           {"adl_events", "adl_event_count"},
           {"status", "status"}},
          Layout::rows};
}

// The record's volume is of all time, whatever it is called; that of the day stands in the ticker. (D-703)
class ListSummaries final : public Command {
 public:
  void declare(Arguments& arguments) override { flags_.declare(arguments, keys_, Comes::whole); }
  Result<Answer, Stop> run(Context& context) override {
    std::optional<Json> tickers;  // read with the first row
    const auto with_day = [&](const Json& summary) {
      Json row = summary;
      if (!shows_columns(context)) return row;
      if (!tickers) tickers = read_for_column<api::ops::ListTickers>(context);
      const Json* ticker = tickers->find(summary.string_at("market_id").value_or(""));
      if (const Json* volume = ticker == nullptr ? nullptr : ticker->find("quoteVolume")) row.set("quoteVolume", *volume);
      return row;
    };
    return read_whole(
        context, flags_, keys_, [](const RowFilter&) { return call_of<api::ops::ListMarketSummaries>(); },
        Sent::nothing, markets_summary_view(), with_day);
  }

 private:
  static constexpr RowKeys keys_{"market_id", ""};
  ListFlags flags_;
};

// A candle is an array: time, open, high, low, close, volume.
template <std::size_t place>
std::string candle_part(const Json& candle) {
  return candle.items().size() > place ? cell_text(&candle.items()[place]) : std::string();
}

std::string candle_time(const Json& candle) {
  if (candle.items().empty()) return {};
  const auto opened_ms = Json::object({{"t", candle.items().front()}}).integer_at("t");
  return opened_ms ? rfc3339(*opened_ms) : std::string();
}

View candles_view() {
  return {{{"time", "", candle_time},
           {"open", "", candle_part<1>},
           {"high", "", candle_part<2>},
           {"low", "", candle_part<3>},
           {"close", "", candle_part<4>},
           {"volume", "", candle_part<5>}},
          Layout::rows};
}

void keep_since(Json& candles, TimestampMs since_ms) {
  Json kept = Json::array();
  for (const Json& candle : candles.items()) {
    if (candle.items().empty()) continue;
    const auto opened_ms = Json::object({{"t", candle.items().front()}}).integer_at("t");
    if (opened_ms && *opened_ms >= since_ms) kept.push(candle);
  }
  candles = std::move(kept);
}

class ListCandles final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.choice("--interval", interval_, interval_words, "length of a candle (default 1m)");
    arguments.integer("--limit", limit_, "N", "candles, at most " + std::to_string(rows_max) + " (default 200)");
    arguments.text("--since", since_, "TIME", "only candles that open at or after this time: 8h (ago), today, an instant");
    arguments.text("--until", until_, "TIME", "only candles that open at or before this time");
    charts_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto request = SVC_TRY(asked_for());
    const DisplayZone zone = context.presentation().zone.value_or(DisplayZone());
    std::optional<TimeWord> since, until;
    for (const auto& [flag, text, word] : {std::tuple("--since", &since_, &since), std::tuple("--until", &until_, &until)}) {
      if (!*text) continue;
      const auto parsed = SVC_TRY(parse_time_word(flag, **text, zone));
      *word = parsed;
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    const bool by_clock = (since && since->needs_clock()) || (until && until->needs_clock());
    const TimestampMs now_ms = by_clock ? server_now_ms(context, exchange) : context.now_ms();
    if (until) request.end_time = until->at(now_ms, zone);
    auto reply = SVC_TRY(exchange.call(call_of<api::ops::ListCandles>(request)));
    Answer answer = answer_of(std::move(reply), candles_view());
    // The service takes a start as the first candle and would cut off the newest ones. (D-791)
    if (since) keep_since(answer.data, since->at(now_ms, zone));
    charts_.draw(context, answer, market_ + " " + interval_.value_or("1m"), candles_of(answer.data));
    return answer;
  }

 private:
  [[nodiscard]] Result<api::CandlesRequest, Failure> asked_for() const {
    const auto id = SVC_TRY(market_id(market_));
    api::CandlesRequest request{.market_id = id};
    for (std::size_t i = 0; interval_ && i < interval_words.size(); ++i)
      if (interval_words[i] == *interval_) request.timeframe = static_cast<api::Timeframe>(i);
    if (limit_) {
      if (*limit_ == 0 || *limit_ > rows_max)
        return unexpected(usage_error("--limit must be from 1 to " + std::to_string(rows_max)));
      request.limit = static_cast<std::uint32_t>(*limit_);
    }
    return request;
  }

  static constexpr std::uint32_t rows_max = page_rows_max<api::CandlesRequest>();

  std::string market_;
  std::optional<std::string> interval_;
  std::optional<std::uint64_t> limit_;
  std::optional<std::string> since_;
  std::optional<std::string> until_;
  ChartFlags charts_;
};

View mark_price_view() {
  return {{{"market", "market_id"}, {"mark", "mark_price"}}, Layout::rows};
}

View risk_view() {
  return {{{"market", "market_id"},
           {"im", "initial_margin_rate"},
           {"mm", "maintenance_margin_rate"},
           {"max_leverage", "max_leverage"}},
          Layout::rows};
}

View status_view() {
  return {{{"market", "market_id"},
           {"status", "status"},
           {"halt_reason", "halt_reason"},
           {"since", "", [](const Json& row) { return time_at(row, "halted_at"); }},
           {"adl_events", "adl_event_count"}},
          Layout::rows};
}

constexpr std::array state_words{"open"sv, "halted"sv};

class ShowMarketStatus final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.choice("--wait", wait_for_, state_words, "until the market is open, or halted");
    limit_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto id = SVC_TRY(market_id(market_));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto call = [&] { return call_of<api::ops::GetMarketStatus>({.market_id = id}); };
    const std::string_view wanted = wait_for_ == "open" ? "active" : "halted";
    const auto done = [&](const Json& status) { return status.string_at("status") == wanted; };
    auto reply = SVC_TRY(wait_for_ ? poll(context, exchange, limit_, call, done) : exchange.call(call()));
    return answer_of(std::move(reply), status_view());
  }

 private:
  std::string market_;
  std::optional<std::string> wait_for_;
  WaitLimit limit_;
};

std::string stamp_time(const Json& row) {
  return time_at(row, "timestamp");
}
RowKeys stamped() {
  return {"", "timestamp"};
}
RowKeys sampled() {
  return {"", "timestamp", RowKeys::Runs::oldest_first};
}

// The rate is that of an hour.
std::string annualised(const Json& row) {
  constexpr i128 hours_a_year = 24 * 365;
  const auto rate = parse_decimal(row.string_at("funding_rate").value_or(""));
  const auto year = rate ? times(*rate, {hours_a_year, 0}) : std::nullopt;
  return year ? format_decimal(*year) : std::string();
}

View funding_view() {
  return {{{"time", "", stamp_time},
           {"rate", "funding_rate"},
           {"annualised", "", annualised},
           {"premium", "premium_index"},
           {"mark", "mark_price"},
           {"oracle", "oracle_price"}},
          Layout::rows};
}

View samples_view() {
  return {{{"time", "", stamp_time}, {"premium", "premium_index"}}, Layout::rows};
}

constexpr std::array market_fact_rows{
    CommandRow{"markets summary", "", "Show volume, mark and state of all markets", make<ListSummaries>, 1, Repeats::yes},
    CommandRow{"markets candles", "MARKET", "Show candles of a market, oldest first", make<ListCandles>, 1,
               Repeats::yes},
    CommandRow{"markets mark-price", "MARKET", "Show the mark price of a market",
               make<MarketRead<api::ops::GetMarkPrice, mark_price_view>>, 1, Repeats::yes},
    CommandRow{"markets risk", "MARKET", "Show the margin rates of a market",
               make<MarketRead<api::ops::GetRiskParams, risk_view>>, 1, Repeats::yes},
    CommandRow{"markets status", "MARKET", "Show whether a market is halted, and why", make<ShowMarketStatus>, 1,
               Repeats::yes},
    CommandRow{"markets funding", "MARKET", "List settled funding rates of a market",
               make<MarketList<api::ops::ListFundingRates, funding_view, stamped>>, 1, Repeats::yes},
    CommandRow{"markets funding-samples", "MARKET", "List premium samples of a market",
               make<MarketList<api::ops::ListFundingSamples, samples_view, sampled>>, 1, Repeats::yes},
    CommandRow{"markets adl", "MARKET", "List auto-deleveraging events of a market",
               make<MarketList<api::ops::ListAdlEvents, adl_events_view, stamped>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> market_fact_commands() {
  return market_fact_rows;
}

}  // namespace svc::cli
