#include "api/stream_channels.h"

#include "api/records/account.h"
#include "api/records/market_history.h"
#include "api/records/markets.h"
#include "api/records/orders.h"
#include "api/records/positions.h"
#include "api/records/stream_frames.h"

namespace svc::api {
namespace {

using enum ChannelScope;
using enum Resume;

constexpr StreamChannelInfo channels[] = {
    {.channel = StreamChannel::trades,
     .name = "trades",
     .scope = market,
     .resume = replayed,
     .payload = &type_of<Trade>,
     .doc = "Every trade of the market"},
    {.channel = StreamChannel::book,
     .name = "book",
     .scope = market,
     .resume = conflated,
     .payload = &type_of<OrderBook>,
     .doc = "The whole order book after it changed"},
    {.channel = StreamChannel::candles,
     .name = "candles",
     .scope = market,
     .has_interval = true,
     .resume = replayed,
     .payload = &type_of<Candle>,
     .doc = "The running candle after a trade; a new open time begins the next one"},
    {.channel = StreamChannel::ticker,
     .name = "ticker",
     .scope = market,
     .resume = conflated,
     .payload = &type_of<Ticker>,
     .doc = "The ticker after a trade, a price or a change of the best prices"},
    {.channel = StreamChannel::engine,
     .name = "engine",
     .scope = venue,
     .resume = silent,
     .doc = "Reserved: acknowledged, and never an event"},
    {.channel = StreamChannel::orders,
     .name = "orders",
     .scope = account,
     .resume = replayed,
     .payload = &type_of<OrdersPayload>,
     .doc = "Every change of the account's orders"},
    {.channel = StreamChannel::fills,
     .name = "fills",
     .scope = account,
     .resume = replayed,
     .payload = &type_of<Fill>,
     .doc = "Every fill of the account"},
    {.channel = StreamChannel::positions,
     .name = "positions",
     .scope = account,
     .resume = present,
     .payload = &type_of<Position>,
     .doc = "A position after it changed; size 0 is a closed one. The snapshot is one event per open position"},
    {.channel = StreamChannel::balances,
     .name = "balances",
     .scope = account,
     .resume = present,
     .payload = &type_of<AccountSummary>,
     .doc = "The account's money after a fill, a payment, a transfer or a change of what orders reserve"},
    {.channel = StreamChannel::liquidations,
     .name = "liquidations",
     .scope = account,
     .resume = replayed,
     .payload = &type_of<LiquidationsPayload>,
     .doc = "Steps towards liquidation, and liquidations"},
};

constexpr PublicChannelInfo publics[] = {
    {.channel = PublicChannel::trades, .name = "trades:", .takes_market = true, .doc = "Every trade"},
    {.channel = PublicChannel::book, .name = "book:", .takes_market = true, .doc = "The best 20 levels of each side"},
    {.channel = PublicChannel::market_status,
     .name = "market_status:",
     .takes_market = true,
     .doc = "Halts and resumptions"},
    {.channel = PublicChannel::stats, .name = "stats", .doc = "Figures of the venue, once a second"},
};

consteval bool in_order() {
  for (std::size_t i = 0; i < std::size(channels); ++i) {
    if (static_cast<std::size_t>(channels[i].channel) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the table is indexed by channel");

}  // namespace

std::span<const StreamChannelInfo> stream_channels() {
  return channels;
}

const StreamChannelInfo& info_of(StreamChannel channel) {
  return channels[static_cast<std::size_t>(channel)];
}

std::optional<StreamChannel> find_stream_channel(std::string_view name) {
  for (const StreamChannelInfo& info : channels) {
    if (info.name == name) return info.channel;
  }
  return std::nullopt;
}

std::span<const PublicChannelInfo> public_channels() {
  return publics;
}

}  // namespace svc::api
