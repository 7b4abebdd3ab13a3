#include "sim/gateway/http_server_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.h"

namespace svc::sim {
namespace SVC_FILE {

struct Alarm : TimerWheel::Entry {
  int number = 0;
};

struct Wheel : TimerWheel {
  std::vector<int> rang(Tick now) {
    std::vector<int> numbers;
    advance(now, [&](Entry& entry) { numbers.push_back(static_cast<Alarm&>(entry).number); });
    return numbers;
  }
};

TEST(TimerWheel, RingsAtTheTickAndNotBefore) {
  for (const TimerWheel::Tick due : {1u, 2u, 255u, 256u, 257u, 1000u, 100'000u}) {
    Wheel wheel;
    Alarm alarm;
    alarm.number = 7;
    wheel.arm(alarm, due);
    EXPECT_EQ(wheel.rang(due - 1), std::vector<int>{}) << due;
    EXPECT_EQ(wheel.rang(due), std::vector<int>{7}) << due;
    EXPECT_EQ(wheel.rang(due + 1000), std::vector<int>{}) << due;
    EXPECT_TRUE(wheel.idle());
  }
}

TEST(TimerWheel, LaterEarlierNeverAndGone) {
  Wheel wheel;
  Alarm later, earlier, never;
  later.number = 1;
  earlier.number = 2;
  never.number = 3;
  auto gone = std::make_unique<Alarm>();
  for (Alarm* alarm : {&later, &earlier, &never, gone.get()}) wheel.arm(*alarm, 50);
  wheel.arm(later, 500);
  wheel.arm(earlier, 10);
  wheel.arm(never, TimerWheel::never);
  gone.reset();
  EXPECT_EQ(wheel.rang(10), std::vector<int>{2});
  EXPECT_EQ(wheel.rang(499), std::vector<int>{});
  EXPECT_EQ(wheel.rang(500), std::vector<int>{1});
}

TEST(TimerWheel, DeadlineInThePastIsTheNextTick) {
  Wheel wheel;
  Alarm alarm;
  EXPECT_EQ(wheel.rang(100), std::vector<int>{});
  wheel.arm(alarm, 3);
  EXPECT_EQ(wheel.rang(101), std::vector<int>{0});
}

TEST(TimerWheel, AlarmMayArmItselfAgainAndEndOthers) {
  TimerWheel wheel;
  Alarm ringing;
  auto victim = std::make_unique<Alarm>();
  int rang = 0;
  wheel.arm(ringing, 5);
  wheel.arm(*victim, 5);
  const auto expire = [&](TimerWheel::Entry& entry) {
    ASSERT_EQ(&entry, &ringing);
    ++rang;
    victim.reset();
    wheel.arm(ringing, wheel.now() + 5);
  };
  wheel.advance(12, expire);
  EXPECT_EQ(rang, 2);
}

TEST(TimerWheel, AgreesWithAListOfDeadlines) {
  constexpr std::uint64_t seed = 90;
  Prng random(seed);
  Wheel wheel;
  std::vector<Alarm> alarms(40);
  std::vector<TimerWheel::Tick> due(alarms.size(), TimerWheel::never);
  for (std::size_t i = 0; i < alarms.size(); ++i) alarms[i].number = static_cast<int>(i);
  for (int step = 0; step < 5000; ++step) {
    const std::size_t i = random.below(alarms.size());
    due[i] = random.below(8) == 0 ? TimerWheel::never : wheel.now() + 1 + random.below(700);
    wheel.arm(alarms[i], due[i]);
    const TimerWheel::Tick now = wheel.now() + random.below(random.below(50) == 0 ? 2000 : 20);
    std::vector<int> expected;
    for (std::size_t k = 0; k < due.size(); ++k) {
      if (due[k] > now) continue;
      expected.push_back(static_cast<int>(k));
      due[k] = TimerWheel::never;
    }
    std::vector<int> rang = wheel.rang(now);
    std::sort(rang.begin(), rang.end());
    ASSERT_EQ(rang, expected) << "seed " << seed << ", step " << step;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
