#pragma once

#include "api/contract/declaration.h"
#include "api/contract/margin.h"

// Open and closed positions, and their profit and loss.

namespace svc::api {

enum class PositionSide : std::uint8_t { long_side, short_side };
SVC_WIRE_TEXTS(PositionSide, "Long", "Short");

// A figure that cannot be computed is null and its `_error` says why: "mark_price_unavailable",
// "market_params_unavailable", "margin_rate_unavailable", "margin_used_zero", "margin_state_not_mirrored".
struct Position {
  std::string market_id{};
  PositionSide side = PositionSide::long_side;
  DecimalText size{}, entry_price{}, unrealized_pnl{}, realized_pnl{};
  std::optional<DecimalText> liquidation_price{};
  std::optional<std::string> liquidation_price_error{};
  std::optional<NumberText> leverage{};
  std::optional<std::string> leverage_error{};
  std::optional<DecimalText> notional_value{};
  std::optional<std::string> notional_value_error{};
  std::optional<DecimalText> roe{};
  std::optional<std::string> roe_error{};
  std::optional<DecimalText> margin_used{};
  std::optional<std::string> margin_used_error{};
  std::optional<std::uint32_t> max_leverage{};
  std::optional<std::string> max_leverage_error{};
  DecimalText funding_paid{};
  MarginMode margin_mode = MarginMode::cross;
  std::optional<DecimalText> allocated_margin{};

  static constexpr FieldInfo fields[] = {
      field<&Position::market_id>("Market"),
      field<&Position::side>("Long or Short"),
      field<&Position::size>("Absolute size in base units"),
      field<&Position::entry_price>("Average entry, rounded half up to 0.000001"),
      field<&Position::unrealized_pnl>("USDX at mark"),
      field<&Position::realized_pnl>("USDX, gross of fees"),
      field<&Position::liquidation_price>("The last healthy price; null if there is none"),
      field<&Position::liquidation_price_error>("Why there is no figure"),
      field<&Position::leverage>("Effective leverage"),
      field<&Position::leverage_error>("Why there is no figure"),
      field<&Position::notional_value>("USDX at mark"),
      field<&Position::notional_value_error>("Why there is no figure"),
      field<&Position::roe>("Unrealised profit over margin used"),
      field<&Position::roe_error>("Why there is no figure"),
      field<&Position::margin_used>("Initial margin in USDX"),
      field<&Position::margin_used_error>("Why there is no figure"),
      field<&Position::max_leverage>("Highest leverage of the market"),
      field<&Position::max_leverage_error>("Why there is no figure"),
      field<&Position::funding_paid>("USDX; positive was paid"),
      field<&Position::margin_mode>("cross or isolated").defaulted(),
      field<&Position::allocated_margin>("Margin set aside for an isolated position, USDX; null in cross mode")};
};

struct ClosedPosition {
  std::string market_id{};
  PositionSide side = PositionSide::long_side;
  DecimalText size{}, entry_price{}, exit_price{}, realized_pnl{};
  TimestampMs closed_at_ms = 0;

  static constexpr FieldInfo fields[] = {field<&ClosedPosition::market_id>("Market"),
                                         field<&ClosedPosition::side>("Long or Short"),
                                         field<&ClosedPosition::size>("Largest size closed"),
                                         field<&ClosedPosition::entry_price>("Average entry"),
                                         field<&ClosedPosition::exit_price>("Average exit"),
                                         field<&ClosedPosition::realized_pnl>("USDX, gross of fees"),
                                         field<&ClosedPosition::closed_at_ms>("Unix milliseconds")};
};

struct ClosedPositionsRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&ClosedPositionsRequest::limit>("Rows").page_of_at_most(200),
      field<&ClosedPositionsRequest::cursor>("From X-Next-Cursor of the page before").query()};
};

// Profit of an open position by cause; the parts add up to total_pnl. (D-124)
struct PositionPnl {
  std::string market_id{};
  PositionSide side = PositionSide::long_side;
  DecimalText size{}, entry_price{};
  std::optional<DecimalText> mark_price{};
  DecimalText price_pnl{}, funding_pnl{}, fee_pnl{}, total_pnl{};

  static constexpr FieldInfo fields[] = {field<&PositionPnl::market_id>("Market"),
                                         field<&PositionPnl::side>("Long or Short"),
                                         field<&PositionPnl::size>("Absolute size in base units"),
                                         field<&PositionPnl::entry_price>("Average entry"),
                                         field<&PositionPnl::mark_price>("Mark price used"),
                                         field<&PositionPnl::price_pnl>("Realised and unrealised, USDX"),
                                         field<&PositionPnl::funding_pnl>("USDX; positive was received"),
                                         field<&PositionPnl::fee_pnl>("USDX; negative was paid"),
                                         field<&PositionPnl::total_pnl>("Sum of the parts")};
};

}  // namespace svc::api

// Positions, and their profit and loss.

namespace svc::api::ops {

inline constexpr Area positions{"positions"};

struct ListPositions : Records<Empty, List<Position>> {
  static constexpr Operation op =
      positions(get, "list_positions", "/positions", "List open positions", twin, key_or_agent);
};

struct ListClosedPositions : Records<ClosedPositionsRequest, Page<ClosedPosition>> {
  static constexpr Operation op =
      positions(get, "list_closed_positions", "/positions/closed", "List closed positions, newest first",
                "A position is closed when its size reaches zero or changes sides.", twin, key_or_agent);
};

struct ListPositionPnl : Records<Empty, List<PositionPnl>> {
  static constexpr Operation op = positions(
      get, "list_position_pnl", "/positions/pnl", "Split the profit of each position by cause",
      "The parts have the sign of their effect on equity and add up to `total_pnl`.", twin, key_or_agent, Weight{5});
};

}  // namespace svc::api::ops
