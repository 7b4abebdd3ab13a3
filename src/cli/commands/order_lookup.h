// Finding orders.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/records/orders.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

[[nodiscard]] Result<api::OrderRef, Failure> order_ref(const std::string& order_id,
                                                       const std::optional<std::string>& market);

// The order with that client id, from open orders or else the history; exit 5 if there is none. Where
// the server sends no client ids nothing is proven, and the failure says so.
[[nodiscard]] Result<Json, Stop> find_by_client_id(Exchange& exchange, const std::string& client_id);

// The order with that id: asked for at its market if that is named, else looked for among the open orders and
// the last that ended; exit 5 if there is none.
[[nodiscard]] Result<Json, Stop> find_order(Exchange& exchange, const api::OrderRef& ref);

// The ended order of which `wanted` is true, in the whole history, newest first; exit 5 if there is none.
[[nodiscard]] Result<Json, Stop> find_in_history(Exchange& exchange, const std::function<bool(const Json&)>& wanted,
                                                 const std::string& what);

// The market of an order of the account: the service shows no order without it. Open orders, then history.
[[nodiscard]] Result<std::string, Stop> find_market_of(Exchange& exchange, const std::string& order_id);

}  // namespace svc::cli
