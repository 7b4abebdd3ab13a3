// One sequence of events, what of it can be sent again, and who listens to it.
//
// Invariants
//   (T1) sequences count up by one per event and never go back; a restart begins above whatever was sent
//   (T2) what can be sent again is the newest events without a hole: oldest() to seq()
//
// Not thread-safe; guarded by the hub.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/stream_channels.h"
#include "sim/engine/events.h"
#include "sim/gateway/byte_stream.h"
#include "sim/sequencer/follower.h"
#include "sim/views/candle_series.h"

namespace svc::sim {

class StreamTopic;

// How a topic is called in the frames of its stream.
struct TopicLabel {
  std::string channel;
  std::optional<std::string> market = {};
  std::optional<std::string> interval = {};
  api::Resume resume = api::Resume::replayed;
};

struct CandleEvent {
  engine::MarketIndex market;
  MarketCandle candle;
};

// What happened, as small as it can be kept; text where only the moment knew how to say it.
using StreamContent = std::variant<engine::Trade, engine::OrderRecord, engine::Fill, CandleEvent, std::string>;

struct StreamEntry {
  std::uint64_t seq = 0;
  Stamp stamp;
  StreamContent content;
};

// Frames of one topic that one dispatch has for each reader.
struct StreamBatch {
  SharedBytes bytes;
  std::span<const std::size_t> ends;  // of each frame within the bytes
};

class StreamReader;

struct Subscription {
  StreamReader* reader = nullptr;
  StreamTopic* topic = nullptr;
  bool behind = false;    // conflated, and the newest is still to be sent
  std::string held = {};  // a frame that a fault of the sandbox's user sends later
};

// A connection as the hub sees it. Called under the hub's lock.
class StreamReader {
 public:
  virtual ~StreamReader() = default;
  // May end the subscription.
  virtual void deliver(Subscription& subscription, const StreamBatch& batch) = 0;
  // Events of the topic were lost for everybody. May end the subscription.
  virtual void events_lost(Subscription& subscription) = 0;
};

class StreamTopic {
 public:
  StreamTopic(TopicLabel label, std::size_t replay_max, std::uint64_t base)
      : label_(std::move(label)), replay_max_(replay_max), seq_(base) {}

  [[nodiscard]] const TopicLabel& label() const { return label_; }
  [[nodiscard]] std::uint64_t seq() const { return seq_; }

  // The next event's sequence.
  std::uint64_t advance() { return ++seq_; }
  // Of the event of the present sequence.
  void remember(const Stamp& stamp, StreamContent content);
  // From here on nothing before it can be sent again, and somebody who saw the last one missed something.
  void forget();

  // Empty: nothing can be sent again.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const;
  [[nodiscard]] bool can_resume(std::uint64_t since) const;
  // Requires can_resume(since). Oldest first.
  [[nodiscard]] std::deque<StreamEntry>::const_iterator after(std::uint64_t since) const;
  [[nodiscard]] std::deque<StreamEntry>::const_iterator end() const { return kept_.end(); }

  [[nodiscard]] bool heard() const { return !readers_.empty(); }
  void join(Subscription& subscription) { readers_.push_back(&subscription); }
  void leave(const Subscription& subscription);

  // Frames for the readers of this moment. True if it is the first since flush().
  bool add_frame(std::string_view payload);
  void flush();
  // Each reader is told; it may leave meanwhile.
  void tell_lost();

 private:
  const TopicLabel label_;
  const std::size_t replay_max_;
  std::uint64_t seq_;
  std::deque<StreamEntry> kept_;
  std::vector<Subscription*> readers_;
  std::string frames_;
  std::vector<std::size_t> frame_ends_;
};

}  // namespace svc::sim
