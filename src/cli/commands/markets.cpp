// markets list, ticker, tickers, book, trades
#include <array>

#include "api/ops/markets.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"

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
           {"mm", "maintenance_margin_rate"}},
          Layout::rows};
}

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

class ShowBook final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.integer("--depth", depth_, "N", "levels to show");
  }

 protected:
  Result<Call, Failure> call() override {
    const auto id = market_id(market_);
    if (!id) return unexpected(id.error());
    return call_of<api::ops::GetOrderBook>({.market_id = *id});
  }
  // Bids and asks side by side, the best first.
  Answer render(Context&, Reply reply) override {
    Answer answer = answer_of(std::move(reply),
                              {{{"bid_size", "bid_size"}, {"bid", "bid"}, {"ask", "ask"}, {"ask_size", "ask_size"}}});
    answer.rows = Json::array();
    const Json* bids = answer.data.find("bids");
    const Json* asks = answer.data.find("asks");
    if (bids == nullptr || asks == nullptr) return answer;
    const std::size_t levels = std::max(bids->items().size(), asks->items().size());
    for (std::size_t i = 0; i < levels && (!depth_ || i < *depth_); ++i) {
      Json row = Json::object();
      put(row, *bids, i, "bid", "bid_size");
      put(row, *asks, i, "ask", "ask_size");
      answer.rows->push(std::move(row));
    }
    return answer;
  }

 private:
  static void put(Json& row, const Json& side, std::size_t level, std::string_view price, std::string_view size) {
    if (level >= side.items().size() || side.items()[level].items().size() < 2) return;
    row.set(price, side.items()[level].items()[0]);
    row.set(size, side.items()[level].items()[1]);
  }

  std::string market_;
  std::optional<std::uint64_t> depth_;
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

constexpr std::array rows{
    CommandRow{"markets list", "", "List the markets", make<PlainRead<api::ops::ListMarkets, markets_view>>},
    CommandRow{"markets tickers", "", "Show the tickers of all markets", make<ListTickers>, 1, Repeats::yes},
    CommandRow{"markets ticker", "MARKET", "Show the ticker of a market",
               make<MarketRead<api::ops::GetTicker, ticker_view>>, 1, Repeats::yes},
    CommandRow{"markets book", "MARKET", "Show the order book of a market", make<ShowBook>, 1, Repeats::yes},
    CommandRow{"markets trades", "MARKET", "List recent trades of a market, newest first",
               make<MarketList<api::ops::ListTrades, trades_view, trade_keys>>},
};

}  // namespace

std::span<const CommandRow> market_commands() {
  return rows;
}

}  // namespace svc::cli
