// diff, apply: the set-up of an account from a file
#include "cli/commands/desk.h"

#include "api/contract/account.h"
#include "api/contract/agents.h"
#include "cli/arguments/durations.h"
#include "cli/client/account_lookup.h"
#include "cli/commands/output_shape.h"
#include "cli/store/toml.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

constexpr std::string_view market_prefix = "markets.";
constexpr std::string_view agent_prefix = "agents.";

Result<void> read_account(const TomlEntry& entry, WantedDesk& desk) {
  if (entry.key != "cancel_on_disconnect")
    return bad_line(entry.line, "unknown key ", entry.key, "; [account] has cancel_on_disconnect");
  if (entry.value != "true" && entry.value != "false")
    return bad_line(entry.line, "cancel_on_disconnect must be true or false");
  desk.cancel_on_disconnect = entry.value == "true";
  return {};
}

// The keys of a section may stand apart, as those of another one's may in between.
template <class Wanted, class Name>
Wanted& entry_of(std::vector<Wanted>& all, Name Wanted::*name, const Name& wanted) {
  const auto found = std::ranges::find(all, wanted, name);
  if (found != all.end()) return *found;
  all.emplace_back().*name = wanted;
  return all.back();
}

Result<void> read_market(const TomlEntry& entry, WantedDesk& desk) {
  const std::string name = entry.section.substr(market_prefix.size());
  if (!api::is_market_id(name)) return bad_line(entry.line, "\"", name, "\" is not a market id, such as BTC-USDX-PERP");
  WantedMarket& market = entry_of(desk.markets, &WantedMarket::market, {name});
  if (entry.key == "margin_mode") {
    market.margin_mode = trade::parse<trade::MarginMode>(entry.value);
    if (!market.margin_mode) return bad_line(entry.line, "margin_mode must be \"cross\" or \"isolated\"");
    return {};
  }
  if (entry.key == "leverage") {
    market.leverage = parse_integer<std::uint32_t>(entry.value);
    if (market.leverage.value_or(0) == 0) return bad_line(entry.line, "leverage must be a whole number from 1");
    return {};
  }
  return bad_line(entry.line, "unknown key ", entry.key, "; a market has margin_mode and leverage");
}

Result<void> read_agent(const TomlEntry& entry, WantedDesk& desk) {
  const std::string name = entry.section.substr(agent_prefix.size());
  WantedAgent& agent = entry_of(desk.agents, &WantedAgent::name, name);
  if (entry.key == "address") {
    agent.address = parse_address(entry.value);
    if (!agent.address) return bad_line(entry.line, "address must be 0x and 40 hex digits");
    if (const auto problem = checksum_problem(entry.value); !problem.empty()) return bad_line(entry.line, problem);
    return {};
  }
  if (entry.key == "expires") {
    agent.lifetime_ms = SVC_TRY(in_line(entry.line, agent_lifetime("expires", entry.value)));
    return {};
  }
  return bad_line(entry.line, "unknown key ", entry.key, "; an agent has address and expires");
}

// Lists what has to change. A setting that is not known is always set.
struct Planner {
  Context& context;
  Exchange& exchange;
  ActionChoice action;
  bool is_known;  // the present settings are; a dry run plans without them
  std::vector<ChangePlan::Change> changes{};

  Result<void> markets(const std::vector<WantedMarket>& wanted) {
    MarketSettings settings(exchange);
    for (const WantedMarket& market : wanted) {
      if (!market.margin_mode && !market.leverage) continue;
      const auto now = is_known ? SVC_TRY(settings.of(market.market)) : MarketSettingTexts();
      if (market.margin_mode)
        set(market.market, "margin_mode", now.margin_mode, std::string(to_string(*market.margin_mode)),
            call_of<api::ops::SetMarginMode>({.market_id = market.market, .margin_mode = *market.margin_mode}));
      if (market.leverage)
        set(market.market, "leverage", now.leverage, std::to_string(*market.leverage),
            call_of<api::ops::SetLeverage>({.market_id = market.market, .leverage = *market.leverage}));
    }
    return {};
  }

  Result<void> agents(const std::vector<WantedAgent>& wanted, bool prune) {
    if (wanted.empty() && !prune) return {};
    const Json listed = is_known ? SVC_TRY(exchange.read<api::ops::ListAgents>()) : Json::array();
    const auto address_in = [](const Json& row) { return row.address_at("address"); };
    std::vector<Address> named;
    for (const WantedAgent& want : wanted) {
      const auto agent =
          SVC_TRY(known_agent(context, exchange.network().name, want.address ? to_string(*want.address) : want.name));
      named.push_back(agent.address);
      if (is_among(agent.address, listed.items(), address_in)) continue;
      add("agent " + want.name, "absent", "registered", "register",
          [&context = context, &exchange = exchange, agent, want] {
            return register_agent(context, exchange, agent, want.lifetime_ms, want.name, PlainWrite());
          });
    }
    for (const Json& row : listed.items()) {
      const auto address = address_in(row);
      if (!prune || !address || is_among(*address, named)) continue;
      Call call = call_of<api::ops::RevokeAgent>({.address = *address});
      call.direction = Direction::way_out;
      add(concat("agent ", row.string_at("label").value_or(to_string(*address))), "registered", "absent", "revoke",
          [&context = context, &exchange = exchange, address = *address,
           revoke = sends(std::move(call), "agents list")]() -> Result<Reply> {
            auto reply = SVC_TRY(revoke());
            // It trades no more, so that a file that stays is only a notice.
            if (const auto forgotten = forget_agent(**context.paths(), exchange.network().name, address); !forgotten)
              context.notice("agent_file", forgotten.error().message);
            return reply;
          });
    }
    return {};
  }

  Result<void> cancel_on_disconnect(bool wanted) {
    const Json now = is_known ? SVC_TRY(exchange.read<api::ops::GetCancelOnDisconnect>()) : Json();
    const std::string current = cell_text(now.find("enabled"));
    const std::string text = wanted ? "true" : "false";
    if (current == text) return {};
    add("cancel_on_disconnect", current, text, "set",
        sends(call_of<api::ops::SetCancelOnDisconnect>({.enabled = wanted}), "account cancel-on-disconnect get"));
    return {};
  }

  using Send = std::function<Result<Reply>()>;

  Send sends(Call call, const std::string& look_up) {
    call.look_up = {command_line(context, look_up)};
    return [&exchange = exchange, call = std::move(call)] { return exchange.call(call); };
  }

  void set(const api::MarketId& market, const std::string& what, const std::optional<std::string>& current,
           const std::string& wanted, Call call) {
    if (current.value_or("-") == wanted) return;
    call.action = action;
    add(market.text + " " + what, current.value_or("-"), wanted, "set",
        sends(std::move(call), "margin mode get " + market.text));
  }

  // `current` is "-" if it is not known.
  void add(const std::string& item, const std::string& current, const std::string& wanted, const std::string& action,
           Send send) {
    changes.push_back({.row = Json::object({{"item", item},
                                            {"action", action},
                                            {"current", current == "-" ? Json() : Json(current)},
                                            {"wanted", wanted}}),
                       .words = concat(action, " ", item, ": ", current, " -> ", wanted),
                       .send = std::move(send)});
  }
};

struct DeskSource {
  std::optional<std::string> file;
  bool prune = false;

  void declare(Arguments& arguments) {
    arguments.add(file, {"-f,--file", "how the account should be set up; - for standard input", "FILE"});
    arguments.add(prune, {"--prune", "revoke agents that the file does not name"});
  }
  Result<WantedDesk> read(Context& context) const {
    if (!file) return usage_error("--file names the set-up, such as desk.toml; - is standard input");
    const auto text = SVC_TRY(read_text(context, *file, "the file of --file"));
    return parse_desk(text);
  }
  // The changes in the order of execution: protection comes first.
  Result<std::vector<ChangePlan::Change>> plan(Context& context, Exchange& exchange, const WantedDesk& wanted,
                                               ActionChoice action, bool is_known) const {
    Planner planner{context, exchange, action, is_known};
    if (wanted.cancel_on_disconnect) SVC_TRY(planner.cancel_on_disconnect(*wanted.cancel_on_disconnect));
    SVC_TRY(planner.markets(wanted.markets));
    SVC_TRY(planner.agents(wanted.agents, prune));
    return std::move(planner.changes);
  }
};

Result<Answer> diff_desk(Context& context, const DeskSource& source, bool exit_code) {
  const auto wanted = SVC_TRY(source.read(context));
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto changes = SVC_TRY(source.plan(context, exchange, wanted, ActionChoice::when_unlocked, true));
  Answer answer{.data = Json::list(changes, &ChangePlan::Change::row)};
  if (exit_code && !changes.empty()) answer.exit = ExitCode::conflict;
  return answer;
}

Result<Answer> apply_desk(Context& context, const DeskSource& source, const ActionFlag& action) {
  const auto wanted = SVC_TRY(source.read(context));
  auto exchange = SVC_TRY(Exchange::open(context));
  context.note_unplanned("which of these settings are so already, and are left out");
  if (source.prune) context.note_unplanned("the agents that would be revoked");
  auto changes = SVC_TRY(source.plan(context, exchange, wanted, action.choice(), context.may_read()));
  if (changes.empty()) return Answer{.data = Json::array(), .view = {shown_columns("diff")}};
  // Stops at a failure that the next change would meet as well.
  const auto goes_on = [](ExitCode failure) {
    using enum ExitCode;
    return failure != outcome_unknown && failure != unavailable && failure != authentication &&
           failure != rate_limited && failure != confirmation;
  };
  return carry_out(context, {.changes = std::move(changes),
                             .done = "changes were made",
                             .goes_on = goes_on,
                             .look_again = command_line(context, "diff -f " + *source.file)});
}

}  // namespace

Result<WantedDesk> parse_desk(std::string_view toml) {
  const auto entries = parse_toml(toml);
  if (!entries) return usage_error(entries.error());
  if (entries->empty()) return usage_error("the file says nothing: it has no key");
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
      return bad_line(entry.line, "unknown section [", entry.section,
                      "]; there are [account], [markets.MARKET] and [agents.NAME]");
    }
  }
  return desk;
}

std::vector<CommandRow> desk_commands() {
  return {
      {"diff", "-f FILE", "Show what differs between an account and a file",
       "-f ~/desk.toml  # what differs between an account and a file",
       Output{"[] item action current? wanted", "item action current wanted"},
       calls(diff_desk, {{"--exit-code", "exit 6 if anything differs, 0 if nothing does"}}), Repeats::yes},
      {"apply", "-f FILE", "Set an account up as a file says",
       "-f ~/desk.toml --yes  # set the account up as the file says",
       Output{"[] item action current? wanted result", "item action current wanted result"}, calls(apply_desk)},
  };
}

}  // namespace svc::cli
