// How orders and fills are shown.
#pragma once

#include "cli/terminal/failure.h"
#include "trade/words.h"

namespace svc::cli {

// Whether the order says that it was cancelled for that reason.
[[nodiscard]] bool was_cancelled_for(trade::CancelReason reason, const Json& order);
// Exit 19 for an order that was over with nothing filled when it was answered. (D-737)
[[nodiscard]] std::optional<Failure> not_filled(const Json& order);
// "0.005 of 0.025 was filled, and the rest is over (InsufficientLiquidity)" of an order that was over with only a part
// of it filled when it was answered; empty of any other.
[[nodiscard]] std::string partly_filled(const Json& order);
// Why an order of a row {"order", ...} ended early, "SlippageCap"; empty if it did not.
[[nodiscard]] std::string reason_of_placed(const Json& placed);

// True if orders of that type, in any spelling, have no limit price.
[[nodiscard]] bool trades_at_market(std::string_view order_type);
// The order's limit price; empty for types without one, for which the service sends 0.
[[nodiscard]] std::string limit_price(const Json& order);
// The type of an order that waits for a trigger price; empty for others.
[[nodiscard]] std::string conditional_type(const Json& order);
// "75 bps"; empty for orders that do not trail.
[[nodiscard]] std::string trailing_distance(const Json& order);
// The order in words: "sell 0.25 BTC-USDX-PERP StopMarket trigger 55000".
[[nodiscard]] std::string order_text(const Json& order);
// The order as shown to people: without a price if it has no limit.
[[nodiscard]] Json with_limit_price(Json order);

// The margin of a position; for an isolated one what was set aside, not what its size requires.
[[nodiscard]] std::string margin_behind(const Json& position);

// The average price of a placed order's fills, to a millionth; empty without fills.
[[nodiscard]] std::string average_price(const Json& placed);

// "buy" or "sell" for any of the service's spellings; of the member itself, or of a row that has it.
[[nodiscard]] std::string small_side(const Json& member);
[[nodiscard]] std::string side_at(const Json& row, std::string_view path);
[[nodiscard]] std::string order_side(const Json& row);

// A member in Unix milliseconds as RFC 3339; empty if it is missing.
[[nodiscard]] std::string time_at(const Json& row, std::string_view key);

// The time of day only, "12:00:00".
[[nodiscard]] std::string clock_at(const Json& row, std::string_view key);

// "5s", "12m", "3h", "2d".
[[nodiscard]] std::string age_text(std::int64_t age_ms);

}  // namespace svc::cli
