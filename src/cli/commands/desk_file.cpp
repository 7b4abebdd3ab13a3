#include "cli/commands/desk_file.h"

#include <charconv>

#include "cli/commands/durations.h"
#include "cli/config/toml.h"

namespace svc::cli {
namespace {

constexpr std::string_view market_prefix = "markets.";
constexpr std::string_view agent_prefix = "agents.";

Failure bad_desk_entry(const TomlEntry& entry, const std::string& problem) {
  return usage_error("line " + std::to_string(entry.line) + ": " + problem);
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
    for (std::size_t i = 0; i < std::size(api::margin_mode_texts); ++i)
      if (api::margin_mode_texts[i] == entry.value) market.margin_mode = static_cast<api::MarginMode>(i);
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
                          : Result<void, Failure>(unexpected(
                                bad_desk_entry(entry, "unknown section [" + entry.section +
                                                    "]; there are [account], [markets.MARKET] and [agents.NAME]")));
    if (!read) return unexpected(read.error());
  }
  for (std::size_t i = 0; i < desk.markets.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (desk.markets[i].market == desk.markets[k].market)
        return unexpected(usage_error("[markets." + desk.markets[i].market.text + "] stands twice"));
  return desk;
}

}  // namespace svc::cli
