// What the account stream says, read leniently: members that are not known are passed over, and payloads stay
// text, so that no digit of a price is lost on the way to whoever wants it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/stream_channels.h"
#include "base/clock.h"
#include "base/result.h"

namespace svc::api {

// What one subscription is about.
struct StreamKey {
  StreamChannel channel{};
  std::string market{};    // of market channels, else empty
  std::string interval{};  // of candles, else empty

  auto operator<=>(const StreamKey&) const = default;
};

// "trades/BTC-USDX-PERP", "candles/BTC-USDX-PERP/1m", "fills".
[[nodiscard]] std::string to_string(const StreamKey& key);
// nullopt unless the text names a channel with exactly what it takes.
[[nodiscard]] std::optional<StreamKey> parse_stream_key(std::string_view text);

[[nodiscard]] std::string subscribe_text(const StreamKey& key, std::optional<std::uint64_t> since);

struct StreamMessage {
  enum class Kind : std::uint8_t { subscribed, unsubscribed, event, out_of_sync, error, unknown };
  Kind kind = Kind::unknown;
  std::optional<StreamKey> key{};      // absent if the channel is none that this program knows
  std::optional<std::uint64_t> seq{};  // seq, seq_at_join or oldest_seq
  bool snapshot = false;
  TimestampMs emitted_at_ms = 0;  // 0: not said
  std::string payload{};          // JSON text
  std::string code{};             // of an error
  std::string text{};             // likewise
};

// The error is what is wrong with the text.
[[nodiscard]] Result<StreamMessage, std::string> read_stream_message(std::string_view text);

// The text of a top-level member that is a string; empty if there is none.
[[nodiscard]] std::string string_member(std::string_view object, std::string_view name);

}  // namespace svc::api
