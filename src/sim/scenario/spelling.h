// Trading words as scenario files spell them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/engine/events.h"
#include "sim/engine/terms.h"

namespace svc::sim::scenario {

[[nodiscard]] std::optional<engine::Side> parse_side(std::string_view text);
[[nodiscard]] std::optional<engine::OrderType> parse_type(std::string_view text);
[[nodiscard]] std::optional<engine::TimeInForce> parse_time_in_force(std::string_view text);
[[nodiscard]] std::optional<engine::StpMode> parse_stp(std::string_view text);
[[nodiscard]] std::optional<engine::MarginMode> parse_mode(std::string_view text);
[[nodiscard]] std::optional<engine::MarginDirection> parse_direction(std::string_view text);

[[nodiscard]] std::string_view spell(engine::TimeInForce tif);
[[nodiscard]] std::string_view spell(engine::StpMode mode);  // "none" included, which files say by null
[[nodiscard]] std::string_view spell(engine::OrderStatus status);
// Why the order ended, self-trade prevention as "Stp(CancelOldest)"; empty if it was not cancelled.
[[nodiscard]] std::string spell_reason(const engine::OrderRecord& order);
[[nodiscard]] std::string_view spell(engine::MarketStatus status);
[[nodiscard]] std::string_view spell(engine::HaltReason reason);

}  // namespace svc::sim::scenario
