// A session with an exchange being written down as a scenario: what was sent, what came of it, and how it began and
// ended. It begins with empty books and no positions, so that a fresh engine can be brought to the same point.
//
// People get names in the order of their addresses, because ties are broken by address there and by name in a story.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/address.h"
#include "base/result.h"
#include "sim/engine/engine.h"
#include "sim/scenario/chronicle.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {

inline constexpr std::size_t session_steps_max = 10'000;

class Session {
 public:
  // What stands in the way of a session that begins here, in one sentence; nullopt: nothing.
  [[nodiscard]] static std::optional<std::string> obstacle(const engine::Engine& engine, TimestampMs now_ms);

  // Requires that there is no obstacle.
  Session(const engine::Engine& engine, TimestampMs now_ms);

  // What was sent and what became of it.
  void add(const engine::Command& command, const engine::Outcome& outcome, std::span<const engine::Event> events);
  // What the clock alone caused.
  void pass(TimestampMs at_ms, std::span<const engine::Event> events);
  // From here on it cannot be told as a story; one sentence. The first one counts.
  void spoil(std::string why);

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] const std::optional<std::string>& spoiled() const { return spoiled_; }

  // How things stand when it ends; once, before tell().
  void end(const engine::Engine& engine);

  struct Told {
    std::string text;
    std::map<std::string, Address> names;
    // Where a fresh engine comes to something else than this exchange did; empty if the story is true.
    std::vector<std::string> differences;
  };
  // As the text of a scenario file with all its expectations. The error is one sentence.
  [[nodiscard]] Result<Told, std::string> tell(const std::string& title) const;

 private:
  // One thing that happened, as the command that makes it happen again.
  struct Step {
    engine::Command command;
    engine::Reject reject = engine::Reject::none;
    engine::OrderRecord order{};  // that it left
  };
  struct Begun {
    Address account;
    Usdx balance;
    std::vector<engine::MarketSettings> settings;  // of each market
  };

  void note(std::span<const engine::Event> events);
  void keep(Step step);
  [[nodiscard]] StoryNames names() const;
  [[nodiscard]] std::string story(const std::string& title, const StoryNames& names) const;
  [[nodiscard]] std::vector<Act> beginning(const StoryNames& names) const;

  std::vector<engine::MarketSpec> specs_;
  engine::OracleTick marks_;  // at the beginning
  std::vector<Begun> begun_;
  engine::VenueFigures venue_;
  TimestampMs began_ms_;
  std::vector<Step> steps_;
  Chronicle chronicle_;
  bool time_matters_ = false;  // something cooled down or was paid by the clock
  std::optional<std::string> spoiled_;
  nlohmann::json facts_;  // what came of it here, in the shape of `expect`
};

}  // namespace svc::sim::scenario
