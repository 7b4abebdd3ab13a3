#include "sim/sequencer/sandbox_clock.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start = 1'700'000'000'000;

TEST(SandboxClock, RealFollowsTheMachine) {
  ManualClock machine(start);
  const SandboxClock clock(machine, {ClockMode::real});
  machine.advance(1'234);
  EXPECT_EQ(clock.now_ms(), start + 1'234);
}

TEST(SandboxClock, ManualStandsStill) {
  ManualClock machine(start);
  SandboxClock clock(machine, {ClockMode::manual});
  machine.advance(10'000);
  EXPECT_EQ(clock.now_ms(), start);
  EXPECT_EQ(*clock.move({.advance_ms = 5}), start + 5);
  EXPECT_EQ(*clock.move({.set_ms = start + 100}), start + 100);
}

TEST(SandboxClock, OneThatFollowsStandsWhereTheLeaderStoppedIt) {
  ManualClock machine(start);
  SandboxClock clock(machine, {ClockMode::real});
  const ClockAnchor stopped{.pace = {ClockMode::manual}, .machine_ms = start, .sandbox_ms = start};
  machine.advance(7);
  EXPECT_EQ(clock.now_ms(), start + 7) << "before it is told";
  clock.follow(stopped);
  EXPECT_EQ(clock.now_ms(), start);
}

TEST(SandboxClock, OneThatFollowsGoesByTheClockOfTheLeadersMachine) {
  ManualClock leaders(start);
  ManualClock machine(start - 4'000);
  SandboxClock clock(machine, {ClockMode::real});
  clock.adopt({.pace = {ClockMode::real}, .machine_ms = start, .sandbox_ms = start + hour_ms});
  clock.set_ahead(-4'000);
  EXPECT_EQ(clock.now_ms(), start + hour_ms);
  machine.advance(500);
  leaders.advance(500);
  EXPECT_EQ(clock.anchor().machine_ms, leaders.now_ms());
  EXPECT_EQ(clock.now_ms(), start + hour_ms + 500);
  // It leads: time waits for this machine's clock.
  clock.set_ahead(0);
  EXPECT_EQ(clock.now_ms(), start + hour_ms + 500);
  machine.advance(1'000);
  EXPECT_EQ(clock.now_ms(), start + hour_ms + 1'000);
}

TEST(SandboxClock, ScaledRunsAtItsRate) {
  ManualClock machine(start);
  const SandboxClock clock(machine, *parse_clock_pace("x2.5"));
  machine.advance(1'000);
  EXPECT_EQ(clock.now_ms(), start + 2'500);
}

TEST(SandboxClock, ScaledWaitsForWhatIsDueAndMakesUpForNothing) {
  ManualClock machine(start);
  SandboxClock clock(machine, *parse_clock_pace("x60"));
  clock.begin_pass();
  machine.advance(limits::clock_lead_ms);
  EXPECT_EQ(clock.now_ms(), start + 60 * limits::clock_lead_ms);
  clock.end_pass();
  machine.advance(10);
  const TimestampMs before = clock.now_ms();
  EXPECT_EQ(before, start + 60 * (limits::clock_lead_ms + 10)) << "it was not held up";

  clock.begin_pass();
  machine.advance(limits::clock_lead_ms + 5'000);
  const TimestampMs held = before + 60 * limits::clock_lead_ms;
  EXPECT_EQ(clock.now_ms(), held);
  clock.end_pass();
  EXPECT_EQ(clock.now_ms(), held);
  EXPECT_EQ(clock.last_change().sandbox_ms, held) << "whoever follows the clock is told";
  machine.advance(1);
  EXPECT_EQ(clock.now_ms(), held + 60);
}

// The time that passes meanwhile would keep the two apart for good.
TEST(SandboxClock, OneThatFollowsWaitsAsTheLeadersDoes) {
  ManualClock machine(1'000'000);
  const ClockPace pace{ClockMode::scaled, Ppm{60 * ppm_one}};
  SandboxClock leader(machine, pace, 0);
  SandboxClock follower(machine, pace, 0);
  const auto tell = [&] {
    const TimestampMs shown_ms = leader.now_ms();
    follower.follow_wait(leader.last_change(), shown_ms);
  };
  follower.begin_pass(SandboxClock::Waits::for_leader);
  leader.begin_pass();
  machine.advance(4'000);
  tell();
  EXPECT_EQ(leader.now_ms(), 60 * limits::clock_lead_ms);
  EXPECT_EQ(follower.now_ms(), leader.now_ms() + 60 * limits::clock_unheard_ms);
  leader.end_pass();
  follower.end_pass();
  machine.advance(900);
  tell();
  EXPECT_EQ(follower.now_ms(), leader.now_ms());
  const TimestampMs held = leader.now_ms() + 60 * limits::clock_unheard_ms;
  machine.advance(10'000);
  EXPECT_EQ(follower.now_ms(), held) << "it hears nothing";
  follower.heard(held + minute_ms);
  EXPECT_EQ(follower.now_ms(), held + minute_ms + 60 * limits::clock_unheard_ms) << "an entry of the log is word, too";
}

// Writers wait for what is due: at x100000 that would be three hours of bots.
TEST(SandboxClock, ScaledMovesFartherBeforeTheNextPassOnlyWhileThatTakesLittle) {
  ManualClock machine(start);
  SandboxClock clock(machine, *parse_clock_pace("x100000"));
  const auto pass = [&](std::int64_t takes_ms) {
    const TimestampMs before = clock.now_ms();
    clock.begin_pass();
    machine.advance(takes_ms);
    clock.end_pass();
    machine.advance(50);
    return clock.now_ms() - before;
  };
  EXPECT_EQ(clock.now_ms(), start);
  machine.advance(50);
  EXPECT_EQ(clock.now_ms(), start + limits::clock_step_ms);
  EXPECT_EQ(pass(10), 2 * limits::clock_step_ms);
  EXPECT_EQ(pass(10), 4 * limits::clock_step_ms);
  // It took three times as long as it should.
  EXPECT_LE(pass(3 * limits::clock_lead_ms), 4 * limits::clock_step_ms + 4 * limits::clock_step_ms / 3);
  EXPECT_LE(pass(10'000), 4 * limits::clock_step_ms);
  EXPECT_LE(pass(10), 2 * limits::clock_step_ms) << "a minute in any case";
  for (int i = 0; i < 20; ++i) pass(1);
  EXPECT_GE(pass(1), 51 * 100'000) << "nothing holds it up";
}

TEST(SandboxClock, AJumpOfAScaledClockIsMadeAtOnce) {
  ManualClock machine(start);
  SandboxClock clock(machine, *parse_clock_pace("x100000"));
  clock.begin_pass();
  clock.end_pass();
  EXPECT_EQ(*clock.move({.advance_ms = day_ms}), start + day_ms);
  machine.advance(1'000);
  EXPECT_EQ(clock.now_ms(), start + day_ms + limits::clock_step_ms);
}

TEST(SandboxClock, APassThatSomebodyMovesTheClockInGoesOnFromThere) {
  ManualClock machine(start);
  SandboxClock clock(machine, *parse_clock_pace("x10"));
  clock.begin_pass();
  machine.advance(limits::clock_lead_ms + 1'000);
  const TimestampMs held = start + 10 * limits::clock_lead_ms;
  EXPECT_EQ(*clock.move({.advance_ms = hour_ms}), held + hour_ms);
  machine.advance(1'000);
  EXPECT_EQ(clock.now_ms(), held + hour_ms) << "the pass is not over";
  clock.end_pass();
  machine.advance(1);
  EXPECT_EQ(clock.now_ms(), held + hour_ms + 10);
}

TEST(SandboxClock, RealNeverWaits) {
  ManualClock machine(start);
  SandboxClock clock(machine, {ClockMode::real});
  clock.begin_pass();
  machine.advance(60'000);
  EXPECT_EQ(clock.now_ms(), start + 60'000);
  clock.end_pass();
  EXPECT_EQ(clock.now_ms(), start + 60'000);
}

TEST(SandboxClock, AdvanceAndSetWorkAtEveryPace) {
  for (const char* pace : {"real", "manual", "x10"}) {
    ManualClock machine(start);
    SandboxClock clock(machine, *parse_clock_pace(pace));
    EXPECT_EQ(*clock.move({.advance_ms = hour_ms}), start + hour_ms) << pace;
    EXPECT_EQ(*clock.move({.set_ms = start + 2 * hour_ms}), start + 2 * hour_ms) << pace;
    EXPECT_FALSE(clock.move({.set_ms = start}).has_value()) << pace;
    EXPECT_FALSE(clock.move({.advance_ms = -1}).has_value()) << pace;
    EXPECT_FALSE(clock.move({.set_ms = limits::clock_ms_max + 1}).has_value()) << pace;
    EXPECT_EQ(clock.now_ms(), start + 2 * hour_ms) << pace;
  }
}

TEST(SandboxClock, RunsHalfAsFastAfterTheMachineWasSetBackUntilItHasCaughtUp) {
  ManualClock machine(start);
  const SandboxClock clock(machine, {ClockMode::real});
  machine.advance(1'000);
  EXPECT_EQ(clock.now_ms(), start + 1'000);
  machine.advance(-600);
  EXPECT_EQ(clock.now_ms(), start + 1'000);
  for (int i = 0; i < 1'000; ++i) {
    machine.advance(1);
    static_cast<void>(clock.now_ms());
  }
  EXPECT_EQ(clock.now_ms(), start + 1'500);
  machine.advance(-100);
  EXPECT_EQ(clock.now_ms(), start + 1'500) << "set back again";
  machine.advance(400);
  EXPECT_EQ(clock.now_ms(), start + 1'700) << "caught up";
  machine.advance(10);
  EXPECT_EQ(clock.now_ms(), start + 1'710);
}

TEST(SandboxClock, AScaledOneRunsAtHalfItsRateAfterTheMachineWasSetBack) {
  ManualClock machine(start);
  const SandboxClock clock(machine, *parse_clock_pace("x10"));
  machine.advance(100);
  EXPECT_EQ(clock.now_ms(), start + 1'000);
  machine.advance(-50);
  static_cast<void>(clock.now_ms());
  machine.advance(10);
  EXPECT_EQ(clock.now_ms(), start + 1'050);
  machine.advance(90);
  EXPECT_EQ(clock.now_ms(), start + 1'500);
  machine.advance(1);
  EXPECT_EQ(clock.now_ms(), start + 1'510);
}

TEST(SandboxClock, AfterARestartBehindTheLogItCatchesUpWithTheMachine) {
  ManualClock machine(start + day_ms);  // a day ahead
  SandboxClock wrong(machine, {ClockMode::real});
  const TimestampMs last_ms = wrong.now_ms();
  machine.advance(-day_ms);
  const ClockAnchor kept = wrong.anchor();
  SandboxClock clock(machine, {ClockMode::real});
  clock.resume(kept, last_ms);
  EXPECT_EQ(clock.now_ms(), last_ms);
  for (int i = 0; i < 60; ++i) {
    machine.advance(minute_ms);
    static_cast<void>(clock.now_ms());
  }
  EXPECT_EQ(clock.now_ms(), last_ms + hour_ms / 2);
  machine.advance(12 * hour_ms);
  EXPECT_EQ(clock.now_ms(), last_ms + hour_ms / 2) << "the machine was put half right";
  machine.advance(2 * day_ms);
  EXPECT_EQ(clock.now_ms(), machine.now_ms());
}

TEST(SandboxClock, ALeaderWritesNothingBeforeTheLastEntry) {
  ManualClock machine(start);
  SandboxClock clock(machine, {ClockMode::real});
  clock.never_before(start + 100);
  EXPECT_EQ(clock.now_ms(), start + 100);
  machine.advance(200);
  EXPECT_EQ(clock.now_ms(), start + 200);
}

TEST(SandboxClock, AChangeOfPaceDoesNotJumpExceptToCatchUpWithTheMachine) {
  ManualClock machine(start);
  SandboxClock clock(machine, {ClockMode::manual});
  machine.advance(10'000);
  const auto set = [&](ClockPace pace) { EXPECT_TRUE(clock.move({.pace = pace})); };
  set({ClockMode::scaled, Ppm{2 * ppm_one}});
  EXPECT_EQ(clock.now_ms(), start);
  set({ClockMode::real});
  EXPECT_EQ(clock.now_ms(), start + 10'000);

  EXPECT_TRUE(clock.move({.advance_ms = hour_ms}).has_value());
  set({ClockMode::manual});
  set({ClockMode::real});
  EXPECT_EQ(clock.now_ms(), start + 10'000 + hour_ms);
}

TEST(SandboxClock, CatchingUpWithTheMachineIsAJumpLikeAnyOther) {
  ManualClock machine(start);
  SandboxClock clock(machine, {ClockMode::manual}, start - limits::clock_jump_ms_max - 1);
  const auto refused = clock.move({.pace = ClockPace{ClockMode::real}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "time moves at most 400 days at once");
  EXPECT_EQ(clock.pace().mode, ClockMode::manual);
  EXPECT_TRUE(clock.move({.advance_ms = 1}));
  EXPECT_EQ(*clock.move({.pace = ClockPace{ClockMode::real}}), start);
}

TEST(SandboxClock, StartsAtTheGivenTime) {
  ManualClock machine(start);
  const SandboxClock clock(machine, {ClockMode::manual}, 42);
  EXPECT_EQ(clock.now_ms(), 42);
}

TEST(ClockPace, TextRoundTripsAndNonsenseIsRefused) {
  for (const char* text : {"real", "manual", "x1", "x0.5", "x1000000"}) {
    const auto pace = parse_clock_pace(text);
    ASSERT_TRUE(pace.has_value()) << text;
    EXPECT_EQ(to_string(*pace), text);
  }
  for (const char* text : {"", "x", "x0", "x-1", "x1000001", "2", "fast", "x1e3", "Real"})
    EXPECT_FALSE(parse_clock_pace(text).has_value()) << text;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
