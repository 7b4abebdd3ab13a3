// The enumerations of orders and trades, and their spellings in each place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/record.h"

namespace svc::api {

// `Buy` and `Sell` on orders; lower case on trades, fills and order history.
enum class Side : std::uint8_t { buy, sell };
inline constexpr std::string_view side_texts[] = {"Buy", "Sell"};
inline constexpr std::string_view side_lower_texts[] = {"buy", "sell"};
constexpr EnumNames enum_names(Side) {
  return {"Side", side_texts};
}
inline constexpr EnumNames side_lower{"SideLower", side_lower_texts};

enum class OrderType : std::uint8_t {
  limit,
  market,
  stop_limit,
  stop_market,
  take_profit_limit,
  take_profit_market,
  trailing_stop,
  trailing_limit,
};
inline constexpr std::string_view order_type_texts[] = {"Limit",        "Market",          "StopLimit",
                                                        "StopMarket",   "TakeProfitLimit", "TakeProfitMarket",
                                                        "TrailingStop", "TrailingLimit"};
// Order history spells them in snake case.
inline constexpr std::string_view order_type_snake_texts[] = {
    "limit",         "market",        "stop_limit", "stop_market", "take_profit_limit", "take_profit_market",
    "trailing_stop", "trailing_limit"};
constexpr EnumNames enum_names(OrderType) {
  return {"OrderType", order_type_texts};
}
inline constexpr EnumNames order_type_snake{"OrderTypeSnake", order_type_snake_texts};

enum class TimeInForce : std::uint8_t { gtc, ioc, fok, post_only };
inline constexpr std::string_view time_in_force_texts[] = {"GTC", "IOC", "FOK", "PostOnly"};
constexpr EnumNames enum_names(TimeInForce) {
  return {"TimeInForce", time_in_force_texts};
}

// Absent: the account may trade with itself.
enum class StpMode : std::uint8_t { cancel_newest, cancel_oldest, decrement_and_cancel };
inline constexpr std::string_view stp_mode_texts[] = {"CancelNewest", "CancelOldest", "DecrementAndCancel"};
constexpr EnumNames enum_names(StpMode) {
  return {"StpMode", stp_mode_texts};
}

enum class OrderStatus : std::uint8_t { open, partially_filled, filled, cancelled, expired, rejected };
inline constexpr std::string_view order_status_texts[] = {"Open",      "PartiallyFilled", "Filled",
                                                          "Cancelled", "Expired",         "Rejected"};
constexpr EnumNames enum_names(OrderStatus) {
  return {"OrderStatus", order_status_texts};
}

enum class Liquidity : std::uint8_t { taker, maker };
inline constexpr std::string_view liquidity_texts[] = {"taker", "maker"};
constexpr EnumNames enum_names(Liquidity) {
  return {"Liquidity", liquidity_texts};
}

// Why an order ended early: a word of an open set ("User", "Liquidation"), or self-trade prevention
// with its mode, which on the wire is the object {"Stp": mode}.
struct CancellationReason {
  std::string word{};  // empty when stp is set
  std::optional<StpMode> stp{};

  bool operator==(const CancellationReason&) const = default;
};

struct CustomForm;
extern const CustomForm cancellation_reason_form;
constexpr const CustomForm* custom_form(const CancellationReason*) {
  return &cancellation_reason_form;
}

// As order history writes it: the word, or "Stp(CancelNewest)".
[[nodiscard]] std::string history_text(const CancellationReason& reason);

}  // namespace svc::api
