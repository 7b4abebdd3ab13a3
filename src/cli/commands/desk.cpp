// diff, apply: the set-up of an account from a file
#include "cli/commands/desk.h"

#include <algorithm>
#include <charconv>

#include "api/contract/account.h"
#include "api/contract/agents.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/client/account_lookup.h"
#include "cli/commands/agents.h"
#include "cli/commands/command.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/plain_write.h"
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
  Result<Answer, Stop> run(Context& context) override {
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

// One after the other. One that is refused does not keep the others from it; a lost answer, or a failure that the next
// one would meet as well, ends the run.
class ApplyDesk final : public Command {
 public:
  void declare(Arguments& arguments) override {
    source_.declare(arguments);
    action_.declare(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    const auto wanted = SVC_TRY(source_.read(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto changes = SVC_TRY(plan_desk(context, exchange, wanted, source_.prune, action_.choice()));
    Answer answer{.data = Json::array()};
    if (changes.empty()) {
      answer.view.columns = shown_columns("diff");
      return answer;
    }
    for (const DeskChange& change : changes) {
      context.say("plan: " + change.action + " " + change.item + ": " + change.current + " -> " + change.wanted);
    }
    SVC_TRY(confirm_changes(context, changes.size()));

    std::size_t done = 0;
    bool stopped = false;
    for (const DeskChange& change : changes) {
      Json row = row_of(change);
      if (stopped) {
        row.set("result", "not_sent");
      } else if (const auto applied = change.apply(context, exchange); applied) {
        ++done;
        row.set("result", "done");
      } else {
        const auto* failure = failure_in(applied);
        if (failure == nullptr) return unexpected(applied.error());
        row.set("result", failure->code);
        stopped = failure->exit == ExitCode::outcome_unknown || failure->exit == ExitCode::unavailable ||
                  failure->exit == ExitCode::authentication || failure->exit == ExitCode::rate_limited ||
                  failure->exit == ExitCode::confirmation;
        if (!answer.failure || failure->exit == ExitCode::outcome_unknown) answer.failure = *failure;
      }
      answer.data.push(std::move(row));
    }
    if (!answer.failure) return answer;
    if (done > 0 && answer.failure->exit != ExitCode::outcome_unknown) {
      answer.failure->exit = ExitCode::partial;
      answer.failure->message = std::to_string(done) + " of " + std::to_string(changes.size()) +
                                " changes were made: " + answer.failure->message;
    }
    answer.failure->details.set("done", done);
    answer.failure->details.set("left", changes.size() - done);
    answer.failure->actions = {command_line(context, "diff -f " + *source_.file)};
    return answer;
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

Failure bad_desk_entry(const TomlEntry& entry, const std::string& problem) {
  return bad_line(entry.line, problem);
}

Result<void, Failure> read_account(const TomlEntry& entry, WantedDesk& desk) {
  if (entry.key != "cancel_on_disconnect")
    return unexpected(bad_desk_entry(entry, "unknown key " + entry.key + "; [account] has cancel_on_disconnect"));
  if (entry.value != "true" && entry.value != "false")
    return unexpected(bad_desk_entry(entry, "cancel_on_disconnect must be true or false"));
  desk.cancel_on_disconnect = entry.value == "true";
  return {};
}

Result<void, Failure> read_market(const TomlEntry& entry, WantedDesk& desk) {
  const std::string name = entry.section.substr(market_prefix.size());
  if (!api::is_market_id(name)) return unexpected(bad_desk_entry(entry, "\"" + name + "\" is not a market id"));
  if (desk.markets.empty() || desk.markets.back().market.text != name) desk.markets.push_back({.market = {name}});
  WantedMarket& market = desk.markets.back();
  if (entry.key == "margin_mode") {
    market.margin_mode = trade::parse<trade::MarginMode>(entry.value);
    if (!market.margin_mode) return unexpected(bad_desk_entry(entry, "margin_mode must be \"cross\" or \"isolated\""));
    return {};
  }
  if (entry.key == "leverage") {
    std::uint32_t leverage = 0;
    const char* end = entry.value.data() + entry.value.size();
    const auto [stop, error] = std::from_chars(entry.value.data(), end, leverage);
    if (error != std::errc{} || stop != end || leverage == 0)
      return unexpected(bad_desk_entry(entry, "leverage must be a whole number from 1"));
    market.leverage = leverage;
    return {};
  }
  return unexpected(bad_desk_entry(entry, "unknown key " + entry.key + "; a market has margin_mode and leverage"));
}

Result<void, Failure> read_agent(const TomlEntry& entry, WantedDesk& desk) {
  const std::string name = entry.section.substr(agent_prefix.size());
  if (desk.agents.empty() || desk.agents.back().name != name) desk.agents.push_back({.name = name});
  WantedAgent& agent = desk.agents.back();
  if (entry.key == "address") {
    agent.address = parse_address(entry.value);
    if (!agent.address) return unexpected(bad_desk_entry(entry, "address must be 0x and 40 hex digits"));
    return {};
  }
  if (entry.key == "expires") {
    const auto lifetime_ms = agent_lifetime("expires", entry.value);
    if (!lifetime_ms) return unexpected(bad_desk_entry(entry, lifetime_ms.error().message));
    agent.lifetime_ms = *lifetime_ms;
    return {};
  }
  return unexpected(bad_desk_entry(entry, "unknown key " + entry.key + "; an agent has address and expires"));
}

}  // namespace

Result<WantedDesk, Failure> parse_desk(std::string_view toml) {
  const auto entries = parse_toml(toml);
  if (!entries) return unexpected(usage_error(entries.error()));
  if (entries->empty()) return unexpected(usage_error("the file says nothing: it has no key"));
  WantedDesk desk;
  for (const TomlEntry& entry : *entries) {
    const std::string_view section = entry.section;
    const auto read = section == "account"                 ? read_account(entry, desk)
                      : section.starts_with(market_prefix) ? read_market(entry, desk)
                      : section.starts_with(agent_prefix)
                          ? read_agent(entry, desk)
                          : Result<void, Failure>(unexpected(bad_desk_entry(
                                entry, "unknown section [" + entry.section +
                                           "]; there are [account], [markets.MARKET] and [agents.NAME]")));
    if (!read) return unexpected(read.error());
  }
  for (std::size_t i = 0; i < desk.markets.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (desk.markets[i].market == desk.markets[k].market)
        return unexpected(usage_error("[markets." + desk.markets[i].market.text + "] stands twice"));
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
      if (!agent) return unexpected(agent.error());
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
    const std::string wanted(to_string(*market.margin_mode));
    if (current == wanted) return;
    Call call = call_of<api::ops::SetMarginMode>({.market_id = market.market, .margin_mode = *market.margin_mode});
    call.action = action_;
    add(market.market.text + " margin_mode", current, wanted, "set",
        sends(std::move(call), "margin mode get " + market.market.text));
  }

  void leverage(const WantedMarket& market, const std::string& current) {
    const std::string wanted = std::to_string(*market.leverage);
    if (current == wanted) return;
    Call call = call_of<api::ops::SetLeverage>({.market_id = market.market, .leverage = *market.leverage});
    call.action = action_;
    add(market.market.text + " leverage", current, wanted, "set",
        sends(std::move(call), "margin mode get " + market.market.text));
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
  if (wanted.cancel_on_disconnect) SVC_TRY(planner.cancel_on_disconnect(*wanted.cancel_on_disconnect));
  SVC_TRY(planner.markets(wanted.markets));
  SVC_TRY(planner.agents(wanted.agents, prune));
  return planner.take();
}

}  // namespace svc::cli
