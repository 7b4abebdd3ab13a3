// Turns the events of an exchange into the messages of its streams.
//
//   writer -> EventIntake -> dispatch(): sequences, replay buffers, frames -> readers' queues
//
// While the clock runs, the writer only copies events into the intake. A dispatch (on a thread of its own, or by hand
// in a test) gives each its sequence number in each topic, writes each frame once, and sends the same bytes to every
// reader of the topic; a reader loses what does not fit into its queue (StreamConnection). While the clock is stopped,
// the writer itself dispatches each command: what is sent then depends on the commands alone. (D-670)
//
// Sequence numbers follow from the log, so they are the same after a restart; only the liquidations channel has numbers
// of this process. (D-341, D-900)
//
// Thread-safe: one lock for everything. Functions say if they need it: lock(), or between_commands() if they also
// read the engine. The writer's turn is taken before this lock, never after it; the views may be read under it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/streams/stream_topic.h"

namespace svc::sim {

struct StampedEvent {
  Stamp stamp;
  engine::Event event;
};

// The queue of the exchange's events for the streams: the only part of them that the writer calls. Bounded: it asks to
// be emptied. Thread-safe: one lock, held while events are copied or handed over.
class EventIntake {
 public:
  explicit EventIntake(std::size_t capacity = limits::stream_intake_events_max) : capacity_(capacity) {}

  // True: it is full, and must be emptied before the next command.
  [[nodiscard]] bool follow(const Stamp& stamp, std::span<const engine::Event> events);

  // Replaces `into` by the waiting events, oldest first.
  void take(std::vector<StampedEvent>& into) {
    into.clear();
    const std::lock_guard lock(mutex_);
    std::swap(into, waiting_);
  }

  // Whether anybody reads a stream. If not, the writer wakes the one who empties this less often.
  void set_heard(bool is_heard);

  // Waits until there is something to send. False: stopped before.
  [[nodiscard]] bool wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return arrived_.wait(lock, stop, [this] { return is_due(); });
  }

 private:
  [[nodiscard]] bool is_due() const { return waiting_.size() >= (is_heard_ ? 1 : limits::stream_unheard_events_max); }

  const std::size_t capacity_;
  Ranked<LockRank::intake> mutex_;
  std::condition_variable_any arrived_;
  std::vector<StampedEvent> waiting_;
  bool is_heard_ = false;
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
  std::function<bool()> clock_stands;                    // empty: it is never stopped
  std::uint64_t liquidations_seq = 0;                    // where that channel's numbers begin (D-900)
};

struct EventHandler;

class StreamHub final : public Follower {
 public:
  using Lock = std::unique_lock<Ranked<LockRank::streams>>;

  // Begins with an exchange before its first command. It must follow after the views.
  explicit StreamHub(StreamSources sources, std::size_t intake_events_max = limits::stream_intake_events_max);

  [[nodiscard]] EventIntake& intake() { return intake_; }
  [[nodiscard]] const MarketTable& markets() const { return sources_.markets; }
  [[nodiscard]] TimestampMs now_ms() const { return sources_.clock.now_ms(); }
  [[nodiscard]] bool clock_stands() const { return sources_.clock_stands && sources_.clock_stands(); }

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override;

  // Sends everything that happened since the last call; whether a reader got anything. Not under the lock.
  bool dispatch();
  // How often frames were handed to the readers; counts on before each time. Under the lock.
  [[nodiscard]] std::uint64_t passes() const { return passes_; }
  // Sends what depends on the clock alone: the venue's figures.
  void pass_time() {
    between_commands([&] { send_stats(now_ms()); });
  }

  // As of the command applied last. On the writer's turn.
  [[nodiscard]] StreamNumbers numbers();
  // The views were restored to the state of `at_ms`, after the events of these numbers, which readers missed. No event
  // is waiting to be sent. ...
  void begin_with(const StreamNumbers& numbers, TimestampMs at_ms);
  // ... Or everything was replaced by an image with these numbers: they go on above both the image's and the present
  // ones, and every reader gets the present state. (D-901)
  void start_over(const StreamNumbers& image, TimestampMs at_ms);

  [[nodiscard]] Lock lock() { return Lock(mutex_); }
  // f() with the lock, between two commands: everything until then was sent, nothing that comes after.
  template <class F>
  void between_commands(F&& f) {
    sources_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
      const Lock held = lock();
      send_up_to_now(now_ms);
      sent_up_to_ = engine.sequence();
      f();
    });
  }
  // Under the lock: everything up to that command had been sent at the last between_commands().
  [[nodiscard]] engine::Sequence sent_up_to() const { return sent_up_to_; }

  // Between commands. Topics of accounts exist while they have readers.
  [[nodiscard]] StreamTopic& market_topic(api::StreamChannel channel, engine::MarketIndex market,
                                          api::Timeframe interval);
  [[nodiscard]] StreamTopic& account_topic(api::StreamChannel channel, const Address& account);
  [[nodiscard]] StreamTopic& public_topic(api::PublicChannel channel, engine::MarketIndex market);

  // Between commands: frames for one reader. The missed events; requires can_resume(). The present state.
  [[nodiscard]] std::string replay_frames(const StreamTopic& topic, std::uint64_t since) const;
  [[nodiscard]] SnapshotFrames snapshot_frames(api::StreamChannel channel, const StreamTopic& topic,
                                               std::optional<engine::MarketIndex> market,
                                               const std::optional<Address>& account) const;
  // With the lock: the newest event of a conflated topic, again.
  [[nodiscard]] std::string newest_frame(const StreamTopic& topic) const;
  // Between commands: the first frames for a new reader of the public stream, before it joins; may be empty.
  [[nodiscard]] std::string public_greeting(api::PublicChannel channel, engine::MarketIndex market);

 private:
  // As begin_with() and start_over(): `next(present, image)` chooses the numbers.
  template <class Next>
  void restart(const StreamNumbers& image, TimestampMs at_ms, Next next);
  friend struct EventHandler;

  // The state of accounts after one command.
  struct Standing {
    engine::AccountFigures figures;
    std::vector<engine::PositionRow> rows;
  };
  struct Standings {
    Stamp at;
    std::map<Address, Standing> accounts;
  };

  // Takes the waiting events: they get sequence numbers, and most get frames. Returns the accounts to query.
  [[nodiscard]] std::vector<Address> take_in();
  // Needs the writer's turn: called without the lock, or between commands.
  [[nodiscard]] Standings look_at(const std::vector<Address>& accounts) const;
  // Writes what is still due, and sends everything; whether there was anything.
  bool send_rest(const Standings& standings, TimestampMs now_ms);
  void send_up_to_now(TimestampMs now_ms) { send_rest(look_at(take_in()), now_ms); }

  void end_command();
  void end_market(MarketTopics& market);
  void end_account(AccountTopics& account);
  void send_accounts(const Standings& standings);
  void send_account(AccountTopics& account, const Standing& standing, const Stamp& now);
  void send_positions(AccountTopics& account, const std::vector<engine::PositionRow>& rows);
  // The instant that frames show. With a stopped clock it is that of the latest command, because the clock may have
  // been moved since, or may not have been set back yet.
  [[nodiscard]] TimestampMs shown_ms(TimestampMs now_ms) const { return clock_stands() ? command_.at_ms : now_ms; }
  void send_markets(TimestampMs now_ms);
  // Between commands.
  void send_stats(TimestampMs now_ms);
  bool send_framed() {
    ++passes_;
    const auto framed = std::exchange(framed_, {});
    for (StreamTopic* topic : framed) topic->flush();
    return !framed.empty();
  }
  void forget_accounts();

  // As a StreamContent.
  template <class Content>
  void publish(StreamTopic& topic, const Stamp& stamp, Content&& content);
  void add_frame(StreamTopic& topic, std::string_view text) {
    if (topic.add_frame(text)) framed_.push_back(&topic);
  }
  MarketTopics& touch(engine::MarketIndex market);
  AccountTopics& topics_of(const Address& account);
  AccountTopics& touch(const Address& account);
  void expect_engine(AccountTopics& account) {
    if (!std::exchange(account.due, true)) due_accounts_.push_back(&account);
  }

  const StreamSources sources_;
  EventIntake intake_;

  Ranked<LockRank::streams> mutex_;
  std::vector<std::unique_ptr<MarketTopics>> markets_;
  std::map<Address, std::unique_ptr<AccountTopics>> accounts_;
  std::size_t accounts_looked_at_ = limits::stream_accounts_max;  // with more of them, idle ones are forgotten
  std::map<Address, StreamNumbers::OfAccount> idle_accounts_;     // those without topics
  std::uint64_t liquidations_seq_;                                // of a new account
  StreamTopic stats_;
  TimestampMs next_stats_ms_ = 0;
  engine::Sequence sent_up_to_;

  // Of the current dispatch.
  std::vector<StampedEvent> batch_;
  Stamp command_;
  bool marks_changed_ = false;
  LiquidationGatherer forced_;
  std::vector<MarketTopics*> touched_markets_;
  std::vector<AccountTopics*> touched_accounts_;
  std::vector<AccountTopics*> due_accounts_;
  std::vector<StreamTopic*> framed_;
  std::uint64_t passes_ = 0;
};

}  // namespace svc::sim
