// markets list, ticker, tickers, trades
#include <algorithm>
#include <array>
#include <functional>

#include "api/ops/markets.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/market_settings.h"
#include "cli/commands/order_views.h"
#include "cli/completion/cache.h"
#include "cli/watch/follow_rows.h"

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
    const auto states = status_ || shows_columns(context) ? read_states(context, exchange) : Result<Json, Stop>(Json());
    if (!states) return unexpected(states.error());
    Answer answer{.data = Json::array(), .view = markets_view(), .rows = Json::array(), .raw = std::move(reply.raw)};
    MarketSettings settings(exchange);
    for (const Json& market : reply.body.items()) {
      const auto state = state_of(*states, market.string_at("market_id").value_or(""));
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

}  // namespace svc::cli
