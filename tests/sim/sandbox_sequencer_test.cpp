// The single writer: order, time, log and replay.

#include <gtest/gtest.h>

#include <thread>

#include "sim/sequencer/memory_log.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/market_table.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace {

constexpr TimestampMs start = 1'700'000'000'000;

Address account_of(std::uint8_t number) {
  Address address;
  address.bytes.back() = number;
  return address;
}

engine::Deposit deposit(std::uint8_t account, std::int64_t usdx) {
  return {.account = account_of(account), .amount = Usdx{usdx * usdx_one}, .kind = engine::FundsKind::deposit};
}

class SequencerTest : public ::testing::Test {
 protected:
  ManualClock clock_{start};
  MemoryLog log_;
  Sequencer sequencer_{engine::EngineConfig{}, clock_, log_};
};

TEST_F(SequencerTest, StampsCommandsAndNumbersThemWithoutGaps) {
  const auto first = sequencer_.submit(deposit(1, 100));
  clock_.advance(5);
  const auto second = sequencer_.submit(deposit(1, 50));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->at_ms, start);
  EXPECT_EQ(second->at_ms, start + 5);
  EXPECT_EQ(first->outcome.sequence.value + 1, second->outcome.sequence.value);
  EXPECT_EQ(second->outcome.balance, Usdx{150 * usdx_one});
}

TEST_F(SequencerTest, FollowersHaveSeenACommandWhenItsSubmissionReturns) {
  Views views(sequencer_.read([](const engine::Engine& engine, TimestampMs) { return engine.market_count(); }));
  sequencer_.add_follower(views);
  (void)sequencer_.submit(deposit(1, 100));
  const auto seen = views.read([](const VenueView& view) { return view.account(account_of(1)).funds().rows().size(); });
  EXPECT_EQ(seen, 1u);
}

TEST_F(SequencerTest, ReplayOfTheLogGivesTheSameStateHash) {
  for (std::uint8_t account = 1; account <= 5; ++account) (void)sequencer_.submit(deposit(account, 100 * account));
  clock_.advance(hour_ms);
  sequencer_.pass_time();
  (void)sequencer_.submit(engine::Withdraw{.account = account_of(3), .amount = Usdx{1}});
  const auto hash = sequencer_.read([](const engine::Engine& engine, TimestampMs) { return engine.state_hash(); });

  engine::Engine replayed{engine::EngineConfig{}};
  engine::NullSink nobody;
  ASSERT_TRUE(log_.read(1, [&](const LogEntry& entry) {
    replayed.apply(entry.command, nobody);
    return true;
  }));
  EXPECT_EQ(replayed.state_hash(), hash);
}

TEST_F(SequencerTest, ManyWritersLoseNothing) {
  constexpr int writers = 4;
  constexpr int each = 100;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer)
      threads.emplace_back([this, writer] {
        for (int i = 0; i < each; ++i) {
          const auto applied = sequencer_.submit(deposit(static_cast<std::uint8_t>(writer), 1));
          EXPECT_TRUE(applied && applied->outcome.ok());
        }
      });
  }
  sequencer_.read([](const engine::Engine& engine, TimestampMs) {
    EXPECT_EQ(engine.sequence().value, std::uint64_t{writers * each});
    for (std::uint8_t writer = 0; writer < writers; ++writer)
      EXPECT_EQ(engine.account(account_of(writer)).balance, Usdx{each * usdx_one});
  });
}

// A log that refuses, as a full disk does.
class FullLog final : public CommandLog {
 public:
  Result<std::uint64_t, LogError> append(const engine::Command&) override { return unexpected(LogError::not_written); }
  Result<void, LogError> read(std::uint64_t, const std::function<bool(const LogEntry&)>&) const override { return {}; }
  std::uint64_t last_position() const override { return 0; }
};

TEST(Sequencer, WhatIsNotLoggedDoesNotHappen) {
  const ManualClock clock(start);
  FullLog log;
  Sequencer sequencer{engine::EngineConfig{}, clock, log};
  const auto refused = sequencer.submit(deposit(1, 100));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), WriteRefusal::not_logged);
  EXPECT_EQ(sequencer.read([](const engine::Engine& engine, TimestampMs) { return engine.sequence().value; }), 0u);
}

// Keeps its writer busy until it is let go.
class SlowLog final : public CommandLog {
 public:
  Result<std::uint64_t, LogError> append(const engine::Command&) override {
    started.test_and_set();
    started.notify_all();
    let_go.wait(false);
    return ++last_;
  }
  Result<void, LogError> read(std::uint64_t, const std::function<bool(const LogEntry&)>&) const override { return {}; }
  std::uint64_t last_position() const override { return last_; }

  std::atomic_flag started;
  std::atomic_flag let_go;

 private:
  std::uint64_t last_ = 0;
};

TEST(Sequencer, RefusesAWriterWhenTooManyWait) {
  const ManualClock clock(start);
  SlowLog log;
  Sequencer sequencer{engine::EngineConfig{}, clock, log, 1};
  std::jthread first([&] { EXPECT_TRUE(sequencer.submit(deposit(1, 100)).has_value()); });
  log.started.wait(false);
  const auto refused = sequencer.submit(deposit(1, 100));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), WriteRefusal::queue_full);
  log.let_go.test_and_set();
  log.let_go.notify_all();
  first.join();
  EXPECT_TRUE(sequencer.submit(deposit(1, 100)).has_value());
}

TEST(MemoryLog, ReadsFromAPositionAndForgetsTheOldest) {
  MemoryLog log(2);
  for (int i = 1; i <= 3; ++i)
    EXPECT_EQ(*log.append({.now_ms = i, .body = engine::PassTime{}}), static_cast<std::uint64_t>(i));
  std::vector<TimestampMs> times;
  const auto note = [&](const LogEntry& entry) {
    times.push_back(entry.command.now_ms);
    return true;
  };
  EXPECT_TRUE(log.read(2, note).has_value());
  EXPECT_EQ(times, (std::vector<TimestampMs>{2, 3}));
  EXPECT_FALSE(log.read(1, note).has_value());
  EXPECT_TRUE(log.read(4, note).has_value());
  EXPECT_FALSE(log.read(5, note).has_value());
  EXPECT_EQ(log.last_position(), 3u);
}

}  // namespace
}  // namespace svc::sim
