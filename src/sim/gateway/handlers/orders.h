// Orders between their API form and the engine's.
#pragma once

#include <optional>
#include <string>

#include "api/contract/orders.h"
#include "base/result.h"
#include "sim/engine/commands.h"
#include "sim/engine/events.h"
#include "sim/views/account_view.h"
#include "sim/views/views.h"

namespace svc::sim {

// The engine's parameters of an API order, measured on the market's grid. Off-grid values are passed on: the engine
// refuses them in its own order of checks. Refused here: a malformed market (of a batch item), an unknown one, a
// client id that the wire cannot carry, a trailing or limit offset beyond limits::bps_max.
[[nodiscard]] Result<engine::OrderParams, api::ApiError> order_params(const MarketTable& markets,
                                                                      const api::OrderRequest& request);

[[nodiscard]] engine::MeasuredPrice measured_price(const engine::MarketSpec& spec, const api::DecimalText& price);
[[nodiscard]] engine::MeasuredLots measured_lots(const engine::MarketSpec& spec, const api::DecimalText& quantity);

[[nodiscard]] api::Order order_record(const engine::MarketSpec& spec, const engine::OrderRecord& order);
[[nodiscard]] api::OrderHistoryEntry history_record(const engine::MarketSpec& spec, const engine::OrderRecord& order);
[[nodiscard]] api::Fill fill_record(const engine::MarketSpec& spec, const OwnFill& fill);

[[nodiscard]] std::string order_id_text(engine::OrderId id);
// nullopt if no order of this venue can have that id.
[[nodiscard]] std::optional<engine::OrderId> parse_order_id(std::string_view text);

}  // namespace svc::sim
