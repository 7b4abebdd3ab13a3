// Cancel-on-disconnect: the timer of the last stream.
#include <gtest/gtest.h>

#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

class DisconnectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordBatch records;
    world.exchange.network().disconnects.set(world.alice, true, records);
    world.limit(world.alice, Side::buy, 5, 59'000);
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
  const std::int64_t grace_ms = limits::disconnect_grace_ms_default;
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
  RecordBatch records;
  world.exchange.network().disconnects.set(world.alice, false, records);
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

// Keeps what it is given, like a log.
class Kept final : public RecordKeeper {
 public:
  bool keep(RecordBatch batch) override {
    keep_later(std::move(batch));
    return true;
  }
  void keep_later(RecordBatch batch) override {
    records.insert(records.end(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
  }
  RecordBatch records;
};

TEST(DisconnectGuard, ARestartGrantsTheWholeGraceTimeAgain) {
  const Address connected{{1}};
  const Address counting{{2}};
  const Address gone{{3}};
  DisconnectSettings settings;
  Kept kept;
  RecordBatch wishes;
  for (const Address& account : {connected, counting, gone}) settings.set(account, true, wishes);
  {
    DisconnectGuard guard(settings, kept);
    for (const Address& account : {connected, counting, gone}) guard.stream_opened(account);
    guard.stream_closed(gone, 1'000);
    const auto due = guard.next_due(1'000'000);
    ASSERT_TRUE(due);
    kept.keep_later(due->records);
    guard.done(*due, engine::Reject::none);
    guard.stream_closed(counting, 2'000);
  }
  DisconnectSettings later;
  for (const Address& account : {connected, counting, gone}) later.set(account, true, wishes);
  DisconnectGuard guard(later, kept);
  for (const RecordChange& change : kept.records) EXPECT_TRUE(guard.restore(change));
  guard.begin(50'000);
  std::vector<Address> cancelled;
  while (const auto due = guard.next_due(50'000 + limits::disconnect_grace_ms_default)) {
    EXPECT_EQ(due->at_ms, 50'000 + limits::disconnect_grace_ms_default);
    cancelled.push_back(std::get<engine::CancelAll>(due->body).account);
    guard.done(*due, engine::Reject::none);
  }
  EXPECT_EQ(cancelled, (std::vector<Address>{connected, counting}));
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
