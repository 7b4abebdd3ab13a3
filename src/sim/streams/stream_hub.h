// Where what happens in an exchange becomes what its streams say.
//
//   writer -> EventIntake -> dispatch(): sequences, replay buffers, frames -> readers' queues
//
// While the clock runs the writer only copies events into the intake. A dispatch - on a thread of its own, or by hand
// in a test - takes them out, gives each its sequence in each topic, writes each frame once, and hands the same bytes
// to every reader of the topic. Readers are never waited for: what does not fit into a reader's queue is that reader's
// loss (StreamReader).
//
// While the clock stands the writer dispatches each command itself, before the next: what is told, and when, follows
// from the commands alone. (D-670)
//
// Sequences begin at 0 with the exchange. They are not kept: after a restart, and for accounts that were
// forgotten meanwhile, they go on far above anything that was sent, at the command's number times 2^16. (D-341)
//
// Thread-safe: one lock for all of it, which functions say they need: lock(), or between_commands() for those that
// read the engine as well. The writer's turn is taken before it, never after it; the views may be read under it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "api/contract/markets.h"
#include "api/stream_message.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/sequencer.h"
#include "sim/streams/stream_topic.h"
#include "sim/views/views.h"

// Where the exchange's events wait until the streams take them: the only part of the streams that the
// writer ever meets. It copies what somebody may want to hear and goes on.
//
// Bounded: if the streams fall behind by more than limits::stream_intake_events_max, everything that waits is
// forgotten, and the streams are told so.
//
// Thread-safe: one lock, held while events are copied or handed over.

namespace svc::sim {

struct Happened {
  Stamp stamp;
  engine::Event event;
};

class EventIntake {
 public:
  explicit EventIntake(std::size_t capacity = limits::stream_intake_events_max) : capacity_(capacity) {}

  void follow(const Stamp& stamp, std::span<const engine::Event> events);

  // Replaces `into` by what waits, oldest first. False: before it, events were forgotten.
  [[nodiscard]] bool take(std::vector<Happened>& into);

  // Everything that waits is forgotten, as if there had been too much of it.
  void forget();

  // Returns when something waits, or at the end.
  void wait(const std::stop_token& stop);

 private:
  const std::size_t capacity_;
  Ranked<LockRank::intake> mutex_;
  std::condition_variable_any arrived_;
  std::vector<Happened> waiting_;
  bool forgot_ = false;
};

// The present state as frames for one reader.
struct SnapshotFrames {
  std::string text{};
  std::uint64_t count = 0;
};

// All of it outlives the hub.
struct StreamSources {
  const Sequencer& sequencer;
  const Views& views;
  const MarketTable& markets;
  const Clock& clock;                                    // the sandbox's
  std::function<std::string(TimestampMs now_ms)> stats;  // body of GET /stats; empty: no such frames
  std::function<bool()> clock_stands;                    // empty: it never does
};

class StreamHub final : public Follower {
 public:
  using Lock = std::unique_lock<Ranked<LockRank::streams>>;

  // The exchange as it stands is where the streams begin; it follows after the views.
  explicit StreamHub(StreamSources sources, std::size_t intake_events_max = limits::stream_intake_events_max);
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;

  [[nodiscard]] EventIntake& intake() { return intake_; }
  [[nodiscard]] const MarketTable& markets() const { return sources_.markets; }
  [[nodiscard]] TimestampMs now_ms() const { return sources_.clock.now_ms(); }
  [[nodiscard]] bool clock_stands() const { return sources_.clock_stands && sources_.clock_stands(); }

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override;

  // Tells everything that happened since the last time. Not under the lock.
  void dispatch();
  // Tells what comes by the clock alone: the figures of the venue.
  void pass_time();
  // What was told is no longer so: everybody is told where things stand.
  void start_over();

  [[nodiscard]] Lock lock() { return Lock(mutex_); }
  // f() with the lock, between two commands: all that happened by then is told, nothing that comes after.
  template <class F>
  void between_commands(F&& f) {
    sources_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
      const Lock held = lock();
      tell_up_to_now(now_ms);
      told_up_to_ = engine.sequence();
      f();
    });
  }
  // Under the lock: everything up to that command was told at the latest look between commands.
  [[nodiscard]] engine::Sequence told_up_to() const { return told_up_to_; }

  // Between commands. Topics of accounts live as long as they have readers.
  [[nodiscard]] StreamTopic& market_topic(api::StreamChannel channel, engine::MarketIndex market,
                                          api::Timeframe interval);
  [[nodiscard]] StreamTopic& account_topic(api::StreamChannel channel, const Address& account);
  [[nodiscard]] StreamTopic& public_topic(api::PublicChannel channel, engine::MarketIndex market);

  // Between commands: frames for one reader. What was missed since; requires can_resume(). The present state.
  [[nodiscard]] std::string replay_frames(const StreamTopic& topic, std::uint64_t since) const;
  [[nodiscard]] SnapshotFrames snapshot_frames(api::StreamChannel channel, const StreamTopic& topic,
                                               std::optional<engine::MarketIndex> market,
                                               const std::optional<Address>& account) const;
  // With the lock: the newest event of a conflated topic, again.
  [[nodiscard]] std::string newest_frame(const StreamTopic& topic) const;
  // Between commands: what a new reader of the public stream is told first, before it joins; empty if that is nothing.
  [[nodiscard]] std::string public_greeting(api::PublicChannel channel, engine::MarketIndex market);

 private:
  void tell(const Happened& happened);
  void tell(const Stamp& stamp, const engine::OrderChanged& event);
  void tell(const Stamp& stamp, const engine::Trade& event);
  void tell(const Stamp& stamp, const engine::Fill& event);
  void tell(const Stamp& stamp, const engine::PositionChanged& event);
  void tell(const Stamp& stamp, const engine::PositionClosed& event);
  void tell(const Stamp& stamp, const engine::BalanceChanged& event);
  void tell(const Stamp& stamp, const engine::OrderMarginChanged& event);
  void tell(const Stamp& stamp, const engine::BookLevelChanged& event);
  void tell(const Stamp& stamp, const engine::MarkChanged& event);
  void tell(const Stamp& stamp, const engine::InsuranceChanged& event);
  void tell(const Stamp& stamp, const engine::Deleveraged& event);
  void tell(const Stamp& stamp, const engine::MarketStatusChanged& event);

  // Accounts that are to be told how they stand, as of one command.
  struct Standing {
    engine::AccountFigures figures;
    std::vector<engine::PositionRow> rows;
  };
  struct Standings {
    Stamp at;
    std::map<Address, Standing> accounts;
  };

  // Takes in what waits: it has its sequences then, and most of its frames. Gives the accounts to look at.
  [[nodiscard]] std::vector<Address> take_in();
  // Needs the writer's turn, so it is called without the lock, or between commands.
  [[nodiscard]] Standings look_at(const std::vector<Address>& accounts) const;
  // Writes what is still due, and sends everything.
  void tell_rest(const Standings& standings, TimestampMs now_ms);
  void tell_up_to_now(TimestampMs now_ms);

  void end_command();
  void end_market(MarketTopics& market);
  void end_account(AccountTopics& account);
  void tell_accounts(const Standings& standings);
  void tell_account(AccountTopics& account, const Standing& standing, const Stamp& now);
  void tell_markets(TimestampMs now_ms);
  // Between commands.
  void tell_stats(TimestampMs now_ms);
  void lose_events();
  void send_framed();
  void forget_accounts();

  void publish(StreamTopic& topic, const Stamp& stamp, StreamContent content);
  void add_frame(StreamTopic& topic, std::string_view text);
  MarketTopics& touch(engine::MarketIndex market);
  AccountTopics& topics_of(const Address& account);
  AccountTopics& touch(const Address& account);
  void expect_engine(AccountTopics& account);

  const StreamSources sources_;
  EventIntake intake_;

  Ranked<LockRank::streams> mutex_;
  std::uint64_t account_base_;  // where the sequences of a new account's topics begin
  std::vector<std::unique_ptr<MarketTopics>> markets_;
  std::map<Address, std::unique_ptr<AccountTopics>> accounts_;
  StreamTopic stats_;
  TimestampMs next_stats_ms_ = 0;
  engine::Sequence told_up_to_;

  // Of the dispatch under way.
  std::vector<Happened> batch_;
  Stamp command_;
  bool marks_changed_ = false;
  LiquidationGatherer forced_;
  std::vector<MarketTopics*> touched_markets_;
  std::vector<AccountTopics*> touched_accounts_;
  std::vector<AccountTopics*> due_accounts_;
  std::vector<StreamTopic*> framed_;
};

}  // namespace svc::sim
