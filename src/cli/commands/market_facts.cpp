// markets summary, candles, mark-price, risk, status, funding, funding-samples, adl
#include <array>
#include <tuple>

#include "api/ops/markets.h"
#include "cli/charts/chart_flags.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/commands/polling.h"

namespace svc::cli {
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
