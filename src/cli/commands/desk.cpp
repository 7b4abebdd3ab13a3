// diff, apply: the set-up of an account from a file
#include "cli/commands/desk.h"

#include <algorithm>
#include <set>

#include "api/contract/account.h"
#include "api/contract/agents.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/client/account_lookup.h"
#include "cli/commands/command.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/read.h"
#include "cli/store/toml.h"

namespace svc::cli {
namespace {

Json row_of(const DeskChange& change) {
  return Json::object({{"item", change.item},
                       {"action", change.action},
                       {"current", change.current == "-" ? Json() : Json(change.current)},
                       {"wanted", change.wanted}});
}

struct DeskSource {
  std::optional<std::string> file;
  bool prune = false;

  void declare(Arguments& arguments) {
    arguments.text("-f,--file", file, "FILE", "how the account should be set up; - for standard input");
    arguments.flag("--prune", prune, "revoke agents that the file does not name");
  }
  Result<WantedDesk, Failure> read(Context& context) const {
    if (!file) return unexpected(usage_error("--file names the set-up, such as desk.toml; - is standard input"));
    const auto text = SVC_TRY(read_text(context, *file, "the file of --file"));
    return parse_desk(text);
  }
};

class DiffDesk final : public Command {
 public:
  void declare(Arguments& arguments) override {
    source_.declare(arguments);
    arguments.flag("--exit-code", exit_code_, "exit 6 if anything differs, 0 if nothing does");
  }
  Result<Answer, Failure> run(Context& context) override {
    const auto wanted = SVC_TRY(source_.read(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(plan_desk(context, exchange, wanted, source_.prune, ActionChoice::when_unlocked));
    Answer answer{.data = Json::array()};
    for (const DeskChange& change : changes) answer.data.push(row_of(change));
    if (exit_code_ && !changes.empty()) answer.exit = ExitCode::conflict;
    return answer;
  }

 private:
  DeskSource source_;
  bool exit_code_ = false;
};

class ApplyDesk final : public Command {
 public:
  void declare(Arguments& arguments) override {
    source_.declare(arguments);
    action_.declare(arguments);
  }

  Result<Answer, Failure> run(Context& context) override {
    const auto wanted = SVC_TRY(source_.read(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(plan_desk(context, exchange, wanted, source_.prune, action_.choice()));
    if (changes.empty()) return Answer{.data = Json::array(), .view = {shown_columns("diff")}};
    for (const DeskChange& change : changes) {
      context.say("plan: " + change.action + " " + change.item + ": " + change.current + " -> " + change.wanted);
    }
    SVC_TRY(confirm_changes(context, changes.size()));

    std::vector<Json> rows;
    for (const DeskChange& change : changes) rows.push_back(row_of(change));
    // Stops at a failure that the next change would meet as well.
    const auto goes_on = [](ExitCode failure) {
      using enum ExitCode;
      return failure != outcome_unknown && failure != unavailable && failure != authentication &&
             failure != rate_limited && failure != confirmation;
    };
    return send_changes({.rows = std::move(rows),
                         .what = "changes were made",
                         .send = [&](std::size_t i) { return changes[i].apply(context, exchange); },
                         .goes_on = goes_on,
                         .look_again = command_line(context, "diff -f " + *source_.file)});
  }

 private:
  DeskSource source_;
  ActionFlag action_;
};

}  // namespace

std::span<const CommandRow> desk_commands() {
  static const CommandRow rows[]{
      {"diff", "-f FILE", "Show what differs between an account and a file", make<DiffDesk>, Repeats::yes},
      {"apply", "-f FILE", "Set an account up as a file says", make<ApplyDesk>},
  };
  return rows;
}

namespace {

constexpr std::string_view market_prefix = "markets.";
constexpr std::string_view agent_prefix = "agents.";

Result<void, Failure> read_account(const TomlEntry& entry, WantedDesk& desk) {
  if (entry.key != "cancel_on_disconnect")
    return unexpected(bad_line(entry.line, "unknown key ", entry.key, "; [account] has cancel_on_disconnect"));
  if (entry.value != "true" && entry.value != "false")
    return unexpected(bad_line(entry.line, "cancel_on_disconnect must be true or false"));
  desk.cancel_on_disconnect = entry.value == "true";
  return {};
}

Result<void, Failure> read_market(const TomlEntry& entry, WantedDesk& desk) {
  const std::string name = entry.section.substr(market_prefix.size());
  if (!api::is_market_id(name)) return unexpected(bad_line(entry.line, "\"", name, "\" is not a market id"));
  if (desk.markets.empty() || desk.markets.back().market.text != name) desk.markets.push_back({.market = {name}});
  WantedMarket& market = desk.markets.back();
  if (entry.key == "margin_mode") {
    market.margin_mode = trade::parse<trade::MarginMode>(entry.value);
    if (!market.margin_mode) return unexpected(bad_line(entry.line, "margin_mode must be \"cross\" or \"isolated\""));
    return {};
  }
  if (entry.key == "leverage") {
    market.leverage = parse_integer<std::uint32_t>(entry.value);
    if (market.leverage.value_or(0) == 0)
      return unexpected(bad_line(entry.line, "leverage must be a whole number from 1"));
    return {};
  }
  return unexpected(bad_line(entry.line, "unknown key ", entry.key, "; a market has margin_mode and leverage"));
}

Result<void, Failure> read_agent(const TomlEntry& entry, WantedDesk& desk) {
  const std::string name = entry.section.substr(agent_prefix.size());
  if (desk.agents.empty() || desk.agents.back().name != name) desk.agents.push_back({.name = name});
  WantedAgent& agent = desk.agents.back();
  if (entry.key == "address") {
    agent.address = parse_address(entry.value);
    if (!agent.address) return unexpected(bad_line(entry.line, "address must be 0x and 40 hex digits"));
    if (const auto problem = checksum_problem(entry.value); !problem.empty())
      return unexpected(bad_line(entry.line, problem));
    return {};
  }
  if (entry.key == "expires") {
    const auto lifetime_ms = agent_lifetime("expires", entry.value);
    if (!lifetime_ms) return unexpected(bad_line(entry.line, lifetime_ms.error().message));
    agent.lifetime_ms = *lifetime_ms;
    return {};
  }
  return unexpected(bad_line(entry.line, "unknown key ", entry.key, "; an agent has address and expires"));
}

}  // namespace

Result<WantedDesk, Failure> parse_desk(std::string_view toml) {
  const auto entries = parse_toml(toml);
  if (!entries) return unexpected(usage_error(entries.error()));
  if (entries->empty()) return unexpected(usage_error("the file says nothing: it has no key"));
  WantedDesk desk;
  for (const TomlEntry& entry : *entries) {
    const std::string_view section = entry.section;
    if (section == "account") {
      SVC_TRY(read_account(entry, desk));
    } else if (section.starts_with(market_prefix)) {
      SVC_TRY(read_market(entry, desk));
    } else if (section.starts_with(agent_prefix)) {
      SVC_TRY(read_agent(entry, desk));
    } else {
      return unexpected(bad_line(entry.line, "unknown section [", entry.section,
                                 "]; there are [account], [markets.MARKET] and [agents.NAME]"));
    }
  }
  std::set<std::string_view> seen;
  for (const WantedMarket& market : desk.markets)
    if (!seen.insert(market.market.text).second)
      return unexpected(usage_error("[markets.", market.market.text, "] stands twice"));
  return desk;
}

namespace {

std::string text_of(const Json* value) {
  if (value == nullptr) return "-";
  if (value->is(Json::Kind::boolean)) return value->truth() ? "true" : "false";
  return value->text().empty() ? "-" : value->text();
}

auto sends(Call call, std::string look_up) {
  return [call = std::move(call), look_up = std::move(look_up)](Context& context,
                                                                Exchange& exchange) -> Result<void, Failure> {
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

  Result<void, Failure> markets(const std::vector<WantedMarket>& wanted) {
    MarketSettings settings(exchange_);
    for (const WantedMarket& market : wanted) {
      if (!market.margin_mode && !market.leverage) continue;
      const auto now = SVC_TRY(settings.of(market.market));
      if (market.margin_mode)
        set(market.market, "margin_mode", now.margin_mode, std::string(to_string(*market.margin_mode)),
            call_of<api::ops::SetMarginMode>({.market_id = market.market, .margin_mode = *market.margin_mode}));
      if (market.leverage)
        set(market.market, "leverage", now.leverage, std::to_string(*market.leverage),
            call_of<api::ops::SetLeverage>({.market_id = market.market, .leverage = *market.leverage}));
    }
    return {};
  }

  Result<void, Failure> agents(const std::vector<WantedAgent>& wanted, bool prune) {
    if (wanted.empty() && !prune) return {};
    const auto listed = SVC_TRY(exchange_.call(call_of<api::ops::ListAgents>()));
    std::vector<Address> named;
    for (const WantedAgent& want : wanted) {
      const auto agent =
          SVC_TRY(known_agent(context_, exchange_.network().name, want.address ? to_string(*want.address) : want.name));
      named.push_back(agent.address);
      const auto is_it = [&](const Json& row) {
        return parse_address(row.string_at("address").value_or("")) == agent.address;
      };
      if (std::ranges::any_of(listed.body.items(), is_it)) continue;
      const std::int64_t lifetime_ms =
          want.lifetime_ms.value_or(agent.lifetime_ms.value_or(limits::agent_lifetime_default_ms));
      add("agent " + want.name, "absent", "registered", "register",
          [agent, lifetime_ms, name = want.name](Context& context, Exchange& exchange) -> Result<void, Failure> {
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

  Result<void, Failure> cancel_on_disconnect(bool wanted) {
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
  void set(const api::MarketId& market, const std::string& what, const std::optional<std::string>& current,
           const std::string& wanted, Call call) {
    if (current.value_or("-") == wanted) return;
    call.action = action_;
    add(market.text + " " + what, current.value_or("-"), wanted, "set",
        sends(std::move(call), "margin mode get " + market.text));
  }

  void add(std::string item, std::string current, std::string wanted, std::string action,
           std::function<Result<void, Failure>(Context&, Exchange&)> apply) {
    changes_.push_back({std::move(item), std::move(current), std::move(wanted), std::move(action), std::move(apply)});
  }

  Context& context_;
  Exchange& exchange_;
  ActionChoice action_;
  std::vector<DeskChange> changes_;
};

}  // namespace

Result<std::vector<DeskChange>, Failure> plan_desk(Context& context, Exchange& exchange, const WantedDesk& wanted,
                                                   bool prune, ActionChoice action) {
  Planner planner(context, exchange, action);
  // Protection comes first.
  if (wanted.cancel_on_disconnect) SVC_TRY(planner.cancel_on_disconnect(*wanted.cancel_on_disconnect));
  SVC_TRY(planner.markets(wanted.markets));
  SVC_TRY(planner.agents(wanted.agents, prune));
  return planner.take();
}

}  // namespace svc::cli
