// Frames of the public stream.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/engine/events.h"
#include "sim/engine/market_spec.h"
#include "sim/views/market_view.h"

namespace svc::sim {

[[nodiscard]] std::string public_trade_text(const engine::MarketSpec& spec, const engine::Trade& trade,
                                            TimestampMs at_ms);
[[nodiscard]] std::string public_book_text(const engine::MarketSpec& spec, const MarketView& view);
[[nodiscard]] std::string public_status_text(const engine::MarketSpec& spec, const Stamp& stamp,
                                             const engine::MarketStatusChanged& event);
// `stats` is the body of GET /stats.
[[nodiscard]] std::string public_stats_text(std::string_view stats);

}  // namespace svc::sim
