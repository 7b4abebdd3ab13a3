#include "cli/client/account_lookup.h"

#include "api/contract/account.h"
#include "api/contract/margin.h"
#include "api/operation_list.h"
#include "cli/arguments/spelling.h"
#include "cli/client/proof.h"
#include "cli/client/refusal.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

constexpr std::uint32_t ended_rows = page_rows_max<api::OrderHistoryRequest>();

std::string among_open_and_ended() {
  return concat(" among the open orders and the last ", ended_rows, " that ended");
}

// From the open orders, or else the newest that ended. The newest come first: of an order and the amendments that
// inherit its client id, the last one.
Result<Json> find_recent(Connection& connection, std::string_view key, const std::string& id, Failure missing) {
  const auto open = SVC_TRY(connection.read<api::ops::ListOrders>());
  if (const Json* order = outbox::find_row(open, key, id)) return *order;
  const auto ended = SVC_TRY(connection.read<api::ops::ListOrderHistory>({.limit = ended_rows, .cursor = {}}));
  if (const Json* order = outbox::find_row(ended, key, id)) return *order;
  if (key == "id" || outbox::are_client_ids_sent(open, ended)) return missing;
  return failed("client_ids_not_sent", "this server sends no client ids, so nothing tells whether order ", id,
                " was accepted");
}

std::optional<std::string> told(const Json& record, std::string_view member) {
  const Json* value = record.find_value(member);
  return value == nullptr ? std::nullopt : std::optional(cell_text(value));
}

const Json* row_of_market(const Json& state, std::string_view list, const api::MarketId& market) {
  const Json* rows = state.find(list);
  return rows == nullptr ? nullptr : outbox::find_row(*rows, "market_id", market.text);
}

}  // namespace

Result<api::OrderRef> order_ref(const std::string& order_id, const std::optional<std::string>& market) {
  api::OrderRef request{.order_id = order_id, .market_id = {}};
  // No id has characters that mean something in a path or separate the cells of a table.
  const auto may_be_in_id = [](char c) {
    return is_printable(c) && std::string_view("/?#%,;\"'").find(c) == std::string_view::npos;
  };
  // With an id such as ".." or "history" the path of the request would be another one. (D-1045)
  const bool is_named = order_id.find_first_not_of('.') != std::string::npos &&
                        api::is_path_of(api::ops::CancelOrder::op, "/orders/" + order_id);
  if (!is_named || !std::all_of(order_id.begin(), order_id.end(), may_be_in_id)) {
    return usage_error("\"" + order_id + "\" is not an order id");
  }
  if (market) request.market_id = SVC_TRY(market_id(*market));
  return request;
}

api::OrderRef ref_of(const Json& order) {
  const auto market = market_id(order.text_at("market_id"));
  return {.order_id = order.text_at("id"), .market_id = market ? std::optional(*market) : std::nullopt};
}

Result<Json> find_order(Connection& connection, const api::OrderRef& ref) {
  if (ref.market_id)
    return connection.read<api::ops::GetOrder>({.order_id = ref.order_id, .market_id = *ref.market_id});
  return find_recent(
      connection, "id", ref.order_id,
      absent("order_not_found", "no order ", ref.order_id, among_open_and_ended(), "; --market says where to look"));
}

Failure order_not_shown(const std::string& id, std::string_view therefore) {
  return nothing_happened("order_not_shown", concat("the service does not show order ", id, ", so ", therefore));
}

Result<Json> find_in_history(Connection& connection, std::string_view key, std::string_view id) {
  PageWalk walk;
  for (std::uint64_t read = 0; read < limits::list_rows_max; read += ended_rows) {
    const auto page =
        SVC_TRY(connection.read(call_of<api::ops::ListOrderHistory>({.limit = ended_rows, .cursor = walk.cursor()})));
    if (const Json* row = outbox::find_row(page.body, key, id)) return *row;
    if (!SVC_TRY(walk.go_on(page))) break;
  }
  return absent("order_not_found", "no ended order with ", key, " ", id);
}

Result<Json> find_by_client_id(Connection& connection, const std::string& client_id) {
  return find_recent(connection, "client_id", client_id,
                     absent("order_not_found", "no order with client id ", client_id, among_open_and_ended()));
}

Result<MarketSettingTexts> MarketSettings::of(const api::MarketId& market) {
  if (!state_) {
    auto state = connection_.read<api::ops::GetAccountState>();
    if (!state && state.error().is_plan()) return unexpected(state.error());
    state_ = state ? std::move(*state) : Json::object();
  }
  if (const Json* setting = row_of_market(*state_, "market_settings", market))
    return MarketSettingTexts{.margin_mode = told(*setting, "margin_mode"), .leverage = told(*setting, "leverage")};
  const auto mode = SVC_TRY(connection_.read<api::ops::GetMarginMode>({.market_id = market}));
  MarketSettingTexts setting{.margin_mode = told(mode, "margin_mode"), .leverage = told(mode, "leverage")};
  const Json* position = row_of_market(*state_, "positions", market);
  if (!setting.leverage && position != nullptr) setting.leverage = told(*position, "leverage");
  return setting;
}

}  // namespace svc::cli
