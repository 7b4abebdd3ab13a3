// What the engine, the views and the services hold, as API records and texts; each function is in its area's file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/account.h"
#include "api/contract/bridge.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "api/error_catalog.h"
#include "api/values.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/result.h"
#include "sim/engine/engine.h"
#include "sim/engine/market_spec.h"
#include "sim/services/bridge.h"
#include "sim/views/views.h"

namespace svc::sim {

// Texts of amounts, prices and sizes (funds.cpp).

// coefficient * 10^-scale, without trailing zeros.
[[nodiscard]] std::string decimal_text(i128 coefficient, int scale);
[[nodiscard]] inline Decimal in_usdx(Usdx amount) {
  return {amount.value, usdx_decimals};
}
[[nodiscard]] api::DecimalText usdx_text(Usdx amount);
[[nodiscard]] api::DecimalText usdx_text(i128 amount);
[[nodiscard]] api::DecimalText price_text(const engine::MarketSpec& spec, Ticks price);
[[nodiscard]] api::DecimalText lots_text(const engine::MarketSpec& spec, Lots quantity);
// A premium or funding rate: 1e-9.
[[nodiscard]] api::DecimalText ppb_text(Ppb rate);
// quote / (lots * lot size): an average price, half up at 1e-6 (display only). Requires lots != 0.
[[nodiscard]] api::DecimalText average_price_text(const engine::MarketSpec& spec, i128 quote, i128 lots);
// numerator / denominator, truncated at 1e-6. Requires denominator != 0.
[[nodiscard]] std::string ratio_text(Usdx numerator, Usdx denominator);

// A positive amount of USDX; refused as InvalidAmount if it is not positive or is finer than 0.000001. The engine
// checks how much the venue can hold.
[[nodiscard]] Result<Usdx, api::ApiError> positive_amount(const api::DecimalText& text);

// Markets.
[[nodiscard]] api::MarketStatus status_record(const engine::MarketSpec& spec, const MarketView& view);
[[nodiscard]] api::Ticker ticker_record(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms);
[[nodiscard]] api::OrderBook order_book_record(const engine::MarketSpec& spec, const MarketView& view,
                                               TimestampMs now_ms);
[[nodiscard]] api::Trade trade_record(const engine::MarketSpec& spec, const PublicTrade& row);
[[nodiscard]] api::Candle candle_record(const engine::MarketSpec& spec, const MarketCandle& candle);
[[nodiscard]] api::AdlEventRecord adl_record(const MarketTable& markets, const AdlEvent& row);

// Orders.
[[nodiscard]] api::Order order_record(const MarketTable& markets, const engine::OrderRecord& order);
[[nodiscard]] api::Fill fill_record(const MarketTable& markets, const OwnFill& own);
// nullopt if no order of this venue can have that id.
[[nodiscard]] std::optional<engine::OrderId> parse_order_id(std::string_view text);

// Positions and accounts.
[[nodiscard]] api::Position position_record(const MarketTable& markets, const engine::PositionRow& row);
[[nodiscard]] std::vector<api::Position> position_records(const MarketTable& markets,
                                                          const std::vector<engine::PositionRow>& rows);
[[nodiscard]] api::AccountSummary account_summary_record(const MarketTable& markets,
                                                         const engine::AccountFigures& figures,
                                                         const std::vector<engine::PositionRow>& rows);
[[nodiscard]] api::ClosedPosition closed_position_record(const MarketTable& markets,
                                                         const engine::PositionClosed& closed);

// Chain movements.

// The status of a movement in the words of a record, whose third word is `failed`.
template <class Status>
[[nodiscard]] constexpr Status status_as(MovementFate fate, Status open, Status settled) {
  if (fate == MovementFate::open) return open;
  return fate == MovementFate::settled ? settled : Status::failed;
}

[[nodiscard]] api::BridgeDeposit deposit_record(const ChainMovement& movement, TimestampMs now_ms);
[[nodiscard]] api::BridgeWithdrawal bridge_withdrawal_record(const ChainMovement& movement, TimestampMs now_ms);
// The transaction of a movement; each movement has exactly one.
[[nodiscard]] std::string transaction_of(const MovementId& movement);

}  // namespace svc::sim
