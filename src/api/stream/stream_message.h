// Messages of the account stream, read leniently: unknown members are ignored, and payloads stay text, so that no
// digit of a price is lost.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/record.h"
#include "base/clock.h"
#include "base/result.h"

// The channels of the account stream, in one list: parsing and answering of subscriptions, the guide's table and
// the AsyncAPI document all read it. (docs/streams.md)

namespace svc::api {

enum class StreamChannel : std::uint8_t {
  trades,
  book,
  candles,
  ticker,
  engine,
  orders,
  fills,
  positions,
  balances,
  liquidations,
};

enum class ChannelScope : std::uint8_t {
  market,   // takes a market; public
  venue,    // takes none; public
  account,  // takes none; of the token's account
};

// How a subscription begins and what a slow reader receives.
enum class Resume : std::uint8_t {
  replayed,   // `since` sends the missed events; a reader who falls behind is out of sync
  conflated,  // the present state first, then the newest; skipped events are never sent
  present,    // the present state first, then every event; a reader who falls behind is out of sync
  silent,     // acknowledged, but without events
};

// How REST can replace events that the server has forgotten.
enum class RestRows : std::uint8_t {
  by_id,    // rows are events: read those after a known one
  present,  // rows are states: read all of them
  none,
};

struct StreamChannelInfo {
  StreamChannel channel{};
  std::string_view name;
  ChannelScope scope{};
  Resume resume{};
  const TypeInfo& (*payload)() = nullptr;  // nullptr: there are no events
  std::string_view doc;
  RestRows rest = RestRows::none;
  bool has_interval = false;
};

// In the order of the enumeration.
[[nodiscard]] std::span<const StreamChannelInfo> stream_channels();
[[nodiscard]] const StreamChannelInfo& info_of(StreamChannel channel);
[[nodiscard]] std::optional<StreamChannel> find_stream_channel(std::string_view name);

// The channels of the public stream: a prefix that takes a market id or `*`, or a word.
enum class PublicChannel : std::uint8_t { trades, book, market_status, stats };

struct PublicChannelInfo {
  PublicChannel channel{};
  std::string_view name;  // "trades:", "stats"
  bool takes_market = false;
  std::string_view doc;
};

[[nodiscard]] std::span<const PublicChannelInfo> public_channels();

// The subject of a subscription.
struct StreamKey {
  StreamChannel channel{};
  std::string market{};    // of market channels, else empty
  std::string interval{};  // of candles, else empty

  auto operator<=>(const StreamKey&) const = default;
};

// "trades/BTC-USDX-PERP", "candles/BTC-USDX-PERP/1m", "fills".
[[nodiscard]] std::string to_string(const StreamKey& key);
// nullopt unless the text names a channel with exactly its parameters.
[[nodiscard]] std::optional<StreamKey> parse_stream_key(std::string_view text);

[[nodiscard]] std::string subscribe_text(const StreamKey& key, std::optional<std::uint64_t> since);

struct StreamMessage {
  enum class Kind : std::uint8_t { subscribed, unsubscribed, event, out_of_sync, error, unknown };
  Kind kind = Kind::unknown;
  std::optional<StreamKey> key{};      // absent if the channel is unknown to this program
  std::optional<std::uint64_t> seq{};  // seq, seq_at_join or oldest_seq
  bool snapshot = false;
  TimestampMs emitted_at_ms = 0;  // 0: not stated
  std::string payload{};          // JSON text
  std::string code{};             // of an error
  std::string text{};             // likewise
};

// The error says what is wrong with the text.
[[nodiscard]] Result<StreamMessage, std::string> read_stream_message(std::string_view text);

// A top-level member as it is written; empty if there is none.
[[nodiscard]] std::string_view raw_member(std::string_view object, std::string_view name);
// The text of a top-level member that is a string; empty if there is none.
[[nodiscard]] std::string string_member(std::string_view object, std::string_view name);

}  // namespace svc::api
