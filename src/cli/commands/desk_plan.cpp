#include "cli/commands/desk_plan.h"

#include <algorithm>

#include "api/ops/account.h"
#include "api/ops/agents.h"
#include "api/ops/margin.h"
#include "base/limits.h"
#include "cli/commands/agent_registration.h"
#include "cli/commands/market_settings.h"
#include "cli/commands/write_flags.h"

namespace svc::cli {
namespace {

std::string text_of(const Json* value) {
  if (value == nullptr) return "-";
  if (value->is(Json::Kind::boolean)) return value->truth() ? "true" : "false";
  return value->text().empty() ? "-" : value->text();
}

auto sends(Call call, std::string look_up) {
  return [call = std::move(call), look_up = std::move(look_up)](Context& context,
                                                                Exchange& exchange) -> Result<void, Stop> {
    Call sent = call;
    sent.look_up = {command_line(context, look_up)};
    SVC_TRY(exchange.call(sent));
    return {};
  };
}

class Planner {
 public:
  Planner(Context& context, Exchange& exchange, ActionChoice action)
      : context_(context), exchange_(exchange), action_(action) {}

  Result<void, Stop> markets(const std::vector<WantedMarket>& wanted) {
    MarketSettings settings(exchange_);
    for (const WantedMarket& market : wanted) {
      if (!market.margin_mode && !market.leverage) continue;
      const auto now = SVC_TRY(settings.of(market.market));
      if (market.margin_mode) mode(market, now.margin_mode.value_or("-"));
      if (market.leverage) leverage(market, now.leverage.value_or("-"));
    }
    return {};
  }

  Result<void, Stop> agents(const std::vector<WantedAgent>& wanted, bool prune) {
    if (wanted.empty() && !prune) return {};
    const auto listed = SVC_TRY(exchange_.call(call_of<api::ops::ListAgents>()));
    std::vector<Address> named;
    for (const WantedAgent& want : wanted) {
      const auto agent =
          known_agent(context_, exchange_.network().name, want.address ? to_string(*want.address) : want.name);
      if (!agent) return unexpected(Stop(agent.error()));
      named.push_back(agent->address);
      const bool there = std::any_of(listed.body.items().begin(), listed.body.items().end(), [&](const Json& row) {
        return parse_address(row.string_at("address").value_or("")) == agent->address;
      });
      if (there) continue;
      const std::int64_t lifetime_ms =
          want.lifetime_ms.value_or(agent->lifetime_ms.value_or(limits::agent_lifetime_default_ms));
      add("agent " + want.name, "absent", "registered", "register",
          [agent = *agent, lifetime_ms, name = want.name](Context& context, Exchange& exchange) -> Result<void, Stop> {
            SVC_TRY(register_agent(context, exchange, agent, lifetime_ms, name, PlainWrite()));
            return {};
          });
    }
    for (const Json& row : listed.body.items()) {
      const auto address = parse_address(row.string_at("address").value_or(""));
      if (!prune || !address || std::find(named.begin(), named.end(), *address) != named.end()) continue;
      Call call = call_of<api::ops::RevokeAgent>({.address = *address});
      call.direction = Direction::way_out;
      add("agent " + std::string(row.string_at("label").value_or(to_string(*address))), "registered", "absent",
          "revoke", sends(std::move(call), "agents list"));
    }
    return {};
  }

  Result<void, Stop> cancel_on_disconnect(bool wanted) {
    const auto now = SVC_TRY(exchange_.call(call_of<api::ops::GetCancelOnDisconnect>()));
    const std::string current = text_of(now.body.find("enabled"));
    const std::string text = wanted ? "true" : "false";
    if (current == text) return {};
    add("cancel_on_disconnect", current, text, "set",
        sends(call_of<api::ops::SetCancelOnDisconnect>({.enabled = wanted}), "account cancel-on-disconnect get"));
    return {};
  }

  std::vector<DeskChange> take() { return std::move(changes_); }

 private:
  void mode(const WantedMarket& market, const std::string& current) {
    const std::string wanted(api::margin_mode_texts[static_cast<std::size_t>(*market.margin_mode)]);
    if (current == wanted) return;
    Call call = call_of<api::ops::SetMarginMode>({.market_id = market.market, .margin_mode = *market.margin_mode});
    call.action = action_;
    add(market.market.text + " margin_mode", current, wanted, "set", sends(std::move(call), "margin mode get " + market.market.text));
  }

  void leverage(const WantedMarket& market, const std::string& current) {
    const std::string wanted = std::to_string(*market.leverage);
    if (current == wanted) return;
    Call call = call_of<api::ops::SetLeverage>({.market_id = market.market, .leverage = *market.leverage});
    call.action = action_;
    add(market.market.text + " leverage", current, wanted, "set", sends(std::move(call), "margin mode get " + market.market.text));
  }

  void add(std::string item, std::string current, std::string wanted, std::string action,
           std::function<Result<void, Stop>(Context&, Exchange&)> apply) {
    changes_.push_back({std::move(item), std::move(current), std::move(wanted), std::move(action), std::move(apply)});
  }

  Context& context_;
  Exchange& exchange_;
  ActionChoice action_;
  std::vector<DeskChange> changes_;
};

}  // namespace

Result<std::vector<DeskChange>, Stop> plan_desk(Context& context, Exchange& exchange, const WantedDesk& wanted,
                                                bool prune, ActionChoice action) {
  Planner planner(context, exchange, action);
  // What protects comes first.
  if (wanted.cancel_on_disconnect) {
    SVC_TRY(planner.cancel_on_disconnect(*wanted.cancel_on_disconnect));
  }
  SVC_TRY(planner.markets(wanted.markets));
  SVC_TRY(planner.agents(wanted.agents, prune));
  return planner.take();
}

}  // namespace svc::cli
