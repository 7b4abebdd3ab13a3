// The engine is deterministic: the same commands give the same events and the same state; time never runs
// backwards.

#include <gtest/gtest.h>

#include "base/random.h"
#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

std::vector<Command> random_commands(std::uint64_t seed, std::size_t count) {
  Prng prng(seed);
  std::vector<Command> commands;
  TimestampMs now_ms = 1'700'000'000'000;
  const std::vector<Address> people = {alice, bob, carol, dave};
  for (const Address& who : people) commands.push_back({now_ms, Deposit{who, usdx("5000")}});
  commands.push_back({now_ms, OracleTick{{{{0}, Ticks{1000}, std::nullopt}}}});
  while (commands.size() < count) {
    now_ms += prng.between(0, 2'000);
    const Address& who = people[prng.below(people.size())];
    switch (prng.below(8)) {
      case 0: commands.push_back({now_ms, OracleTick{{{{0}, Ticks{prng.between(900, 1100)}, std::nullopt}}}}); break;
      case 1: commands.push_back({now_ms, CancelAll{who, std::nullopt}}); break;
      case 2: commands.push_back({now_ms, SampleFunding{}}); break;
      default: {
        OrderParams params;
        params.side = prng.below(2) == 0 ? Side::buy : Side::sell;
        params.quantity = {Lots{prng.between(1, 20)}, Grid::on};
        params.price = {Ticks{prng.between(950, 1050)}, Grid::on};
        commands.push_back({now_ms, PlaceOrder{who, params}});
      }
    }
  }
  return commands;
}

TEST(Replay, TheSameCommandsGiveTheSameEventsAndState) {
  const auto commands = random_commands(7, 500);
  Engine first({.markets = {plain_market()}});
  Engine second({.markets = {plain_market()}});
  EventLog log_first;
  EventLog log_second;
  for (const Command& command : commands) {
    first.apply(command, log_first);
    second.apply(command, log_second);
    ASSERT_EQ(first.state_hash(), second.state_hash());
  }
  EXPECT_EQ(log_first.events().size(), log_second.events().size());
  EXPECT_EQ(first.sequence(), Sequence{500});
}

// The value must be the same with every compiler, build type and machine. It also covers the format of images: a
// change of the state that changes this value needs the next image_version.
TEST(Replay, TheStateHashIsTheSameOnEveryPlatform) {
  Engine engine({.markets = {plain_market()}});
  EventLog log;
  for (const Command& command : random_commands(7, 500)) engine.apply(command, log);
  EXPECT_EQ(engine.state_hash(), 9634520942254763390u);
}

TEST(Replay, EveryChangeOfStateChangesTheHash) {
  Venue venue;
  std::uint64_t before = venue.engine.state_hash();
  const auto changed = [&] {
    const std::uint64_t after = venue.engine.state_hash();
    return std::exchange(before, after) != after;
  };
  venue.fund({alice});
  EXPECT_TRUE(changed());
  venue.mark("100");
  EXPECT_TRUE(changed());
  const auto order = venue.place(buy("1 @ 90").by(alice));
  EXPECT_TRUE(changed());
  venue.amend(order, "91", "");
  EXPECT_TRUE(changed());
  venue.apply(SetLeverage{alice, {0}, 3});
  EXPECT_TRUE(changed());
}

TEST(Replay, ACommandFromThePastIsAppliedAtThePresent) {
  Venue venue;
  venue.fund({alice}).mark("100");
  venue.now_ms -= 60'000;
  const auto order = venue.place(buy("1 @ 90").by(alice));
  EXPECT_EQ(order.order.created_ms, venue.now_ms + 60'000);
}

TEST(Replay, SequencesOrdersTradesAndFillsHaveNoGaps) {
  Engine engine({.markets = {plain_market()}});
  EventLog log;
  std::uint64_t sequence = 0;
  for (const Command& command : random_commands(11, 500)) {
    EXPECT_EQ(engine.apply(command, log).sequence.value, ++sequence);
  }
  std::uint64_t order = 0;
  std::uint64_t trade = 0;
  std::uint64_t fill = 0;
  for (const Event& event : log.events()) {
    if (const auto* changed = std::get_if<OrderChanged>(&event); changed && changed->order.id.value > order) {
      EXPECT_EQ(changed->order.id.value, ++order);
    }
    if (const auto* told = std::get_if<Trade>(&event)) {
      EXPECT_EQ(told->id.value, ++trade);
    }
    if (const auto* told = std::get_if<Fill>(&event)) {
      EXPECT_EQ(told->id.value, ++fill);
    }
  }
  EXPECT_GT(trade, 50u);
  EXPECT_EQ(fill, 2 * trade);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
