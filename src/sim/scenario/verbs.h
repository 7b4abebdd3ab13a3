// The verbs of a story, once: the word, the arguments, and the command or the market that they make. JSON, the text,
// what a session writes and the list in docs/scenarios.md derive from one table (verbs.cpp). A new verb is a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "sim/engine/commands.h"
#include "sim/engine/events.h"
#include "sim/engine/outcome.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {

using CommandBody = decltype(engine::Command::body);

// What a step asks for: a command, and what only the story knows.
struct Act {
  CommandBody body{engine::PassTime{}};
  std::int64_t wait_ms = 0;               // before the command
  std::string label{};                    // of the order that the command leaves
  std::optional<std::string> snapshot{};  // instead of the command
  engine::MarketSpec market{};            // that is described, if one is
};

// What the names of a story stand for.
struct Cast {
  const std::vector<engine::MarketSpec>& markets;
  std::map<std::string, Address> accounts{};            // who is named for the first time is added
  std::map<std::string, engine::OrderRecord> orders{};  // by label; accepted ones, as they were then
};

// Throws FieldError; `where` is the step.
[[nodiscard]] Act act_of(const nlohmann::json& step, const std::string& where, Cast& cast);

// A market of the story, with what the object leaves out as it usually is. Throws FieldError.
[[nodiscard]] engine::MarketSpec market_of(const nlohmann::json& object);

// A mark or an index as the market holds it: the nearest tick, half up (rule 1.2).
[[nodiscard]] Ticks nearest_tick(const engine::MarketSpec& spec, const engine::Rational& price);

// "market ID NAME VALUE ..." as JSON; tiers as "0:0.1:0.05,20000:0.2:0.1". Throws LineError.
[[nodiscard]] nlohmann::json read_market(const TextLine& line);

// "alice buys 5 @ 10 IOC as first" as JSON; a step that names no market is in the given one. Throws LineError.
[[nodiscard]] nlohmann::json read_step(const TextLine& line, const std::string& market);

// What things are called in a story.
struct StoryNames {
  struct Order {
    std::string label;
    engine::MarketIndex market;
  };
  std::vector<engine::MarketSpec> specs{};  // by market index
  std::vector<std::size_t> markets{};       // of the story; lines that name none mean the first
  std::map<Address, std::string> accounts{};
  std::map<engine::OrderId, Order> orders{};
  std::map<std::pair<Address, std::string>, int> client_ids{};  // how often each was sent
};

// A market as a line, without what a story has anyway.
[[nodiscard]] std::string market_line(const engine::MarketSpec& spec);

// The line that asks for it, with the refusal; empty if no line can. Numbers off the grid are not kept: the line is a
// comment then.
[[nodiscard]] std::string line_of(const Act& act, engine::Reject reject, const StoryNames& names);

// The table of verbs for docs/scenarios.md.
[[nodiscard]] std::string verbs_in_markdown();

}  // namespace svc::sim::scenario
