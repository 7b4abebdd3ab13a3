// The channels of the account stream, once: what parses subscriptions, what answers them, the guide's
// table and the AsyncAPI document all read this list. (docs/streams.md)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "api/type_info.h"

namespace svc::api {

// Before the path of every stream, on local too. (API: What the service does, networks, rule 5)
inline constexpr std::string_view stream_prefix = "/v1";

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

// How a subscription begins and what a slow reader gets.
enum class Resume : std::uint8_t {
  replayed,   // `since` sends what was missed; a reader who falls behind is out of sync
  conflated,  // the present state first, then the newest; what was passed over is never sent
  present,    // the present state first, then every event; a reader who falls behind is out of sync
  silent,     // acknowledged, and nothing else
};

struct StreamChannelInfo {
  StreamChannel channel{};
  std::string_view name;
  ChannelScope scope{};
  bool has_interval = false;
  Resume resume{};
  const TypeInfo& (*payload)() = nullptr;  // nullptr: there are no events
  std::string_view doc;
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

}  // namespace svc::api
