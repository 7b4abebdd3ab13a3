// Cancel-on-disconnect: the timer of the last stream.
#include <gtest/gtest.h>

#include "base/archive.h"
#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

class DisconnectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    switch_to(true);
    world.limit(world.alice, Side::buy, 5, 59'000);
  }

  void switch_to(bool enabled) {
    (void)world.served(SetCancelOnDisconnect{.account = world.alice, .enabled = enabled});
  }
  [[nodiscard]] std::size_t open_orders() const {
    return world.exchange.views().read(
        [&](const VenueView& view) { return view.account(world.alice).open_orders().size(); });
  }
  void wait(std::int64_t ms) {
    world.clock.advance(ms);
    world.exchange.pass_time();
  }

  StreamWorld world;
  const std::int64_t grace_ms = limits::disconnect_grace_ms;
};

TEST_F(DisconnectTest, OrdersAreCancelledWhenTheGraceTimeHasPassed) {
  const auto client = world.account_stream(world.alice);
  client->vanish();
  wait(grace_ms - 1);
  EXPECT_EQ(open_orders(), 1u);
  wait(1);
  EXPECT_EQ(open_orders(), 0u);
  const auto ended = world.exchange.views().read(
      [&](const VenueView& view) { return view.account(world.alice).ended_orders().rows().back(); });
  EXPECT_EQ(ended.cancel_reason, engine::CancelReason::cancel_on_disconnect);
  EXPECT_EQ(ended.updated_ms, world.clock.now_ms());
}

TEST_F(DisconnectTest, AStreamWithinTheGraceTimeStopsTheTimer) {
  world.account_stream(world.alice)->vanish();
  wait(grace_ms - 1);
  const auto again = world.account_stream(world.alice);
  wait(10 * grace_ms);
  EXPECT_EQ(open_orders(), 1u);
}

// Nobody could connect while the process was away, whatever its clock says afterwards.
TEST_F(DisconnectTest, ARestartGivesTheWholeGraceTimeToARunningTimer) {
  world.account_stream(world.alice)->vanish();
  wait(1);
  world.clock.advance(10 * grace_ms);
  ASSERT_TRUE(world.exchange.drop_lost_streams().has_value());
  wait(grace_ms - 1);
  EXPECT_EQ(open_orders(), 1u);
  wait(1);
  EXPECT_EQ(open_orders(), 0u);
}

// As after a revert: else a crash would cancel nothing.
TEST_F(DisconnectTest, ALoadedStateCountsTheStreamsThatAreOpen) {
  const std::string image = world.exchange.image();
  const auto client = world.account_stream(world.alice);
  ASSERT_TRUE(world.exchange.become(image).has_value());
  ASSERT_TRUE(world.exchange.drop_lost_streams().has_value());
  wait(1);
  EXPECT_TRUE(world.exchange.network().services.look()->disconnects.is_connected(world.alice));
}

// The leader takes a node whose entry in etcd ended for one that ended itself.
TEST_F(DisconnectTest, ANodeReportsItsStreamsAgainAfterItWasTakenForGone) {
  struct Leader final : RemoteWriter {
    Result<void, WriteRefusal> submit(std::span<Unit> units, std::span<Applied>) override {
      for (const Unit& unit : units)
        if (const auto* command = std::get_if<ServiceCommand>(&unit.body))
          if (const auto* note = std::get_if<NotePresence>(command)) told.push_back(*note);
      return unexpected(WriteRefusal::not_logged);
    }
    std::vector<NotePresence> told{};
  } leader;
  const auto client = world.account_stream(world.alice);
  wait(1);
  Sequencer& sequencer = world.exchange.sequencer();
  sequencer.stop_writing(leader);
  const auto told_after_loss_of = [&](const std::string& node) {
    leader.told.clear();
    EXPECT_TRUE(world.exchange.take({.position = sequencer.position() + 1,
                                     .at_ms = world.clock.now_ms(),
                                     .unit = {.body = ServiceCommand(NoteStreamsLost{.node = node})}}));
    sequencer.pass_time();
    return leader.told.size();
  };
  EXPECT_EQ(told_after_loss_of("another/7"), 0u);
  ASSERT_EQ(told_after_loss_of(world.exchange.streams().node()), 1u);
  EXPECT_EQ(leader.told[0].account, world.alice);
  EXPECT_TRUE(leader.told[0].connected);
}

TEST_F(DisconnectTest, OnlyTheLastStreamCounts) {
  const auto first = world.account_stream(world.alice);
  const auto second = world.account_stream(world.alice);
  first->vanish();
  wait(10 * grace_ms);
  EXPECT_EQ(open_orders(), 1u);
  second->vanish();
  wait(grace_ms);
  EXPECT_EQ(open_orders(), 0u);
}

TEST_F(DisconnectTest, NothingIsCancelledWithoutAStreamOrTheSetting) {
  world.limit(world.bob, Side::buy, 5, 58'000);
  world.account_stream(world.bob)->vanish();
  wait(10 * grace_ms);
  EXPECT_EQ(open_orders(), 1u) << "alice never had a stream";
  const auto bobs =
      world.exchange.views().read([&](const VenueView& view) { return view.account(world.bob).open_orders().size(); });
  EXPECT_EQ(bobs, 1u) << "bob never asked";
}

TEST_F(DisconnectTest, AStreamForPublicChannelsDoesNotCount) {
  auto opening = world.open("/v1/ws?token=" + world.token(world.alice, StreamChannels::public_only));
  opening.client->vanish();
  wait(10 * grace_ms);
  EXPECT_EQ(open_orders(), 1u);
}

TEST_F(DisconnectTest, SwitchingItOffInTimeKeepsTheOrders) {
  world.account_stream(world.alice)->vanish();
  switch_to(false);
  wait(10 * grace_ms);
  EXPECT_EQ(open_orders(), 1u);
}

TEST_F(DisconnectTest, AClockJumpCancelsAtTheInstantItWasDue) {
  world.account_stream(world.alice)->vanish();
  const TimestampMs due = world.clock.now_ms() + grace_ms;
  wait(hour_ms);
  const auto ended = world.exchange.views().read(
      [&](const VenueView& view) { return view.account(world.alice).ended_orders().rows().back(); });
  EXPECT_EQ(ended.updated_ms, due);
}

TEST_F(DisconnectTest, AnAccountHasAStreamUntilTheLastOneCloses) {
  const AccountProbe& has_stream = world.exchange.network().has_stream;
  EXPECT_FALSE(has_stream(world.alice));
  const auto first = world.account_stream(world.alice);
  const auto second = world.account_stream(world.alice);
  EXPECT_TRUE(has_stream(world.alice));
  EXPECT_FALSE(has_stream(world.bob));
  first->vanish();
  EXPECT_TRUE(has_stream(world.alice));
  second->vanish();
  EXPECT_FALSE(has_stream(world.alice));
}

// The writer is told about the first stream and the last one only.
TEST_F(DisconnectTest, TheLogHasTwoEntriesForAnyNumberOfStreams) {
  const auto position = [&] { return world.exchange.sequencer().mark().position; };
  const std::string tokens[] = {world.token(world.alice), world.token(world.alice)};
  const std::uint64_t before = position();
  auto first = world.open("/v1/ws?token=" + tokens[0]);
  auto second = world.open("/v1/ws?token=" + tokens[1]);
  first.client->vanish();
  second.client->vanish();
  world.exchange.pass_time();
  EXPECT_EQ(position() - before, 4u) << "two tokens, and two of these";
}

TEST_F(DisconnectTest, AHandshakeThatIsRefusedSpendsNoTokenAndIsNoStream) {
  const std::string token = world.token(world.alice);
  for (const auto& [text, other] : {std::pair<std::string, std::string>{"GET ", "HEAD "},
                                    {"Host: localhost", "Host: "},
                                    {"\r\n\r\n", "\r\nSec-WebSocket-Extensions: ;;;=\r\n\r\n"}}) {
    auto client = std::make_unique<Client>("/v1/ws?token=" + token, "127.0.0.1");
    client->spoil(text, other);
    const auto opening = world.open(std::move(client));
    EXPECT_EQ(opening.status, 400) << other;
    EXPECT_EQ(opening.code, "bad_request") << other;
  }
  wait(10 * grace_ms);
  EXPECT_EQ(open_orders(), 1u);
}

TEST_F(DisconnectTest, AHandshakeAfterARefusedOneMayUseItsToken) {
  auto spoiled = std::make_unique<Client>("/v1/ws?token=" + world.token(world.alice), "127.0.0.1");
  const std::string target = spoiled->request().target;
  spoiled->spoil("GET ", "HEAD ");
  EXPECT_EQ(world.open(std::move(spoiled)).status, 400);
  EXPECT_EQ(world.open(target).status, 101);
}

TEST(DisconnectGuard, StartsATimerWhenTheStreamsOfAnEnabledAccountClose) {
  const Address account{{1}};
  DisconnectGuard guard;
  guard.stream_opened(account, "");
  guard.streams_closed(account, "", 1'000);
  EXPECT_FALSE(guard.next()) << "nobody asked for it";
  guard.set(account, true);
  EXPECT_TRUE(guard.is_enabled(account));
  guard.stream_opened(account, "");
  EXPECT_TRUE(guard.is_connected(account));
  EXPECT_FALSE(guard.next());
  guard.streams_closed(account, "", 5'000);
  EXPECT_FALSE(guard.is_connected(account));
  EXPECT_EQ(guard.next(), (DisconnectGuard::Timer{.ends_ms = 5'000 + limits::disconnect_grace_ms, .account = account}));
  guard.stream_opened(account, "");
  EXPECT_FALSE(guard.next());
  guard.set(account, false);
  EXPECT_FALSE(guard.is_enabled(account));
}

TEST(DisconnectGuard, IsTheSameAfterARestore) {
  const Address connected{{1}};
  const Address counting{{2}};
  const Address indifferent{{3}};
  DisconnectGuard before;
  for (const Address& account : {connected, counting}) before.set(account, true);
  before.set(indifferent, true);
  before.set(indifferent, false);
  for (const Address& account : {connected, counting, indifferent}) before.stream_opened(account, "");
  before.streams_closed(counting, "", 2'000);
  const std::string bytes = to_archive(before);
  auto after = from_archive<DisconnectGuard>(bytes);
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->is_enabled(connected));
  EXPECT_TRUE(after->is_connected(connected));
  EXPECT_TRUE(after->is_enabled(counting));
  EXPECT_FALSE(after->is_connected(counting));
  EXPECT_FALSE(after->is_enabled(indifferent));
  EXPECT_EQ(after->next(), before.next());
  EXPECT_EQ(to_archive(*after), bytes);
}

TEST(DisconnectGuard, IsNotRestoredWithTimersThatCannotBe) {
  using Timers = std::set<DisconnectGuard::Timer>;
  const Address account{{1}};
  const auto restored = [&](const std::set<Address>& connected, const Timers& timers) {
    ArchiveWriter writer;
    writer(std::set<Address>{account}, connected, timers);
    return from_archive<DisconnectGuard>(writer.bytes()).has_value();
  };
  EXPECT_TRUE(restored({}, {{1'000, account}}));
  EXPECT_FALSE(restored({account}, {{1'000, account}})) << "it is connected";
  EXPECT_FALSE(restored({}, {{1'000, account}, {2'000, account}})) << "twice";
  EXPECT_FALSE(restored({}, {{-1, account}}));
}

TEST(DisconnectGuard, ARestartGrantsTheWholeGraceTimeAgain) {
  const Address connected{{1}};
  const Address counting{{2}};
  const Address gone{{3}};
  DisconnectGuard guard;
  for (const Address& account : {connected, counting, gone}) guard.set(account, true);
  for (const Address& account : {connected, counting, gone}) guard.stream_opened(account, "");
  guard.streams_closed(gone, "", 1'000);
  guard.end(*guard.next());
  guard.streams_closed(counting, "", 2'000);
  guard.node_streams_closed("", 50'000);
  EXPECT_FALSE(guard.is_connected(connected));
  std::vector<Address> ended;
  while (const auto timer = guard.next()) {
    EXPECT_EQ(timer->ends_ms, 50'000 + limits::disconnect_grace_ms);
    ended.push_back(timer->account);
    guard.end(*timer);
  }
  EXPECT_EQ(ended, (std::vector<Address>{connected, counting}));
}

TEST(DisconnectGuard, ALostNodeStartsNoTimerOfAnAccountWithoutTheSetting) {
  const Address account{{1}};
  for (const char* lost : {"", "a/1"}) {
    DisconnectGuard guard;
    guard.stream_opened(account, "a/1");
    guard.node_streams_closed(lost, 1'000);
    EXPECT_TRUE(guard.is_idle()) << lost;
  }
}

// An account that has a stream on another node stays connected.
TEST(DisconnectGuard, CountsTheStreamsOfAllNodes) {
  const Address account{{1}};
  DisconnectGuard guard;
  guard.set(account, true);
  guard.stream_opened(account, "a/1");
  guard.stream_opened(account, "b/2");
  EXPECT_EQ(guard.nodes(), (std::set<std::string>{"a/1", "b/2"}));
  guard.streams_closed(account, "a/1", 1'000);
  EXPECT_TRUE(guard.is_connected(account));
  EXPECT_FALSE(guard.next());
  guard.node_streams_closed("a/1", 2'000);
  EXPECT_FALSE(guard.next());
  guard.node_streams_closed("b/2", 3'000);
  EXPECT_FALSE(guard.is_connected(account));
  ASSERT_TRUE(guard.next());
  EXPECT_EQ(guard.next()->ends_ms, 3'000 + limits::disconnect_grace_ms);
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
