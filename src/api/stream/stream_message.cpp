#include "api/stream/stream_message.h"

#include "api/codec.h"
#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "api/contract/streams.h"
#include "api/stream/stream_client.h"
#include "base/enumerators.h"
#include "base/find.h"
#include "base/json_text.h"
#include "base/text.h"

namespace svc::api {
namespace {

using Next = JsonReader::Next;

bool read_text(JsonReader& reader, std::string& into) {
  if (reader.peek() == Next::null) return reader.null();
  return reader.string(into);
}

// A number, or the same as text if it is large.
bool read_sequence(JsonReader& reader, std::optional<std::uint64_t>& into) {
  if (reader.peek() == Next::null) return reader.null();
  std::string text;
  std::string_view token;
  if (reader.peek() == Next::string) {
    if (!reader.string(text)) return false;
    token = text;
  } else if (!reader.number(token)) {
    return false;
  }
  into = parse_integer<std::uint64_t>(token);
  return into.has_value();
}

bool read_envelope(JsonReader& reader, TimestampMs& emitted_at_ms) {
  std::string_view envelope;
  if (!reader.any(envelope)) return false;
  const std::string_view token = raw_member(envelope, "emitted_at");
  if (JsonReader(token, 1).peek() != Next::number) return true;
  const auto number = parse_integer<std::uint64_t>(token);
  emitted_at_ms = static_cast<TimestampMs>(number.value_or(0));
  return number.has_value();
}

// An op is spelled like its enumerator. Any other is `unknown`, which comes right after them.
StreamMessage::Kind kind_of(std::string_view op) {
  using Kind = StreamMessage::Kind;
  constexpr auto words = enumerator_names<Kind, Kind::error>;
  static_assert(words.size() == static_cast<std::size_t>(Kind::unknown));
  return static_cast<Kind>(std::ranges::find(words, op) - words.begin());
}

using enum ChannelScope;
using enum Resume;

constexpr StreamChannelInfo channels[] = {
    {StreamChannel::trades, "trades", market, replayed, &type_of<Trade>, "Every trade of the market", RestRows::by_id},
    {StreamChannel::book, "book", market, conflated, &type_of<OrderBook>, "The whole order book after it changed"},
    {StreamChannel::candles, "candles", market, replayed, &type_of<Candle>,
     "The running candle after a trade; a new open time begins the next one", RestRows::none, true},
    {StreamChannel::ticker, "ticker", market, conflated, &type_of<Ticker>,
     "The ticker after a trade, a price or a change of the best prices"},
    {StreamChannel::engine, "engine", venue, silent, nullptr, "Reserved: acknowledged, and never an event"},
    {StreamChannel::orders, "orders", account, replayed, &type_of<OrdersPayload>,
     "Every change of the account's orders", RestRows::present},
    {StreamChannel::fills, "fills", account, replayed, &type_of<Fill>, "Every fill of the account", RestRows::by_id},
    {StreamChannel::positions, "positions", account, present, &type_of<Position>,
     "A position after it changed; size 0 is a closed one. The snapshot is one event per open position"},
    {StreamChannel::balances, "balances", account, present, &type_of<AccountSummary>,
     "The account's money after a fill, a payment, a transfer or a change of what orders reserve"},
    {StreamChannel::liquidations, "liquidations", account, replayed, &type_of<LiquidationsPayload>,
     "Steps towards liquidation, and liquidations"},
};

constexpr PublicChannelInfo publics[] = {
    {PublicChannel::trades, "trades:", true, "Every trade"},
    {PublicChannel::book, "book:", true, "The best 20 levels of each side"},
    {PublicChannel::market_status, "market_status:", true, "Halts and resumptions"},
    {PublicChannel::stats, "stats", false, "Figures of the venue, once a second"},
};

consteval bool in_order() {
  for (std::size_t i = 0; i < std::size(channels); ++i)
    if (static_cast<std::size_t>(channels[i].channel) != i) return false;
  return true;
}
static_assert(in_order(), "the table is indexed by channel");

}  // namespace

std::string to_string(const StreamKey& key) {
  std::string text(info_of(key.channel).name);
  if (!key.market.empty()) text += "/" + key.market;
  if (!key.interval.empty()) text += "/" + key.interval;
  return text;
}

std::optional<StreamKey> parse_stream_key(std::string_view text) {
  const auto channel = find_stream_channel(take_line(text, '/'));
  if (!channel) return std::nullopt;
  StreamKey key{.channel = *channel};
  key.market = take_line(text, '/');
  key.interval = text;
  const StreamChannelInfo& info = info_of(*channel);
  const bool whole =
      (info.scope == ChannelScope::market) == !key.market.empty() && info.has_interval == !key.interval.empty();
  return whole ? std::optional(key) : std::nullopt;
}

std::string subscribe_text(const StreamKey& key, std::optional<std::uint64_t> since) {
  StreamRequest request{.op = "subscribe", .channel = std::string(info_of(key.channel).name)};
  if (!key.market.empty()) request.market = key.market;
  if (!key.interval.empty()) request.interval = key.interval;
  if (since) request.since = StreamSequence{*since};
  return to_json(request);
}

Result<StreamMessage, std::string> read_stream_message(std::string_view text) {
  JsonReader reader(text, stream_limits::message_depth_max);
  StreamMessage message;
  std::string name;
  std::string op;
  std::string channel;
  StreamKey key;
  const std::pair<std::string_view, std::string*> texts[] = {{"op", &op},
                                                             {"channel", &channel},
                                                             {"market", &key.market},
                                                             {"interval", &key.interval},
                                                             {"code", &message.code},
                                                             {"message", &message.text}};
  std::string_view part;
  bool sound = reader.open_object();
  while (sound && reader.next_member(name)) {
    const auto text_of_it = std::ranges::find(texts, name, &std::pair<std::string_view, std::string*>::first);
    if (text_of_it != std::end(texts)) {
      sound = read_text(reader, *text_of_it->second);
    } else if (name == "seq" || name == "seq_at_join" || name == "oldest_seq") {
      sound = read_sequence(reader, message.seq);
    } else if (name == "snapshot" && reader.peek() == Next::boolean) {
      sound = reader.boolean(message.snapshot);
    } else if (name == "engine_envelope") {
      sound = read_envelope(reader, message.emitted_at_ms);
    } else if (name == "payload") {
      sound = reader.any(part);
      message.payload = part;
    } else {
      sound = reader.any(part);
    }
  }
  if (!sound || reader.failed() || !reader.at_end()) {
    return unexpected(std::string(reader.problem() != nullptr ? reader.problem() : "a member of an unexpected kind"));
  }
  message.kind = kind_of(op);
  if (const auto known = find_stream_channel(channel)) {
    key.channel = *known;
    message.key = std::move(key);
  }
  return message;
}

std::string_view raw_member(std::string_view object, std::string_view name) {
  JsonReader reader(object, stream_limits::message_depth_max);
  std::string member;
  std::string_view value;
  if (reader.peek() != Next::object || !reader.open_object()) return {};
  while (reader.next_member(member) && reader.any(value))
    if (member == name) return value;
  return {};
}

std::string string_member(std::string_view object, std::string_view name) {
  JsonReader reader(raw_member(object, name), stream_limits::message_depth_max);
  std::string value;
  return reader.peek() == Next::string && reader.string(value) ? value : std::string();
}

std::span<const StreamChannelInfo> stream_channels() {
  return channels;
}

const StreamChannelInfo& info_of(StreamChannel channel) {
  return channels[static_cast<std::size_t>(channel)];
}

std::optional<StreamChannel> find_stream_channel(std::string_view name) {
  const StreamChannelInfo* const info = found_in(channels, name, &StreamChannelInfo::name);
  return info == nullptr ? std::nullopt : std::optional(info->channel);
}

std::span<const PublicChannelInfo> public_channels() {
  return publics;
}

}  // namespace svc::api
