// A recording of an exchange as a scenario: the commands, their results, the beginning and the end. It begins with
// empty books and no positions, so that a fresh engine can be brought to the same point.
//
// Names are assigned in the order of addresses, because the exchange breaks ties by address and a story by name.
#pragma once

#include <nlohmann/json.hpp>

#include "base/address.h"
#include "sim/engine/engine.h"
#include "sim/scenario/chronicle.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {

inline constexpr std::size_t session_steps_max = 10'000;

class Session {
 public:
  // Why a session cannot begin here, in one sentence; nullopt if it can.
  [[nodiscard]] static std::optional<std::string> obstacle(const engine::Engine& engine, TimestampMs now_ms);

  // Requires that there is no obstacle.
  Session(const engine::Engine& engine, TimestampMs now_ms);

  // Adds a command and its results.
  void add(const engine::Command& command, const engine::Outcome& outcome, std::span<const engine::Event> events);
  // Adds what the clock alone caused.
  void pass(TimestampMs at_ms, std::span<const engine::Event> events);
  // From here on it cannot be written as a story, for this reason (one sentence). The first reason counts.
  void spoil(std::string why) {
    if (!spoiled_) spoiled_ = std::move(why);
  }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] const std::optional<std::string>& spoiled() const { return spoiled_; }

  // Records the final state; once, before to_story_text().
  void end(const engine::Engine& engine);

  struct WrittenSession {
    std::string text;
    std::map<std::string, Address> names;
    // Where a fresh engine gives other results than this exchange did; empty if the story is exact.
    std::vector<std::string> differences;
  };
  // The text of a scenario file with all its expectations; of a session that is no story, the steps alone, and the
  // reason is its only difference.
  [[nodiscard]] WrittenSession to_story_text(const std::string& title) const;

 private:
  // One recorded event, as the command that reproduces it.
  struct Step {
    engine::Command command;
    engine::Reject reject = engine::Reject::none;
    engine::OrderRecord order{};  // the resulting order
  };
  struct InitialAccount {
    Address account;
    Usdx balance;
    std::vector<engine::MarginTerms> settings;  // of each market
  };

  void note(std::span<const engine::Event> events);
  void keep(Step step) {
    if (spoiled_) return;
    if (steps_.size() >= session_steps_max)
      return spoil("more than " + std::to_string(session_steps_max) + " commands came, and no more are kept");
    steps_.push_back(std::move(step));
  }
  [[nodiscard]] StoryNames names() const;
  [[nodiscard]] std::string story(const std::string& title, const StoryNames& names) const;
  [[nodiscard]] std::vector<Act> beginning(const StoryNames& names) const;

  std::vector<engine::MarketSpec> specs_;
  std::uint32_t open_orders_max_;
  engine::OracleTick marks_;  // at the beginning
  std::vector<InitialAccount> initial_accounts_;
  engine::VenueFigures venue_;
  TimestampMs began_ms_;
  std::vector<Step> steps_;
  Chronicle chronicle_;
  bool time_matters_ = false;  // a cool-down ended or funding was paid by the clock
  std::optional<std::string> spoiled_;
  nlohmann::json facts_;  // the recorded results, in the shape of `expect`
};

}  // namespace svc::sim::scenario
