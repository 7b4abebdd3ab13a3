// Looks up the account's orders and how its markets are set.
#pragma once

#include "api/contract/orders.h"
#include "api/values.h"
#include "cli/client/connection.h"

namespace svc::cli {

Result<api::OrderRef> order_ref(const std::string& order_id, const std::optional<std::string>& market);
// Of the exchange's own row: an odd market is left out.
api::OrderRef ref_of(const Json& order);

// The order with that client id, from the open orders or else the newest of the history; exit 5 if there is none. If
// the server sends no client ids nothing is proven, and the failure says so.
Result<Json> find_by_client_id(Connection& connection, const std::string& client_id);

// The order with that id. With a market it is read there: the service shows an order only to a request that names its
// market. Otherwise it is looked up among the open orders and the latest ended ones. Exit 5 if there is none.
Result<Json> find_order(Connection& connection, const api::OrderRef& ref);

// Exit 10: reads may lag behind, so an order that they do not show may be open all the same. (D-1120)
[[nodiscard]] Failure order_not_shown(const std::string& id, std::string_view therefore);

// The newest ended order whose member has that text, from the whole history; exit 5 if there is none.
Result<Json> find_in_history(Connection& connection, std::string_view key, std::string_view id);

// The account's settings of its markets, with or without a position. (D-716)

// nullopt: the service does not tell.
struct MarketSettingTexts {
  std::optional<std::string> margin_mode{};
  std::optional<std::string> leverage{};
};

// Reads the account's state once for all markets; agents may read it. If the service does not list the settings there,
// the margin mode is read per market, and the leverage is known for open positions only.
class MarketSettings {
 public:
  explicit MarketSettings(Connection& connection) : connection_(connection) {}

  Result<MarketSettingTexts> of(const api::MarketId& market);

 private:
  Connection& connection_;
  std::optional<Json> state_;
};

}  // namespace svc::cli
