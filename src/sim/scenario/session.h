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

namespace svc::sim::scenario {

inline constexpr std::size_t session_steps_max = 10'000;

// One thing that happened, as the command that makes it happen again.
struct SessionStep {
  engine::Command command;
  engine::Reject reject = engine::Reject::none;
  std::vector<engine::OrderOutcome> orders;
};

struct SessionNames;

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
  struct Begun {
    Address account;
    Usdx balance;
    std::vector<engine::MarketSettings> settings;  // of each market
  };
  struct Ended {
    std::map<Address, engine::AccountFigures> figures;
    std::map<Address, std::vector<engine::PositionRow>> positions;
    std::vector<std::pair<std::vector<engine::OrderRecord>, std::vector<engine::OrderRecord>>> books;  // bids, asks
    engine::VenueFigures venue;
  };

  void watch(std::span<const engine::Event> events);
  void keep(SessionStep step);
  [[nodiscard]] std::vector<std::size_t> markets_used() const;
  [[nodiscard]] std::vector<Address> people() const;
  [[nodiscard]] SessionNames names(const std::vector<std::size_t>& markets) const;
  [[nodiscard]] std::string story(const std::string& title, const SessionNames& names,
                                  const std::vector<std::size_t>& markets) const;
  // With '?' where what came is still to be written.
  [[nodiscard]] std::string expectations(const SessionNames& names, const std::vector<std::size_t>& markets) const;
  [[nodiscard]] std::vector<std::string> beginning(const SessionNames& names,
                                                   const std::vector<std::size_t>& markets) const;
  // What came of it here, in the shape of `expect`.
  [[nodiscard]] nlohmann::json facts(const SessionNames& names, const std::vector<std::size_t>& markets) const;

  std::vector<engine::MarketSpec> specs_;
  std::vector<Ticks> marks_;                  // at the beginning
  std::vector<std::int64_t> leverage_unset_;  // what an account has that never set it
  std::vector<Begun> begun_;
  engine::VenueFigures venue_;
  TimestampMs began_ms_;
  std::vector<SessionStep> steps_;
  std::map<engine::OrderId, engine::OrderRecord> orders_;  // as they were told last
  std::vector<engine::Trade> trades_;
  bool time_matters_ = false;  // something cooled down or was paid by the clock
  std::optional<std::string> spoiled_;
  Ended ended_;
};

}  // namespace svc::sim::scenario
