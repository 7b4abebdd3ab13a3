// How orders and fills are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/answer.h"

namespace svc::cli {

[[nodiscard]] View placed_order_view();  // rows are {"order", "fills"}
// Of an order as it was answered: exit 19 if it had to fill at once (IOC, FOK, at market) and filled nothing. (D-737)
[[nodiscard]] std::optional<Failure> not_filled(const Json& order);
[[nodiscard]] View preview_view();
[[nodiscard]] View batch_view();        // rows are those of `orders batch`
[[nodiscard]] std::vector<Column> adl_event_columns();

// Whether orders of that type have no limit, however it is spelled.
[[nodiscard]] bool trades_at_market(std::string_view order_type);
// The limit of an order; empty where the type has none, for which the service says 0.
[[nodiscard]] std::string limit_price(const Json& order);
// The type of an order that waits for a price to fire it; empty for others.
[[nodiscard]] std::string conditional_type(const Json& order);
// "75 bps"; empty for orders that trail nothing.
[[nodiscard]] std::string trailing_distance(const Json& order);
// What it asks for, as one would say it: "sell 0.25 BTC-USDX-PERP StopMarket trigger 55000".
[[nodiscard]] std::string order_text(const Json& order);
// The order as people are shown it: without a price where it has no limit.
[[nodiscard]] Json with_limit_price(Json order);

// What stands behind a position: what was set aside for an isolated one, which is not what its size requires.
[[nodiscard]] std::string margin_behind(const Json& position);

// Average price of the fills of a placed order, to a millionth; empty without fills.
[[nodiscard]] std::string average_price(const Json& placed);

// "buy" or "sell", however the service spells the sides of this record; of the member itself, and of a row that has it.
[[nodiscard]] std::string small_side(const Json& member);
[[nodiscard]] std::string side_at(const Json& row, std::string_view path);
[[nodiscard]] std::string order_side(const Json& row);

// A member in Unix milliseconds as RFC 3339; empty if there is none.
[[nodiscard]] std::string time_at(const Json& row, std::string_view key);

// Its time of day alone, "12:00:00".
[[nodiscard]] std::string clock_at(const Json& row, std::string_view key);

// "5s", "12m", "3h", "2d".
[[nodiscard]] std::string age_text(std::int64_t age_ms);

}  // namespace svc::cli
