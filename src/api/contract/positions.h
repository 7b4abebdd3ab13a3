#pragma once

#include "api/contract/declaration.h"
#include "api/contract/margin.h"

// Open and closed positions, and their profit and loss.

namespace svc::api {

enum class PositionSide : std::uint8_t { long_side, short_side };
SVC_WIRE_TEXTS(PositionSide, "Long", "Short");

// A figure that cannot be computed is null and its `_error` says why: "mark_price_unavailable",
// "market_params_unavailable", "margin_rate_unavailable", "margin_used_zero", "margin_state_not_mirrored".
SVC_RECORD(Position,
    (std::string, market_id, {}, "Market")
    (PositionSide, side, = PositionSide::long_side, "Long or Short")
    (DecimalText, size, {}, "Absolute size in base units")
    (DecimalText, entry_price, {}, "Average entry, rounded half up to 0.000001")
    (DecimalText, unrealized_pnl, {}, "USDX at mark")
    (DecimalText, realized_pnl, {}, "USDX, gross of fees")
    (std::optional<DecimalText>, liquidation_price, {}, "The last healthy price; null if there is none")
    (std::optional<std::string>, liquidation_price_error, {}, "Why there is no figure")
    (std::optional<NumberText>, leverage, {}, "Leverage in force, as set")
    (std::optional<std::string>, leverage_error, {}, "Why there is no figure")
    (std::optional<DecimalText>, notional_value, {}, "USDX at mark")
    (std::optional<std::string>, notional_value_error, {}, "Why there is no figure")
    (std::optional<DecimalText>, roe, {}, "Unrealised profit over margin used")
    (std::optional<std::string>, roe_error, {}, "Why there is no figure")
    (std::optional<DecimalText>, margin_used, {}, "Initial margin in USDX")
    (std::optional<std::string>, margin_used_error, {}, "Why there is no figure")
    (std::optional<std::uint32_t>, max_leverage, {}, "Highest leverage of the market")
    (std::optional<std::string>, max_leverage_error, {}, "Why there is no figure")
    (DecimalText, funding_paid, {}, "USDX; positive was paid")
    (MarginMode, margin_mode, = MarginMode::cross, "cross or isolated", .defaulted())
    (std::optional<DecimalText>, allocated_margin, {},
     "Margin set aside for an isolated position, USDX; null in cross mode"));

SVC_RECORD(ClosedPosition,
    (std::string, market_id, {}, "Market")
    (PositionSide, side, = PositionSide::long_side, "Long or Short")
    (DecimalText, size, {}, "Largest size closed")
    (DecimalText, entry_price, {}, "Average entry")
    (DecimalText, exit_price, {}, "Average exit")
    (DecimalText, realized_pnl, {}, "USDX, gross of fees")
    (TimestampMs, closed_at_ms, = 0, "Unix milliseconds"));

SVC_RECORD(ClosedPositionsRequest,
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(200))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query()));

// Profit of an open position by cause; the parts add up to total_pnl. (D-124)
SVC_RECORD(PositionPnl,
    (std::string, market_id, {}, "Market")
    (PositionSide, side, = PositionSide::long_side, "Long or Short")
    (DecimalText, size, {}, "Absolute size in base units")
    (DecimalText, entry_price, {}, "Average entry")
    (std::optional<DecimalText>, mark_price, {}, "Mark price used")
    (DecimalText, price_pnl, {}, "Realised and unrealised, USDX")
    (DecimalText, funding_pnl, {}, "USDX; positive was received")
    (DecimalText, fee_pnl, {}, "USDX; negative was paid")
    (DecimalText, total_pnl, {}, "Sum of the parts"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area positions{"positions"};

SVC_OPERATIONS(PositionOperations,
    (ListPositions, Empty, List<Position>, positions, get, "list_positions", "/positions", "List open positions", twin,
     key_or_agent)
    (ListClosedPositions, ClosedPositionsRequest, Page<ClosedPosition>, positions, get, "list_closed_positions",
     "/positions/closed", "List closed positions, newest first",
     "A position is closed when its size reaches zero or changes sides.", twin, key_or_agent)
    (ListPositionPnl, Empty, List<PositionPnl>, positions, get, "list_position_pnl", "/positions/pnl",
     "Split the profit of each position by cause",
     "The parts have the sign of their effect on equity and add up to `total_pnl`.", twin, key_or_agent, Weight{5}));

}  // namespace svc::api::ops
