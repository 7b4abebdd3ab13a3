#include "cli/commands/market_settings.h"

#include "api/ops/account.h"
#include "api/ops/margin.h"
#include "cli/commands/read.h"
#include "cli/render.h"

namespace svc::cli {
namespace {

std::optional<std::string> told(const Json& record, std::string_view member) {
  const Json* value = record.find(member);
  if (value == nullptr || value->is(Json::Kind::null)) return std::nullopt;
  return cell_text(value);
}

const Json* row_of_market(const Json& state, std::string_view list, const api::MarketId& market) {
  const Json* rows = state.find(list);
  if (rows == nullptr) return nullptr;
  for (const Json& row : rows->items())
    if (row.string_at("market_id") == std::string_view(market.text)) return &row;
  return nullptr;
}

}  // namespace

Result<MarketSettingTexts, Stop> MarketSettings::of(const api::MarketId& market) {
  if (!state_) {
    auto state = exchange_.call(call_of<api::ops::GetAccountState>());
    const bool refused = !state && std::holds_alternative<Failure>(state.error().why);
    if (!state && !refused) return unexpected(state.error());
    state_ = state ? std::move(state->body) : Json::object();
  }
  if (const Json* setting = row_of_market(*state_, "market_settings", market))
    return MarketSettingTexts{.margin_mode = told(*setting, "margin_mode"), .leverage = told(*setting, "leverage")};
  const auto mode = SVC_TRY(exchange_.call(call_of<api::ops::GetMarginMode>({.market_id = market})));
  MarketSettingTexts setting{.margin_mode = told(mode.body, "margin_mode"), .leverage = told(mode.body, "leverage")};
  const Json* position = row_of_market(*state_, "positions", market);
  if (!setting.leverage && position != nullptr) setting.leverage = told(*position, "leverage");
  return setting;
}

}  // namespace svc::cli
