// The stream of /ws: one channel per frame, acknowledged, numbered, resumable. (docs/streams.md)

#include <algorithm>

#include "api/codec.h"
#include "base/text.h"
#include "sim/streams/stream_connection.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ChannelScope;
using api::ErrorCode;
using api::refused;
using api::Resume;

class AccountStream final : public StreamConnection {
 public:
  using StreamConnection::StreamConnection;

  void events_lost(Subscription& subscription) override {
    if (!closing()) end_out_of_sync(subscription);
  }

 protected:
  void message(const std::string& text) override {
    const auto request = api::decode_json<api::StreamRequest>(text, api::lenient);
    if (!request) return refuse_message(to_string(request.error()));
    Result<void, ApiError> done;
    if (request->op == "subscribe")
      done = subscribe(*request);
    else if (request->op == "unsubscribe")
      done = unsubscribe(*request);
    else
      return refuse_frame(ErrorCode::unknown_op, "op is subscribe, unsubscribe or sync");
    if (!done) refuse_frame(done.error().code, done.error().message);
  }
  void refuse_frame(ErrorCode code, std::string_view message) override {
    send_answer(
        api::to_json(api::StreamErrorFrame{.op = "error", .code = frame_code(code), .message = std::string(message)}));
  }
  void refuse_message(const std::string& message) override { refuse_frame(ErrorCode::invalid_frame, message); }
  void lose(Subscription& subscription, std::size_t) override { end_out_of_sync(subscription); }
  void refill() override {
    for (const auto& [key, subscription] : subscriptions_)
      if (!send_newest(*subscription)) return;
  }
  [[nodiscard]] bool is_behind() const override {
    return std::ranges::any_of(subscriptions_, [](const auto& each) { return each.second->behind; });
  }
  void send_synced(engine::Sequence sequence) override {
    send_answer(api::to_json(api::SyncedFrame{.op = "synced", .sequence = sequence.value}));
  }
  void leave_all() override {
    while (!subscriptions_.empty()) leave(subscriptions_.begin());
  }

 private:
  // What a frame names. The interval is for channels that have one.
  struct Key {
    api::StreamChannel channel{};
    std::optional<engine::MarketIndex> market = {};
    std::optional<api::Timeframe> interval = {};

    auto operator<=>(const Key&) const = default;
  };
  using Subscriptions = std::map<Key, std::unique_ptr<Subscription>>;

  [[nodiscard]] Result<Key, ApiError> key_of(const api::StreamRequest& request) const {
    const auto channel = api::find_stream_channel(request.channel);
    if (!channel) return refused(ErrorCode::unknown_channel, "no channel " + request.channel);
    const api::StreamChannelInfo& info = api::info_of(*channel);
    Key key{.channel = *channel, .market = {}, .interval = {}};
    if (info.scope == ChannelScope::market) {
      if (!request.market) return refused(ErrorCode::market_required, request.channel + " takes a market");
      key.market = hub().markets().find(*request.market);
      if (!key.market) return refused(ErrorCode::unknown_market, "no market " + *request.market);
    } else if (request.market) {
      return refused(ErrorCode::market_not_taken, request.channel + " takes no market");
    }
    if (request.interval && !info.has_interval)
      return refused(ErrorCode::interval_not_taken, request.channel + " takes no interval");
    if (request.interval) {
      key.interval = api::parse<api::Timeframe>(*request.interval);
      if (!key.interval)
        return refused(ErrorCode::unknown_interval, "interval is one of " + svc::joined(api::timeframe_texts));
    }
    return key;
  }

  [[nodiscard]] Result<void, ApiError> subscribe(const api::StreamRequest& request) {
    auto key = SVC_TRY(key_of(request));
    const api::StreamChannelInfo& info = api::info_of(key.channel);
    if (info.scope == ChannelScope::account && opening().public_only)
      return refused(ErrorCode::public_token, "this token is good for public channels only");
    if (info.has_interval && !key.interval) key.interval = api::Timeframe::minute_1;

    if (!subscriptions_.contains(key) && !add_subscription())
      return refused(ErrorCode::subscription_limit_exceeded, "no more subscriptions are allowed");
    auto& subscription = subscriptions_[key];
    if (!subscription) subscription = std::make_unique<Subscription>();
    subscription->reader = this;
    if (info.resume == Resume::silent) {
      acknowledge(key, 0);
      return {};
    }
    StreamTopic& topic = topic_of(key);
    if (subscription->topic == nullptr) {
      subscription->topic = &topic;
      topic.join(*subscription);
    }
    // Channels that begin with the present state have nothing to resume.
    if (info.resume != Resume::replayed) {
      SnapshotFrames first = hub().snapshot_frames(key.channel, topic, key.market, opening().account);
      const bool fits = has_room(first.text.size());
      acknowledge(key, topic.seq(), fits ? std::optional(first.count) : std::nullopt);
      if (fits)
        send(std::move(first.text));
      else if (info.resume == Resume::conflated)
        fall_behind(*subscription);
      else
        end_out_of_sync(*subscription);
      return {};
    }
    std::string missed;
    if (request.since) {
      if (!topic.can_resume(request.since->value)) {
        end_out_of_sync(*subscription);
        return {};
      }
      missed = hub().replay_frames(topic, request.since->value);
    }
    acknowledge(key, topic.seq());
    if (has_room(missed.size()))
      send(std::move(missed));
    else
      end_out_of_sync(*subscription);
    return {};
  }

  // Without an interval: ends every interval of the channel and market.
  [[nodiscard]] Result<void, ApiError> unsubscribe(const api::StreamRequest& request) {
    const auto named = SVC_TRY(key_of(request));
    for (auto each = subscriptions_.begin(); each != subscriptions_.end();) {
      const auto current = each++;
      const Key& key = current->first;
      if (key.channel != named.channel || key.market != named.market) continue;
      if (!named.interval || key.interval == named.interval) leave(current);
    }
    send_answer(api::to_json(api::UnsubscribedFrame{
        .op = "unsubscribed", .channel = request.channel, .market = request.market, .interval = request.interval}));
    return {};
  }

  // `snapshot_events`: for a channel that begins with the present state.
  void acknowledge(const Key& key, std::uint64_t seq, std::optional<std::uint64_t> snapshot_events = {}) {
    api::SubscribedFrame frame;
    frame.channel = std::string(api::info_of(key.channel).name);
    if (key.market) frame.market = hub().markets().spec(*key.market).id;
    if (key.interval) frame.interval = std::string(api::to_string(*key.interval));
    frame.seq_at_join = {seq};
    frame.snapshot_events = snapshot_events;
    send_answer(api::to_json(frame));
  }

  [[nodiscard]] StreamTopic& topic_of(const Key& key) const {
    if (key.market)
      return hub().market_topic(key.channel, *key.market, key.interval.value_or(api::Timeframe::minute_1));
    return hub().account_topic(key.channel, *opening().account);
  }

  void end_out_of_sync(Subscription& subscription) {
    const StreamTopic& topic = *subscription.topic;
    const TopicLabel& label = topic.label();
    api::OutOfSyncFrame frame{.channel = label.channel, .market = label.market, .interval = label.interval};
    if (const auto oldest = topic.oldest()) frame.oldest_seq = api::StreamSequence{*oldest};
    leave(std::ranges::find_if(subscriptions_, [&](const auto& each) { return each.second.get() == &subscription; }));
    send_answer(api::to_json(frame));
  }

  void leave(Subscriptions::iterator subscription) {
    if (StreamTopic* topic = subscription->second->topic) topic->leave(*subscription->second);
    seat().drop_subscription();
    subscriptions_.erase(subscription);
  }

  Subscriptions subscriptions_;  // without a topic for a silent channel
};

}  // namespace

std::shared_ptr<StreamConnection> account_stream(StreamService& streams, StreamOpening opening,
                                                 std::shared_ptr<ByteStream> stream) {
  return std::make_shared<AccountStream>(streams, std::move(opening), std::move(stream));
}

}  // namespace svc::sim
