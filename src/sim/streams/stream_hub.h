// Where what happens in an exchange becomes what its streams say.
//
//   writer -> EventIntake -> dispatch(): sequences, replay buffers, frames -> readers' queues
//
// The writer only copies events into the intake. A dispatch - on a thread of its own, or by hand in a test -
// takes them out, gives each its sequence in each topic, writes each frame once, and hands the same bytes to
// every reader of the topic. Readers are never waited for: what does not fit into a reader's queue is that
// reader's loss (StreamReader).
//
// Sequences begin at 0 with the exchange. They are not kept: after a restart, and for accounts that were
// forgotten meanwhile, they go on far above anything that was sent, at the command's number times 2^16. (D-341)
//
// Thread-safe: one lock for all of it; take it with lock() before the functions that say so. While it is
// held the engine and the views may be read; nobody may wait for it while holding those.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/records/market_history.h"
#include "api/stream_channels.h"
#include "base/address.h"
#include "base/clock.h"
#include "sim/sequencer/sequencer.h"
#include "sim/streams/account_topics.h"
#include "sim/streams/event_intake.h"
#include "sim/streams/market_topics.h"
#include "sim/streams/stream_topic.h"
#include "sim/views/market_table.h"
#include "sim/views/views.h"

namespace svc::sim {

// All of it outlives the hub.
struct StreamSources {
  const Sequencer& sequencer;
  const Views& views;
  const MarketTable& markets;
  const Clock& clock;                                    // the sandbox's
  std::function<std::string(TimestampMs now_ms)> stats;  // body of GET /stats; empty: no such frames
};

class StreamHub {
 public:
  using Lock = std::unique_lock<std::mutex>;

  // The exchange as it stands is where the streams begin; its followers get `intake()` after the views.
  explicit StreamHub(StreamSources sources, std::size_t intake_events_max = limits::stream_intake_events_max);
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;

  [[nodiscard]] EventIntake& intake() { return intake_; }
  [[nodiscard]] const MarketTable& markets() const { return sources_.markets; }
  [[nodiscard]] TimestampMs now_ms() const { return sources_.clock.now_ms(); }

  // Tells everything that happened since the last time.
  void dispatch();

  [[nodiscard]] Lock lock() { return Lock(mutex_); }

  // With the lock. Topics of accounts live as long as they have readers.
  [[nodiscard]] StreamTopic& market_topic(api::StreamChannel channel, engine::MarketIndex market,
                                          api::Timeframe interval);
  [[nodiscard]] StreamTopic& account_topic(api::StreamChannel channel, const Address& account);
  [[nodiscard]] StreamTopic& public_topic(api::PublicChannel channel, engine::MarketIndex market);

  // With the lock: frames for one reader. What was missed since; requires can_resume(). The present state.
  [[nodiscard]] std::string replay_frames(const StreamTopic& topic, std::uint64_t since) const;
  [[nodiscard]] std::string snapshot_frames(api::StreamChannel channel, const StreamTopic& topic,
                                            std::optional<engine::MarketIndex> market,
                                            const std::optional<Address>& account) const;
  // With the lock: the newest event of a conflated topic, again.
  [[nodiscard]] std::string newest_frame(const StreamTopic& topic) const;
  // With the lock: what a new reader of the public stream is told first; empty if that is nothing.
  [[nodiscard]] std::string public_greeting(api::PublicChannel channel, engine::MarketIndex market) const;

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

  void end_command();
  void end_market(MarketTopics& market);
  void end_account(AccountTopics& account);
  void tell_accounts();
  void tell_account(AccountTopics& account, const engine::AccountFigures& figures,
                    const std::vector<engine::PositionRow>& rows, const Stamp& now);
  void tell_markets();
  void tell_stats();
  void lose_events();
  void forget_accounts();

  void publish(StreamTopic& topic, const Stamp& stamp, StreamContent content);
  void add_frame(StreamTopic& topic, std::string_view text);
  MarketTopics& touch(engine::MarketIndex market);
  AccountTopics& topics_of(const Address& account);
  AccountTopics& touch(const Address& account);
  void expect_engine(AccountTopics& account);

  const StreamSources sources_;
  EventIntake intake_;

  std::mutex mutex_;
  std::uint64_t account_base_;  // where the sequences of a new account's topics begin
  std::vector<std::unique_ptr<MarketTopics>> markets_;
  std::map<Address, std::unique_ptr<AccountTopics>> accounts_;
  StreamTopic stats_;
  TimestampMs next_stats_ms_ = 0;

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
