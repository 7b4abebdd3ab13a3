// The engine against the naive venue: the same random commands, the same state after each, every invariant kept.
//
// SVC_PROPERTY_SEED and SVC_PROPERTY_STEPS move and widen the search; a failure prints its seed and the shortest list
// of commands found that still fails.

#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "comparison.h"
#include "generator.h"
#include "naive_venue.h"
#include "surroundings.h"

namespace svc::engine {
namespace SVC_FILE {

using test::setting;

// How often each corner was reached: a search that never liquidates proves nothing about liquidation.
struct Reached {
  std::map<std::string, std::uint64_t> counts;

  void note(const EventLog& log) {
    for (const Event& event : log.events()) std::visit([this](const auto& e) { note(e); }, event);
  }
  void note(const Trade& trade) {
    ++counts[trade.is_liquidation ? "liquidation trades" : "trades"];
    if (!trade.is_liquidation) return;
    const bool further = trade.taker_order == last_forced_.first && trade.price != last_forced_.second;
    if (further) ++counts["liquidations through another level"];
    last_forced_ = {trade.taker_order, trade.price};
  }
  void note(const OrderChanged& changed) {
    const OrderRecord& order = changed.order;
    if (is_live(order.status)) return;
    ++counts["ended by reason " + std::to_string(static_cast<int>(order.cancel_reason))];
    const bool decrements = order.stp == StpMode::decrement_and_cancel && order.time_in_force == TimeInForce::fok;
    if (decrements && order.status == OrderStatus::cancelled) ++counts["killed with decrements"];
    if (decrements && order.cancel_reason == CancelReason::stp_decrement_and_cancel) ++counts["killed by a decrement"];
  }
  void note(const Deleveraged& event) {
    ++counts[event.by_resume ? "resumed positions" : "deleveraged positions"];
    if (event.closures.empty()) ++counts["deleveragings that closed nothing"];
  }
  // A payout of a counterparty whose position stays open.
  void note(const PositionChanged& changed) {
    if (changed.cause == PositionCause::adl && changed.mode == MarginMode::isolated && changed.size != Lots{})
      ++counts["isolated positions deleveraged in part"];
  }
  void note(const InsuranceChanged& changed) {
    ++counts["fund cause " + std::to_string(static_cast<int>(changed.cause))];
  }
  void note(const MarketStatusChanged& changed) {
    if (changed.reason == HaltReason::adl_exhausted) ++counts["exhausted markets"];
  }
  template <class Other>
  void note(const Other&) {}

  std::pair<OrderId, Ticks> last_forced_{};
};

struct Pair {
  explicit Pair(const World& world) : engine({.markets = world.markets}), naive(world.markets) {}

  // Empty if both agree after the command.
  std::string apply(const Command& command) {
    reached.note(log);
    log.clear();
    const Reject reject = engine.apply(command, log).reject;
    const Reject naive_reject = naive.apply(command);
    std::string text = disagreement(engine, log, reject, naive, naive_reject);
    for (const auto& violations : {engine.violations(), engine.violations(log.events())})
      for (const std::string& violation : violations) text += violation + "\n";
    return text;
  }

  Engine engine;
  EventLog log;
  Reached reached;
  naive::NaiveVenue naive;
};

std::string replay(const World& world, const std::vector<Command>& commands) {
  Pair pair(world);
  for (const Command& command : commands) {
    const std::string text = pair.apply(command);
    if (!text.empty()) return text;
  }
  return "";
}

// Leaves out ever smaller pieces as long as what remains still fails.
std::vector<Command> shrink(const World& world, std::vector<Command> commands) {
  for (std::size_t piece = commands.size() / 2; piece > 0; piece /= 2) {
    for (std::size_t at = 0; at + piece <= commands.size();) {
      std::vector<Command> fewer = commands;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                  fewer.begin() + static_cast<std::ptrdiff_t>(at + piece));
      if (replay(world, fewer).empty()) {
        at += piece;
      } else {
        commands = std::move(fewer);
      }
    }
  }
  return commands;
}

void run(std::uint64_t seed, std::size_t steps, Reached& reached, Corner lean = Corner::none) {
  Generator generator(seed, lean);
  Pair pair(generator.world());
  std::vector<Command> commands;
  while (commands.size() < steps) {
    commands.push_back(generator.next(pair.engine));
    if (pair.apply(commands.back()).empty()) continue;
    const std::vector<Command> shortest = shrink(generator.world(), commands);
    std::string story;
    for (const Command& command : shortest) story += "  " + describe(command) + "\n";
    FAIL() << "seed " << seed << ", corner " << static_cast<int>(lean) << "\n"
           << replay(generator.world(), shortest) << "after\n"
           << story;
  }
  for (const auto& [corner, count] : pair.reached.counts) reached.counts[corner] += count;
}

TEST(NaiveEngine, AgreesWithTheEngineOnRandomStreams) {
  constexpr std::uint64_t usual_seed = 1;
  const std::uint64_t first = setting("SVC_PROPERTY_SEED", usual_seed);
  const std::uint64_t steps = setting("SVC_PROPERTY_STEPS", 4'000);
  constexpr std::uint64_t steps_per_run = 300;
  Reached reached;
  RecordProperty("seed", std::to_string(first));
  std::cout << "seed " << first << ", " << steps << " steps\n";
  for (std::uint64_t seed = first; (seed - first) * steps_per_run < steps; ++seed) {
    run(seed, steps_per_run, reached);
    if (HasFatalFailure()) return;
  }
  for (const auto& [corner, count] : reached.counts) std::cout << count << " " << corner << "\n";
  if (first != usual_seed) return;  // a short search from elsewhere may miss a corner
  for (const char* corner : {"trades", "liquidation trades", "deleveraged positions"}) {
    EXPECT_GT(reached.counts[corner], 0u) << corner << " never happened";
  }
}

// Stories that lean towards the rules that an even mix seldom reaches. SVC_PROPERTY_STORIES tells more of them.
TEST(NaiveEngine, AgreesWithTheEngineInTheCorners) {
  constexpr std::uint64_t usual_seed = 1;
  constexpr std::uint64_t usual_stories = 32;
  constexpr std::uint64_t steps_per_story = 250;
  const std::uint64_t first = setting("SVC_PROPERTY_SEED", usual_seed);
  const std::uint64_t stories = setting("SVC_PROPERTY_STORIES", usual_stories);
  Reached reached;
  RecordProperty("seed", std::to_string(first));
  std::cout << "seed " << first << ", " << stories << " stories\n";
  for (std::uint64_t story = 0; story < stories; ++story) {
    run(first + story, steps_per_story, reached, corners[story % std::size(corners)]);
    if (HasFatalFailure()) return;
  }
  for (const auto& [corner, count] : reached.counts) std::cout << count << " " << corner << "\n";
  if (first != usual_seed || stories < usual_stories) return;
  for (const char* corner : {"exhausted markets", "resumed positions", "deleveragings that closed nothing",
                             "isolated positions deleveraged in part", "killed with decrements",
                             "killed by a decrement", "liquidations through another level"}) {
    EXPECT_GT(reached.counts[corner], 0u) << corner << " never happened";
  }
}

}  // namespace SVC_FILE
}  // namespace svc::engine
