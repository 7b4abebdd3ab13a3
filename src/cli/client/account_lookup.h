// Looking things up in the account: its orders, and how its markets are set.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/contract/orders.h"
#include "api/values.h"
#include "base/result.h"
#include "cli/client/exchange.h"

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

// How markets are set for the account, with or without a position. (D-716)

// What the service does not tell is nullopt.
struct MarketSettingTexts {
  std::optional<std::string> margin_mode{};
  std::optional<std::string> leverage{};
};

// Reads the account's state once for all markets; agents may read it. Services that do not tell settings there are asked
// for the margin mode of each market, and tell the leverage of a position at least.
class MarketSettings {
 public:
  explicit MarketSettings(Exchange& exchange) : exchange_(exchange) {}

  [[nodiscard]] Result<MarketSettingTexts, Stop> of(const api::MarketId& market);

 private:
  Exchange& exchange_;
  std::optional<Json> state_;
};

}  // namespace svc::cli
