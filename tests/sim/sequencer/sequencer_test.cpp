// The single writer: order, time, log and replay.

#include <gtest/gtest.h>

#include <thread>

#include "sim/account_of.h"
#include "sim/sequencer/memory_log.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start = 1'700'000'000'000;

engine::Deposit deposit(std::uint8_t account, std::int64_t usdx) {
  return {.account = account_of(account), .amount = Usdx{usdx * usdx_one}, .kind = engine::FundsKind::deposit};
}

// A sequencer of its own with everything that it needs.
template <class Log>
struct Rig {
  explicit Rig(std::size_t writers_max = limits::writers_waiting_max)
      : sequencer{engine::EngineConfig{}, services, clock, log, start, writers_max} {}

  ManualClock clock{start};
  Log log;
  Services services{ServiceTerms{}};
  Sequencer sequencer;
};

template <class Log>
class SequencerOn : public ::testing::Test, public Rig<Log> {
 protected:
  using Rig<Log>::Rig;
};
using SequencerTest = SequencerOn<MemoryLog>;

TEST_F(SequencerTest, StampsCommandsAndNumbersThemWithoutGaps) {
  const auto first = sequencer.submit(deposit(1, 100));
  clock.advance(5);
  const auto second = sequencer.submit(deposit(1, 50));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->at_ms, start);
  EXPECT_EQ(second->at_ms, start + 5);
  EXPECT_EQ(first->outcome.sequence.value + 1, second->outcome.sequence.value);
  EXPECT_EQ(second->outcome.balance, Usdx{150 * usdx_one});
}

// Such an entry could not be read back.
TEST_F(SequencerTest, WhatALogMayNotHoldIsRefusedBeforeItIsLogged) {
  const Usdx too_much{limits::order_value_max + 1};
  engine::HaltMarket halt;
  halt.reason = "\xff";
  for (const UnitBody& body :
       {UnitBody(ServiceCommand(PayIn{.account = account_of(1), .amount = too_much})),
        UnitBody(ServiceCommand(WithdrawToWallet{.account = account_of(1), .amount = too_much})),
        UnitBody(ServiceCommand(TransferMoney{.client_transfer_id = "\xff"})), UnitBody(CommandBody(halt))}) {
    const auto refused = sequencer.submit(body);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), WriteRefusal::unusual);
  }
  EXPECT_EQ(log.last_position(), 0u);
}

TEST_F(SequencerTest, FollowersHaveSeenACommandWhenItsSubmissionReturns) {
  const MarketTable markets(engine::standard_markets());
  Views views(markets.specs());
  sequencer.add_follower(views);
  (void)sequencer.submit(deposit(1, 100));
  const auto seen = views.read([](const VenueView& view) { return view.account(account_of(1)).funds().rows().size(); });
  EXPECT_EQ(seen, 1u);
}

TEST_F(SequencerTest, ReplayOfTheLogGivesTheSameStateHash) {
  for (std::uint8_t account = 1; account <= 5; ++account) (void)sequencer.submit(deposit(account, 100 * account));
  clock.advance(hour_ms);
  sequencer.pass_time();
  (void)sequencer.submit(engine::Withdraw{.account = account_of(3), .amount = Usdx{1}});
  const auto hash = [](const engine::Engine& engine, TimestampMs) { return engine.state_hash(); };

  Rig<MemoryLog> replayed;
  ASSERT_TRUE(log.read(1, [&](const LogEntry& entry) { return replayed.sequencer.replay(entry).has_value(); }));
  EXPECT_EQ(replayed.sequencer.read(hash), sequencer.read(hash));
}

// An actor with a turn in each second. During its third turn the process is told to end.
class Ticking final : public ActorTurns {
 public:
  explicit Ticking(Sequencer& sequencer) : sequencer_(sequencer) {}

  std::optional<Turn> next_turn(TimestampMs now_ms) override {
    const TimestampMs at_ms = *next_ms();
    return at_ms <= now_ms ? std::optional(Turn{.at_ms = at_ms}) : std::nullopt;
  }
  std::optional<TimestampMs> next_ms() const override { return start + (turns + 1) * second_ms; }
  std::vector<Unit> take_turn(TimestampMs, const engine::Engine&) override { return units; }
  void turn_done() override {
    if (++turns == 3) sequencer_.leave_turns();
  }
  bool obey(const ActorOrder&, TimestampMs, ActorMemories&) override { return false; }
  bool recall(const ActorMemory&) override { return false; }

  std::int64_t turns = 0;
  std::vector<Unit> units;  // of each turn

 private:
  Sequencer& sequencer_;
};

TEST_F(SequencerTest, TheEndOfTheProcessLeavesTheTurnsThatAJumpOfTheClockMadeDue) {
  Ticking actor(sequencer);
  sequencer.environment().actors = &actor;
  clock.advance(hour_ms);
  const auto refused = sequencer.submit(deposit(1, 100));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), WriteRefusal::not_logged);
  EXPECT_EQ(actor.turns, 3);
}

// On a fast clock seconds pass between two turns of the machine: the prices of those seconds are still to come.
TEST_F(SequencerTest, AReaderSeesNoLaterTimeThanTurnsThatAreDue) {
  Ticking actor(sequencer);
  sequencer.environment().actors = &actor;
  const auto now = [](const engine::Engine&, TimestampMs now_ms) { return now_ms; };
  clock.advance(2 * second_ms + 500);
  EXPECT_EQ(sequencer.read(now), start + second_ms);
  sequencer.pass_time();
  EXPECT_EQ(sequencer.read(now), start + 2 * second_ms + 500);
}

// A revocation is a promise about everything that comes after it in the log.
TEST_F(SequencerTest, WhatWasRevokedEarlierInTheLogEntitlesNobody) {
  const Address agent = account_of(9);
  const Entitlements by{{.account = account_of(1), .by = agent}};
  const auto in_state = [&](std::uint64_t nonce) {
    return Unit{.nonces = {{NonceSequence::requests, agent, nonce}}, .body = CommandBody(deposit(1, 100)), .by = by};
  };
  ASSERT_TRUE(sequencer.submit(ServiceCommand(RegisterAgent{
      .agent = agent, .account = account_of(1), .expires_at_ms = start + limits::agent_lifetime_min_ms})));
  ASSERT_TRUE(sequencer.submit(in_state(1)));

  const auto together = sequencer.submit_together(
      {{.body = ServiceCommand(RevokeAgent{.account = account_of(1), .agent = agent})}, in_state(2)});
  ASSERT_TRUE(together && together->front().value);
  EXPECT_FALSE(together->back().was_entitled);
  const auto later = sequencer.submit(in_state(3));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error(), WriteRefusal::revoked);
  EXPECT_EQ(services.look()->nonces.highest(NonceSequence::requests, agent), 3u) << "their signatures were seen";
  const auto balance = [](const engine::Engine& engine, TimestampMs) { return engine.account(account_of(1)).balance; };
  EXPECT_EQ(sequencer.read(balance), Usdx{100 * usdx_one});

  Rig<MemoryLog> replayed;
  ASSERT_TRUE(log.read(1, [&](const LogEntry& entry) { return replayed.sequencer.replay(entry).has_value(); }));
  EXPECT_EQ(replayed.sequencer.read(balance), Usdx{100 * usdx_one});
}

// D-1147
TEST_F(SequencerTest, AnAgentThatEndsItselfEntitlesNobodyLaterInTheLogAndAStrangerEndsNone) {
  const Address agent = account_of(9);
  ASSERT_TRUE(sequencer.submit(ServiceCommand(RegisterAgent{
      .agent = agent, .account = account_of(1), .expires_at_ms = start + limits::agent_lifetime_min_ms})));
  const auto is_entitled_after_revocation_by = [&](const Address& account) {
    const auto together =
        sequencer.submit_together({{.body = ServiceCommand(RevokeAgent{.account = account, .agent = agent})},
                                   {.body = CommandBody(deposit(1, 100)), .by = {{account_of(1), agent}}}});
    return together && together->back().was_entitled;
  };
  EXPECT_TRUE(is_entitled_after_revocation_by(account_of(2)));
  EXPECT_FALSE(is_entitled_after_revocation_by(agent));
}

TEST_F(SequencerTest, AKeyEntitlesUntilItIsDeletedAndAnAgentUntilItExpires) {
  const auto minted = sequencer.submit(ServiceCommand(CreateKey{.account = account_of(1)}));
  ASSERT_TRUE(minted && minted->value);
  const std::string id = std::get<MintedKey>(*minted->value).id;
  const auto by_key = [&] {
    return sequencer.submit(Unit{.body = CommandBody(deposit(1, 1)), .by = {{.account = account_of(1), .by = id}}});
  };
  EXPECT_TRUE(by_key());
  ASSERT_TRUE(sequencer.submit(ServiceCommand(DeleteKey{.account = account_of(2), .id = id}))) << "not its own";
  EXPECT_TRUE(by_key());
  EXPECT_FALSE(
      sequencer.submit(Unit{.body = CommandBody(deposit(2, 1)), .by = {{.account = account_of(2), .by = id}}}));
  ASSERT_TRUE(sequencer.submit(ServiceCommand(DeleteKey{.account = account_of(1), .id = id})));
  EXPECT_FALSE(by_key());

  const Address agent = account_of(9);
  const TimestampMs ends_ms = start + limits::agent_lifetime_min_ms;
  ASSERT_TRUE(sequencer.submit(
      ServiceCommand(RegisterAgent{.agent = agent, .account = account_of(1), .expires_at_ms = ends_ms})));
  const auto by_agent = [&] {
    return sequencer.submit(Unit{.body = CommandBody(deposit(1, 1)), .by = {{.account = account_of(1), .by = agent}}});
  };
  clock.set(ends_ms - 1);
  EXPECT_TRUE(by_agent());
  clock.set(ends_ms);
  EXPECT_FALSE(by_agent());
}

TEST_F(SequencerTest, ManyWritersLoseNothing) {
  constexpr int writers = 4;
  constexpr int each = 100;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer)
      threads.emplace_back([this, writer] {
        for (int i = 0; i < each; ++i) {
          const auto applied = sequencer.submit(deposit(static_cast<std::uint8_t>(writer), 1));
          EXPECT_TRUE(applied && applied->outcome.ok());
        }
      });
  }
  sequencer.read([](const engine::Engine& engine, TimestampMs) {
    EXPECT_EQ(engine.sequence().value, std::uint64_t{writers * each});
    for (std::uint8_t writer = 0; writer < writers; ++writer)
      EXPECT_EQ(engine.account(account_of(writer)).balance, Usdx{each * usdx_one});
  });
}

// A log that refuses while told to, like a full disk; it counts its commits.
class FullLog final : public CommandLog {
 public:
  Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                         const std::optional<StateMark>& mark) override {
    ++commits;
    if (is_full) return unexpected(LogError::not_written);
    return memory.append(at_ms, units, mark);
  }

  bool is_full = true;
  int commits = 0;
  MemoryLog memory;
};
using SequencerOnAFullLog = SequencerOn<FullLog>;

std::uint64_t sequence_of(const Sequencer& sequencer) {
  return sequencer.read([](const engine::Engine& engine, TimestampMs) { return engine.sequence().value; });
}

TEST_F(SequencerOnAFullLog, AnUnloggedCommandDoesNotHappen) {
  const auto refused = sequencer.submit(deposit(1, 100));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), WriteRefusal::not_logged);
  EXPECT_EQ(sequence_of(sequencer), 0u);
  EXPECT_FALSE(sequencer.submit(ServiceCommand(AssignTier{account_of(1), api::Tier::market_maker})).has_value());
  EXPECT_EQ(sequencer.commits(), 0u);
  EXPECT_EQ(services.look()->tiers.of(account_of(1)), api::Tier::pro);
  log.is_full = false;
  EXPECT_TRUE(sequencer.submit(deposit(1, 100)).has_value());
  EXPECT_EQ(sequence_of(sequencer), 1u);
}

TEST_F(SequencerOnAFullLog, DueWorkWaitsForARefusingLogAndHappensAtItsOwnInstant) {
  clock.advance(2 * hour_ms);
  sequencer.pass_time();
  EXPECT_EQ(log.commits, 1);  // asked once, not in a loop
  EXPECT_EQ(sequence_of(sequencer), 0u);
  log.is_full = false;
  sequencer.pass_time();
  EXPECT_EQ(sequence_of(sequencer), 122u);  // 120 samples and 2 settlements
  sequencer.pass_time();
  EXPECT_EQ(log.commits, 2);  // nothing was due
}

TEST_F(SequencerOnAFullLog, APresenceIsLoggedBeforeTheNextUnitWithItsOwnTimeAndTheLatestCounts) {
  sequencer.note_presence({.account = account_of(1), .connected = false}, start);
  sequencer.note_presence({.account = account_of(1), .connected = true}, start + 5);
  clock.advance(10);
  sequencer.pass_time();  // refused, but not forgotten
  log.is_full = false;
  ASSERT_TRUE(sequencer.submit(deposit(1, 100)).has_value());
  std::vector<std::pair<TimestampMs, std::size_t>> logged;  // time, kind of body
  ASSERT_TRUE(log.memory.read(1, [&](const LogEntry& entry) {
    logged.emplace_back(entry.at_ms, entry.unit.body.index());
    return true;
  }));
  const std::vector<std::pair<TimestampMs, std::size_t>> expected{{start + 5, UnitBody(ServiceCommand()).index()},
                                                                  {start + 10, UnitBody(CommandBody()).index()}};
  EXPECT_EQ(logged, expected);
  EXPECT_TRUE(services.look()->disconnects.is_connected(account_of(1)));
}

TEST_F(SequencerTest, ANonceIsSpentOnceAndTheSecondUnitDoesNotHappen) {
  const SpentNonces nonces{{NonceSequence::requests, account_of(7), 5}};
  const auto pay = [&] { return sequencer.submit(Unit{.nonces = nonces, .body = CommandBody(deposit(1, 100))}); };
  const auto first = pay();
  const auto second = pay();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->nonces_fresh);
  EXPECT_FALSE(second->nonces_fresh);
  EXPECT_EQ(sequence_of(sequencer), 1u);
}

TEST_F(SequencerTest, ABatchRefusedForWantOfMoneyLogsOnlyItsNonces) {
  const engine::MarketSpec spec = engine::standard_markets().front();
  const Ticks price{spec.price_max.value / 10};
  ASSERT_TRUE(sequencer.submit(engine::OracleTick{{{{0}, price, price}}}));
  engine::OrderParams order;
  order.quantity = {spec.max_order_size, engine::Grid::on};
  order.price = {price, engine::Grid::on};
  const engine::PlaceBatch batch{account_of(1), {order, order}};
  const SpentNonces nonces{{NonceSequence::requests, account_of(7), 5}};
  const std::uint64_t before = log.last_position();
  const std::uint64_t sequence = sequence_of(sequencer);
  const auto refused = sequencer.submit(Unit{.nonces = nonces, .body = CommandBody(batch)});
  ASSERT_TRUE(refused);
  ASSERT_EQ(refused->outcome.orders.size(), 2u);
  for (const engine::OrderOutcome& item : refused->outcome.orders)
    EXPECT_EQ(item.reject, engine::Reject::insufficient_margin);
  EXPECT_EQ(sequence_of(sequencer), sequence);
  ASSERT_TRUE(log.read(before + 1, [&](const LogEntry& entry) {
    EXPECT_TRUE(std::holds_alternative<TimeAlone>(entry.unit.body));
    EXPECT_EQ(entry.unit.nonces.size(), 1u);
    return true;
  }));
  EXPECT_FALSE(sequencer.submit(Unit{.nonces = nonces, .body = CommandBody(batch)})->nonces_fresh);

  // Whoever has money gets an entry, and what the engine decides.
  ASSERT_TRUE(sequencer.submit(deposit(1, 100)));
  EXPECT_EQ(sequencer.submit(batch)->outcome.orders.back().reject, engine::Reject::insufficient_margin);
  EXPECT_EQ(sequence_of(sequencer), sequence + 2);
}

TEST_F(SequencerTest, AServiceCommandThatTheEngineRefusesChangesNothing) {
  const std::string before = services.image();
  const auto refused =
      sequencer.submit(ServiceCommand(WithdrawToWallet{.account = account_of(1), .amount = Usdx{usdx_one}}));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->outcome.reject, engine::Reject::insufficient_balance);
  EXPECT_EQ(services.image(), before);
}

TEST_F(SequencerTest, AReplayGivesTheSameServices) {
  const Address alice = account_of(1);
  const ServiceCommand commands[] = {
      OpenSession{.account = alice},
      CreateKey{.account = alice, .label = "bot"},
      ClaimFaucet{alice},
      ClaimFaucet{alice},  // refused
      OpenDepositAddress{alice},
      PayDepositAddress{.account = alice, .amount = Usdx{5 * usdx_one}, .asset = "USDC"},
      WithdrawOverBridge{.account = alice, .amount = Usdx{2 * usdx_one}, .idempotency_key = "one"},
      AssignTier{account_of(2), api::Tier::market_maker},
  };
  for (const ServiceCommand& command : commands) {
    ASSERT_TRUE(sequencer.submit(command).has_value());
    clock.advance(hour_ms);
  }
  sequencer.pass_time();
  EXPECT_EQ(services.look()->find({MovementKind::bridge_deposit, 1})->decision, MovementFate::settled);

  Rig<MemoryLog> replayed;
  ASSERT_TRUE(log.read(1, [&](const LogEntry& entry) { return replayed.sequencer.replay(entry).has_value(); }));
  EXPECT_EQ(replayed.services.image(), services.image());
  EXPECT_EQ(replayed.sequencer.mark(), sequencer.mark());
}

// Its first commit takes until it is released.
class SlowLog final : public CommandLog {
 public:
  Result<std::uint64_t, LogError> append(TimestampMs, std::span<const Unit* const> units,
                                         const std::optional<StateMark>&) override {
    started.test_and_set();
    started.notify_all();
    let_go.wait(false);
    commits.push_back(units.size());
    const std::uint64_t first = last_ + 1;
    last_ += units.size();
    return first;
  }
  bool is_stuck() const override { return stuck; }
  void when_stuck(std::function<void()> told) override { told_ = std::move(told); }
  void get_stuck() {
    stuck = true;
    told_();
  }
  void go_on() {
    stuck = false;
    let_go.test_and_set();
    let_go.notify_all();
  }

  std::atomic<bool> stuck{false};
  std::atomic_flag started;
  std::atomic_flag let_go;
  std::vector<std::size_t> commits;  // number of units of each commit

 private:
  std::uint64_t last_ = 0;
  std::function<void()> told_;
};

struct SequencerOnASlowLog : SequencerOn<SlowLog> {
  using SequencerOn<SlowLog>::SequencerOn;

  // Whether threads and fibers that wait behind an append are refused by this while the append waits, and it happens.
  void expect_refused_behind_an_append(const std::function<void()>& event) {
    constexpr int waiting = 6;
    std::jthread first([&] { EXPECT_TRUE(sequencer.submit(deposit(1, 100)).has_value()); });
    log.started.wait(false);
    std::atomic<int> refused{0};
    const auto write = [&] {
      const auto answer = sequencer.submit(deposit(1, 1));
      refused += !answer && answer.error() == WriteRefusal::not_logged ? 1 : 0;
    };
    Fibers fibers(1);
    std::vector<std::jthread> writers;
    for (int i = 0; i < waiting / 2; ++i) {
      writers.emplace_back(write);
      EXPECT_TRUE(fibers.run(write));
    }
    while (sequencer.waiting() < waiting) std::this_thread::yield();
    writers.emplace_back(event);
    for (int tries = 0; tries < 2'000 && refused < waiting; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(refused, waiting);
    EXPECT_EQ(log.commits.size(), 0u);
    write();
    EXPECT_EQ(refused, waiting + 1) << "one that comes later";
    log.go_on();
    first.join();
    EXPECT_EQ(sequence_of(sequencer), 1u);
  }
};

class SequencerForOneWriter : public SequencerOnASlowLog {
 protected:
  SequencerForOneWriter() : SequencerOnASlowLog(1) {}
};

TEST_F(SequencerForOneWriter, RefusesAWriterWhenTooManyWait) {
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

// They are in no batch, so it is known that nothing of theirs happened.
TEST_F(SequencerOnASlowLog, WritersBehindAnAppendThatIsStuckAreRefusedAndTheAppendHappens) {
  expect_refused_behind_an_append([&] { log.get_stuck(); });
  EXPECT_TRUE(sequencer.submit(deposit(1, 1)).has_value());
  EXPECT_EQ(log.commits, (std::vector<std::size_t>{1, 1}));
}

TEST_F(SequencerOnASlowLog, WritersBehindAnAppendAreRefusedAtOnceWhenAnotherProcessBeginsToWrite) {
  struct : RemoteWriter {
    Result<void, WriteRefusal> submit(std::span<Unit>, std::span<Applied>) override {
      return unexpected(WriteRefusal::not_logged);
    }
  } remote;
  expect_refused_behind_an_append([&] {
    sequencer.stop_writing(remote);
    EXPECT_EQ(log.commits, std::vector<std::size_t>{1}) << "it returns when the append is over";
  });
  EXPECT_FALSE(sequencer.is_writing());
}

// A log whose next append is stuck for as long as `meanwhile` takes.
class StuckLog final : public CommandLog {
 public:
  Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                         const std::optional<StateMark>& mark) override {
    if (const auto now = std::exchange(meanwhile, nullptr)) now();
    stuck = false;
    return memory.append(at_ms, units, mark);
  }
  bool is_stuck() const override { return stuck; }
  void when_stuck(std::function<void()> told) override { told_ = std::move(told); }
  void get_stuck() {
    stuck = true;
    told_();
  }

  std::function<void()> meanwhile;
  std::atomic<bool> stuck{false};
  MemoryLog memory;

 private:
  std::function<void()> told_;
};
using SequencerOnAStuckLog = SequencerOn<StuckLog>;

TEST_F(SequencerOnAStuckLog, WritersWhoseCommitBeginsWithATurnOfActorsAreRefusedWhileThatIsStuck) {
  constexpr int others = 3;
  Ticking actor(sequencer);
  actor.units = {{.memories = {{.key = "key", .value = "value"}}}};
  sequencer.environment().actors = &actor;
  std::atomic<int> written{0};
  std::atomic<int> refused{0};
  std::vector<std::jthread> writers;
  const auto write = [&] { ++(sequencer.submit(deposit(1, 1)) ? written : refused); };
  const auto turn_is_stuck = [&] {
    log.get_stuck();
    for (int tries = 0; tries < 2'000 && refused < others; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(refused, others);
  };
  log.meanwhile = [&] {
    for (int i = 0; i < others + 1; ++i) writers.emplace_back(write);
    while (sequencer.waiting() <= others) std::this_thread::yield();
    clock.advance(second_ms);
    log.meanwhile = turn_is_stuck;
  };
  write();
  writers.clear();
  EXPECT_EQ(written, 2) << "the first one, and the one whose thread appends";
  EXPECT_EQ(actor.turns, 1);
  EXPECT_EQ(sequence_of(sequencer), 2u);
  write();
  EXPECT_EQ(written, 3);
}

TEST_F(SequencerOnASlowLog, WaitingWritersShareTheNextCommit) {
  constexpr std::size_t waiting = 20;
  std::vector<std::jthread> writers;
  const auto write = [&] { EXPECT_TRUE(sequencer.submit(deposit(1, 1)).has_value()); };
  writers.emplace_back(write);
  log.started.wait(false);
  for (std::size_t i = 0; i < waiting; ++i) writers.emplace_back(write);
  while (sequencer.waiting() < waiting) std::this_thread::yield();
  // Reads do not wait for a commit.
  EXPECT_EQ(sequence_of(sequencer), 0u);
  log.let_go.test_and_set();
  log.let_go.notify_all();
  writers.clear();
  EXPECT_EQ(log.commits, (std::vector<std::size_t>{1, waiting}));
  EXPECT_EQ(sequencer.commits(), 2u);
  EXPECT_EQ(sequence_of(sequencer), waiting + 1);
}

// Judged before its commit, the batch would be refused for want of money, as if there were no such order.
TEST_F(SequencerOnASlowLog, ABatchThatRepeatsAnOrderOfItsCommitIsAnsweredWithIt) {
  std::vector<std::jthread> writers;
  const Ticks price{120'000};
  writers.emplace_back([&] { EXPECT_TRUE(sequencer.submit(engine::OracleTick{{{{0}, price, price}}})); });
  log.started.wait(false);
  engine::OrderParams order;
  order.quantity = {Lots{1}, engine::Grid::on};
  order.price = {price, engine::Grid::on};
  order.client_id = *engine::ClientId::from("mine");
  Result<Applied, WriteRefusal> placed = Applied{};
  Result<Applied, WriteRefusal> repeated = Applied{};
  writers.emplace_back([&] { EXPECT_TRUE(sequencer.submit(deposit(1, 100))); });
  while (sequencer.waiting() < 1) std::this_thread::yield();
  writers.emplace_back([&] { placed = sequencer.submit(engine::PlaceOrder{account_of(1), order}); });
  while (sequencer.waiting() < 2) std::this_thread::yield();
  writers.emplace_back([&] { repeated = sequencer.submit(engine::PlaceBatch{account_of(1), {order}}); });
  while (sequencer.waiting() < 3) std::this_thread::yield();
  log.go_on();
  writers.clear();
  EXPECT_EQ(log.commits, (std::vector<std::size_t>{1, 3}));
  ASSERT_TRUE(placed && repeated);
  ASSERT_EQ(placed->outcome.reject, engine::Reject::none);
  EXPECT_EQ(repeated->outcome.reject, engine::Reject::none);
  EXPECT_EQ(repeated->outcome.orders.at(0).order.id, placed->outcome.orders.at(0).order.id);
}

TEST_F(SequencerOnASlowLog, WritersInFibersShareACommitOnceAllHaveHadTheirTurn) {
  constexpr std::size_t writers = 20;
  log.let_go.test_and_set();
  std::atomic_flag is_alone;
  std::atomic_flag is_full;
  {
    Fibers fibers(1);
    // A turn of the thread takes the work that exists when it begins: first this alone, then all the others.
    ASSERT_TRUE(fibers.run([&] {
      is_alone.test_and_set();
      is_alone.notify_all();
      is_full.wait(false);
    }));
    is_alone.wait(false);
    for (std::size_t i = 0; i < writers; ++i)
      ASSERT_TRUE(fibers.run([&] {
        EXPECT_TRUE(sequencer.submit(deposit(1, 1)).has_value());
        EXPECT_TRUE(sequencer.submit(deposit(1, 1)).has_value());  // in the same commit
      }));
    is_full.test_and_set();
    is_full.notify_all();
  }
  EXPECT_EQ(log.commits, (std::vector<std::size_t>{writers, writers}));
  EXPECT_EQ(sequence_of(sequencer), 2 * writers);
}

TEST_F(SequencerOnAFullLog, FibersAndThreadsShareCommitsAndLoseNothing) {
  constexpr int writers = 4;
  constexpr int each = 100;
  log.is_full = false;
  const auto write = [&] {
    for (int i = 0; i < each; ++i) EXPECT_TRUE(sequencer.submit(deposit(1, 1)).has_value());
  };
  {
    Fibers fibers(2);
    std::vector<std::jthread> threads;
    for (int i = 0; i < writers; ++i) {
      for (int fiber = 0; fiber < writers; ++fiber) ASSERT_TRUE(fibers.run(write));
      threads.emplace_back(write);
    }
  }
  EXPECT_EQ(sequence_of(sequencer), std::uint64_t{writers * (writers + 1) * each});
  EXPECT_EQ(sequencer.waiting(), 0u);
}

TEST_F(SequencerOnAFullLog, AFullLogRefusesEveryFiberOfTheCommit) {
  std::atomic<int> refused{0};
  {
    Fibers fibers(1);
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(fibers.run([&] {
        const auto answer = sequencer.submit(deposit(1, 1));
        refused += !answer && answer.error() == WriteRefusal::not_logged ? 1 : 0;
      }));
  }
  EXPECT_EQ(refused, 10);
  EXPECT_EQ(sequence_of(sequencer), 0u);
}

TEST(MemoryLog, ReadsFromAPositionAndForgetsTheOldest) {
  MemoryLog log(2);
  const Unit unit{.body = CommandBody(engine::PassTime{})};
  const Unit* const units[] = {&unit};
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(*log.append(i, units, std::nullopt), static_cast<std::uint64_t>(i));
  std::vector<TimestampMs> times;
  const auto note = [&](const LogEntry& entry) {
    times.push_back(entry.at_ms);
    return true;
  };
  EXPECT_TRUE(log.read(2, note).has_value());
  EXPECT_EQ(times, (std::vector<TimestampMs>{2, 3}));
  EXPECT_FALSE(log.read(1, note).has_value());
  EXPECT_TRUE(log.read(4, note).has_value());
  EXPECT_FALSE(log.read(5, note).has_value());
  EXPECT_EQ(log.last_position(), 3u);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
