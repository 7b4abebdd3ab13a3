// Events in the words of the account stream: payloads as REST records, and the frames around them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/engine/engine.h"
#include "sim/sequencer/follower.h"
#include "sim/streams/liquidation_watch.h"
#include "sim/streams/stream_topic.h"
#include "sim/views/market_table.h"
#include "sim/views/market_view.h"

namespace svc::sim {

inline constexpr std::uint64_t engine_epoch = 1;  // sequences of one exchange never begin again

enum class EventKind : std::uint8_t { event, snapshot };

// The whole frame. A snapshot has no command that it came from.
[[nodiscard]] std::string event_text(const TopicLabel& label, std::uint64_t seq, std::string_view payload,
                                     const Stamp& stamp);
[[nodiscard]] std::string snapshot_text(const TopicLabel& label, std::uint64_t seq, std::string_view payload);

// JSON of one payload.
[[nodiscard]] std::string payload_text(const MarketTable& markets, const StreamEntry& entry);
[[nodiscard]] std::string book_payload(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms);
[[nodiscard]] std::string ticker_payload(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms);
[[nodiscard]] std::string balances_payload(const MarketTable& markets, const engine::AccountFigures& figures,
                                           const std::vector<engine::PositionRow>& rows);
[[nodiscard]] std::string position_payload(const engine::MarketSpec& spec, const engine::PositionRow& row);
// Of a market in which the account has no position (any more); `closed` is what it had, if it was closed.
[[nodiscard]] std::string flat_position_payload(const engine::MarketSpec& spec, engine::MarginMode mode,
                                                const engine::PositionClosed* closed);
[[nodiscard]] std::string alert_payload(const MarketTable& markets, const Address& account,
                                        const AlertBands::Alert& alert, const Stamp& stamp);
[[nodiscard]] std::string liquidation_payload(const MarketTable& markets, const Liquidation& liquidation,
                                              Usdx equity_after);

}  // namespace svc::sim
