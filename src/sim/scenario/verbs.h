// The verbs of a story: the word, the arguments, and the command or market they make. JSON, the text format, the
// output of sessions and the list in docs/scenarios.md derive from one table (verbs.cpp). A new verb is a row.
#pragma once

#include <map>

#include "base/address.h"
#include "sim/engine/commands.h"
#include "sim/engine/events.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {

// One step: a command, and what only the story knows.
struct Act {
  engine::CommandBody body{engine::PassTime{}};
  std::int64_t wait_ms = 0;                    // before the command
  std::string label{};                         // for the order that the command leaves
  std::optional<std::string> snapshot{};       // instead of the command
  std::optional<engine::MarketSpec> market{};  // that it describes
  bool names_order = false;                    // so that it means what the label means at that time
};

// What the names of a story refer to.
struct Cast {
  const std::vector<engine::MarketSpec>& markets;
  std::map<std::string, Address> accounts{};            // a new name is added
  std::map<std::string, engine::OrderRecord> orders{};  // by label; accepted ones, in their state at that time
};

// Throws Unreadable; `where` is the step.
[[nodiscard]] Act act_of(const Record& step, const std::string& where, Cast& cast);

// The names of accounts in a step, whether the step is valid or not.
void note_accounts(const Record& step, std::map<std::string, Address>& accounts);

// A market of the story, with defaults for what the record omits. Throws Unreadable.
[[nodiscard]] engine::MarketSpec market_of(const Record& record);

// A mark or an index as the market stores it: the nearest tick, half up (rule 1.2).
[[nodiscard]] Ticks nearest_tick(const engine::MarketSpec& spec, const engine::Rational& price);

// "market ID NAME VALUE ..."; tiers as "0:0.1:0.05,20000:0.2:0.1". Throws Unreadable.
[[nodiscard]] Record read_market(const TextLine& line);

// "alice buys 5 @ 10 IOC as first"; a step that names no market is in the given one. Throws Unreadable.
[[nodiscard]] Record read_step(const TextLine& line, const std::string& market);

// The names in a story.
struct StoryNames {
  struct Order {
    std::string label;
    engine::MarketIndex market;
  };
  std::vector<engine::MarketSpec> specs{};  // by market index
  std::vector<std::size_t> markets{};       // of the story; lines without a market mean the first
  std::map<Address, std::string> accounts{};
  std::map<engine::OrderId, Order> orders{};
  std::map<std::pair<Address, std::string>, int> client_ids{};  // how often each was sent
};

// A market as a line, without default values.
[[nodiscard]] std::string market_line(const engine::MarketSpec& spec);

// The line for this act, with the refusal; empty if there is no such line. Off-grid numbers are not recorded: the
// line is a comment then.
[[nodiscard]] std::string line_of(const Act& act, engine::Reject reject, const StoryNames& names);

// The table of verbs for docs/scenarios.md.
[[nodiscard]] std::string verbs_in_markdown();

}  // namespace svc::sim::scenario
