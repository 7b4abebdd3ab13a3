// Sequence numbers follow from the log: after a restart, on another exchange of the same log, after a revert.
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/sequencer/journal.h"
#include "sim/streams/world.h"
#include "sim/temporary_folder.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using engine::Side;

Json resume(const std::string& channel, const Json& market, const Json& interval, std::uint64_t since) {
  Json frame = subscribe(channel, market);
  if (!interval.is_null()) frame["interval"] = interval;
  frame["since"] = since;
  return frame;
}

// What a new connection of the account is sent of one channel after that number.
std::vector<Json> resumed(StreamWorld& world, const Address& account, const Json& frame) {
  const auto client = world.account_stream(account);
  client->say(frame);
  auto heard = client->heard();
  client->vanish();
  return heard;
}

// Every frame of every channel that can be resumed, from the first event on.
std::string all_frames(StreamWorld& world) {
  std::string text;
  const auto add = [&](const Json& frame) {
    for (const Address& account : {world.alice, world.bob})
      for (const Json& told : resumed(world, account, frame)) text += told.dump() + '\n';
  };
  add(resume("trades", btc, nullptr, 0));
  for (const auto interval : api::timeframe_texts) add(resume("candles", btc, interval, 0));
  for (const char* channel : {"orders", "fills"}) add(resume(channel, nullptr, nullptr, 0));
  return text;
}

StreamNumbers numbers(StreamWorld& world) {
  return world.exchange.streams().hub().numbers();
}

std::string number_bytes(StreamWorld& world) {
  return to_archive(numbers(world));
}

class StreamNumbering : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<StreamWorld> open(const std::string& name, SandboxOptions options = {}) {
    return std::make_unique<StreamWorld>(
        std::move(options), api::NetworkId::local,
        [this, name](const std::string&, const LogFacts& facts) -> Result<std::unique_ptr<DurableLog>, std::string> {
          auto journal = SVC_TRY(Journal::open(folder_.path / (name + ".db"), facts));
          journal_ = journal.get();
          return std::unique_ptr<DurableLog>(std::move(journal));
        });
  }
  // The log of an exchange that goes on, as it is now.
  void copy(const std::string& from, const std::string& to) {
    for (const char* ending : {".db", ".db-wal", ".ack"})
      if (std::filesystem::exists(folder_.path / (from + ending)))
        std::filesystem::copy(folder_.path / (from + ending), folder_.path / (to + ending));
  }
  // A snapshot of this exchange, which was opened last.
  void put_snapshot(const StreamWorld& world) {
    ASSERT_TRUE(journal_->put_snapshot({.position = world.exchange.last_position(), .image = world.exchange.image()}));
  }

  TemporaryFolder folder_;
  Journal* journal_ = nullptr;  // of the exchange that was opened last
};

// Orders, fills and trades of two accounts, over several candles.
void live_on(StreamWorld& world) {
  for (int i = 0; i < 4; ++i) {
    world.trade(1 + i, 60'000 + i);
    world.limit(world.alice, Side::buy, 1, 50'000);
    world.clock.advance(700);
  }
  world.cancel_all(world.alice);
}

TEST_F(StreamNumbering, IsTheSameOnEveryExchangeOfALog) {
  const auto first = open("first");
  live_on(*first);
  copy("first", "second");
  // This one replays, sends later, and sends several commands at once.
  const auto second = open("second", StreamWorld::with_running_clock());
  second->clock.advance(first->clock.now_ms() - second->clock.now_ms());
  EXPECT_EQ(number_bytes(*second), number_bytes(*first));
  live_on(*first);
  live_on(*second);
  const std::string frames = all_frames(*first);
  EXPECT_GT(std::ranges::count(frames, '\n'), 2 * 5 * (1 + 8)) << "trades and four candles, and what is theirs alone";
  EXPECT_TRUE(all_frames(*second) == frames);
  EXPECT_EQ(number_bytes(*second), number_bytes(*first));
  EXPECT_TRUE(second->exchange.image() == first->exchange.image());
}

TEST_F(StreamNumbering, GoesOnAfterARestart) {
  auto world = open("log");
  live_on(*world);
  const auto client = world->account_stream(world->alice);
  client->say(subscribe("trades", btc));
  client->say(subscribe("candles", btc));
  client->say(subscribe("orders"));
  client->say(subscribe("fills"));
  (void)client->heard();
  world->trade(1, 60'000);
  std::map<std::string, std::uint64_t> seen;
  for (const Json& event : client->heard())
    seen[event["channel"].get<std::string>()] = event["seq"].get<std::uint64_t>();
  ASSERT_EQ(seen.size(), 4u);
  // Nobody is connected now, and then the process ends.
  client->vanish();
  world->trade(2, 60'001);
  world.reset();
  world = open("log");
  world->trade(3, 60'002);
  for (const auto& [channel, since] : seen) {
    const bool of_market = channel == "trades" || channel == "candles";
    const auto heard = resumed(*world, world->alice, resume(channel, of_market ? Json(btc) : Json(), nullptr, since));
    ASSERT_GE(heard.size(), 3u) << channel << heard.front();
    EXPECT_EQ(heard[0]["op"], "subscribed");
    for (std::size_t i = 1; i < heard.size(); ++i) EXPECT_EQ(heard[i]["seq"], since + i) << channel;
  }
  EXPECT_EQ(resumed(*world, world->alice, resume("trades", btc, nullptr, seen["trades"])).back()["payload"]["amount"],
            0.003);
}

TEST_F(StreamNumbering, FromASnapshotIsThatOfTheWholeLog) {
  const auto whole = open("whole");
  live_on(*whole);
  copy("whole", "snapshot");
  {
    const auto before = open("snapshot");
    ASSERT_TRUE(before->clock.sandbox.move({.set_ms = whole->clock.now_ms()}));
    put_snapshot(*before);
    live_on(*before);
  }
  live_on(*whole);
  const auto later = open("snapshot");
  EXPECT_EQ(number_bytes(*later), number_bytes(*whole));
  const std::uint64_t kept_from = 4;  // trades before the snapshot
  const Json from_the_first = resume("trades", btc, nullptr, 0);
  EXPECT_EQ(resumed(*later, later->bob, from_the_first).front()["oldest_seq"], kept_from + 1)
      << "it began with the snapshot";
  EXPECT_EQ(resumed(*whole, whole->bob, from_the_first).front()["op"], "subscribed");
  for (const auto interval : api::timeframe_texts)
    EXPECT_EQ(resumed(*later, later->bob, resume("candles", btc, interval, kept_from)),
              resumed(*whole, whole->bob, resume("candles", btc, interval, kept_from)));
  ASSERT_TRUE(later->clock.sandbox.move({.set_ms = whole->clock.now_ms()}));
  live_on(*whole);
  live_on(*later);
  EXPECT_EQ(number_bytes(*later), number_bytes(*whole));
  EXPECT_TRUE(later->exchange.image() == whole->exchange.image());
}

TEST_F(StreamNumbering, NeverRepeatsANumberAfterARevert) {
  const auto world = open("log");
  live_on(*world);
  const std::string image = world->exchange.image();
  live_on(*world);
  const StreamNumbers present = numbers(*world);
  const std::uint64_t trades = present.markets.front().front();
  ASSERT_EQ(trades, 8u);
  const auto client = world->account_stream(world->bob);
  client->say(subscribe("trades", btc));
  client->say(subscribe("orders"));
  (void)client->heard();
  ASSERT_TRUE(world->exchange.become(image));
  const auto told = client->heard("op", "out_of_sync");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told.front()["oldest_seq"], nullptr);
  const StreamNumbers after = numbers(*world);
  const auto is_above = [](const auto& later, const auto& before) {
    return std::ranges::equal(later, before, [](std::uint64_t next, std::uint64_t last) {
      return next == (last == 0 ? 0 : last + 1);  // without an event there is none to miss
    });
  };
  for (std::size_t i = 0; i < after.markets.size(); ++i) EXPECT_TRUE(is_above(after.markets[i], present.markets[i]));
  for (const auto& [account, own] : present.accounts) EXPECT_TRUE(is_above(after.accounts.at(account), own));
  world->trade(1, 60'000);
  EXPECT_EQ(resumed(*world, world->bob, resume("trades", btc, nullptr, trades)).front()["op"], "out_of_sync")
      << "who saw the last event of before has missed something";
  const auto heard = resumed(*world, world->bob, resume("trades", btc, nullptr, trades + 1));
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[1]["seq"], trades + 2);

  copy("log", "replayed");
  const auto replayed = open("replayed");
  EXPECT_EQ(number_bytes(*replayed), number_bytes(*world));
  EXPECT_EQ(resumed(*replayed, replayed->bob, resume("trades", btc, nullptr, trades + 1)), heard);
}

TEST_F(StreamNumbering, GoesOnAboveAnImageFromElsewhere) {
  StreamWorld elsewhere;
  for (int i = 0; i < 3; ++i) live_on(elsewhere);
  const StreamNumbers theirs = numbers(elsewhere);
  const auto world = open("log");
  live_on(*world);
  ASSERT_TRUE(world->exchange.become(elsewhere.exchange.image()));
  const StreamNumbers after = numbers(*world);
  for (std::size_t i = 0; i < after.markets.front().size(); ++i)
    EXPECT_EQ(after.markets.front()[i], theirs.markets.front()[i] + 1) << i;
  EXPECT_EQ(after.accounts.at(world->bob).front(), theirs.accounts.at(world->bob).front() + 1);
}

TEST(StreamNumbers, OutliveTheBuffersOfForgottenAccounts) {
  StreamWorld world;
  const auto deposit = [&](std::uint32_t number) {
    Address account;
    account.bytes[0] = 1;
    account.bytes[1] = static_cast<std::uint8_t>(number >> 8);
    account.bytes[2] = static_cast<std::uint8_t>(number);
    EXPECT_TRUE(world.exchange.sequencer().submit(engine::Deposit{.account = account, .amount = Usdx{5 * usdx_one}}));
    return account;
  };
  const Address first = deposit(0);
  for (std::uint32_t i = 1; i <= limits::stream_accounts_max; ++i) (void)deposit(i);
  EXPECT_GT(numbers(world).accounts.size(), limits::stream_accounts_max);
  EXPECT_EQ(numbers(world).accounts.at(first), (StreamNumbers::OfAccount{0, 0, 0, 1}));
  EXPECT_EQ(deposit(0), first);
  EXPECT_EQ(numbers(world).accounts.at(first), (StreamNumbers::OfAccount{0, 0, 0, 2}));
  const auto client = world.account_stream(first);
  client->say(subscribe("balances"));
  EXPECT_EQ(client->heard().front()["seq_at_join"], 2);
}

TEST(StreamNumbers, EventsThatAReaderMissedOutliveThoseOfAccountsThatNobodyReads) {
  StreamWorld world;
  const auto deposit = [&](const Address& account) {
    EXPECT_TRUE(world.exchange.sequencer().submit(engine::Deposit{.account = account, .amount = Usdx{5 * usdx_one}}));
  };
  static_cast<void>(resumed(world, world.alice, subscribe("orders")));
  (void)world.limit(world.alice, Side::buy, 1, 50'000);
  for (std::uint32_t i = 0; i <= 2 * limits::stream_accounts_max; ++i) {
    Address other;
    other.bytes[0] = 1;
    other.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    other.bytes[2] = static_cast<std::uint8_t>(i);
    deposit(other);
  }
  const auto told = resumed(world, world.alice, resume("orders", nullptr, nullptr, 0));
  EXPECT_EQ(told.front()["op"], "subscribed");
  EXPECT_EQ(told.back()["op"], "event");
}

TEST_F(StreamNumbering, OfLiquidationsBelongsToOneProcess) {
  const auto first = open("first");
  live_on(*first);
  copy("first", "second");
  const auto second = open("second");
  const std::uint64_t joined =
      resumed(*first, first->bob, subscribe("liquidations")).front()["seq_at_join"].get<std::uint64_t>();
  const auto again = [&](StreamWorld& world) {
    return resumed(world, world.bob, resume("liquidations", nullptr, nullptr, joined)).front()["op"];
  };
  EXPECT_EQ(again(*first), "subscribed");
  EXPECT_EQ(again(*second), "out_of_sync");
  EXPECT_LT(joined, std::uint64_t{1} << 53) << "every client can read it";
}

TEST(StreamIntake, IsEmptiedByTheWriterWhenItIsFull) {
  StreamWorld world;
  StreamHub hub({.sequencer = world.exchange.sequencer(),
                 .views = world.exchange.views(),
                 .markets = world.exchange.markets(),
                 .clock = world.clock.sandbox,
                 .stats = {},
                 .clock_stands = {}},
                5);
  const std::vector<engine::Event> trades(2, engine::Trade{.price = Ticks{120'000}, .quantity = Lots{1}});
  const auto sent = [&] {
    const auto lock = hub.lock();
    return hub.market_topic(api::StreamChannel::trades, {}, api::Timeframe::minute_1).seq();
  };
  for (std::uint64_t sequence = 1; sequence <= 2; ++sequence) hub.follow({.sequence = {sequence}}, trades);
  EXPECT_EQ(sent(), 0u) << "the edge";
  hub.follow({.sequence = {3}}, trades);
  EXPECT_EQ(sent(), 6u) << "and one beyond: none is lost";
  const auto lock = hub.lock();
  EXPECT_TRUE(hub.market_topic(api::StreamChannel::trades, {}, api::Timeframe::minute_1).can_resume(0));
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
