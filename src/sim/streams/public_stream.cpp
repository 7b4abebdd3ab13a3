// The stream of /stream: one message names all subscriptions, nothing is acknowledged. (docs/streams.md)

#include <algorithm>
#include <set>

#include "api/codec.h"
#include "base/limits.h"
#include "base/text.h"
#include "sim/streams/stream_connection.h"

namespace svc::sim {
namespace {

using api::ErrorCode;

class PublicStream final : public StreamConnection {
 public:
  using StreamConnection::StreamConnection;

  // The number of lost events is unknown; count at least one.
  void events_lost(Subscription&) override {
    if (closing()) return;
    ++missed_;
    report_gap();
    if (missed_ > 0) fall_behind();
  }

 protected:
  void message(const std::string& text) override {
    if (std::exchange(subscribed_, true)) return;  // only the first one counts
    const auto request = api::decode_json<api::PublicSubscribeFrame>(text, api::lenient);
    if (!request) return refuse_message(to_string(request.error()));
    const std::set<std::string> names(request->subscribe.begin(), request->subscribe.end());
    if (names.empty()) return refuse_message("subscribe names at least one channel");
    for (const std::string& name : names)
      if (!subscribe(name)) return;
  }
  void binary_message() override {
    if (!std::exchange(subscribed_, true)) refuse_message(not_json);
  }
  void refuse_frame(ErrorCode code, std::string_view message) override {
    send_answer(api::to_json(
        api::PublicErrorFrame{.type = "error",
                              .code = frame_code(code),
                              .message = shortened(std::string(message), limits::error_message_bytes_max)}));
  }
  void refuse_message(const std::string& message) override { end(ErrorCode::invalid_frame, message); }
  void lose(Subscription&, std::size_t count) override {
    missed_ += count;
    fall_behind();
  }
  void report_gap() override {
    if (missed_ == 0 || !has_room(limits::stream_queue_reserve_bytes)) return;
    send_answer(api::to_json(api::GapFrame{.type = "gap", .missed = std::exchange(missed_, 0)}));
  }
  void refill() override {
    report_gap();
    for (const auto& subscription : subscriptions_)
      if (!send_newest(*subscription)) return;
  }
  [[nodiscard]] bool is_behind() const override {
    return missed_ > 0 || std::ranges::any_of(subscriptions_, [](const auto& each) { return each->behind; });
  }
  void send_synced(engine::Sequence sequence) override {
    send_answer(api::to_json(api::PublicSyncedFrame{.type = "synced", .sequence = sequence.value}));
  }
  void leave_all() override {
    for (const auto& subscription : subscriptions_) subscription->topic->leave(*subscription);
    subscriptions_.clear();
  }

 private:
  // False if the name is invalid or there are too many; the connection then ends.
  [[nodiscard]] bool subscribe(std::string_view name) {
    for (const api::PublicChannelInfo& info : api::public_channels()) {
      const bool named = info.takes_market ? name.starts_with(info.name) : name == info.name;
      if (!named) continue;
      const std::string_view market = info.takes_market ? name.substr(info.name.size()) : std::string_view();
      const auto index = info.takes_market && market != "*" ? hub().markets().find(market) : engine::MarketIndex{};
      if (!index) return end(ErrorCode::unknown_market, "no market " + std::string(market));
      if (!add_subscription()) return end(ErrorCode::subscription_limit_exceeded, "no more subscriptions are allowed");
      if (market == "*")
        hub().markets().each([&](engine::MarketIndex each, const engine::MarketSpec&) { join(info.channel, each); });
      else
        join(info.channel, *index);
      return true;
    }
    return end(ErrorCode::unknown_channel, "no channel " + std::string(name));
  }

  void join(api::PublicChannel channel, engine::MarketIndex market) {
    StreamTopic& topic = hub().public_topic(channel, market);
    const bool there = std::ranges::any_of(subscriptions_, [&](const auto& each) { return each->topic == &topic; });
    if (there) return;  // named explicitly and by *
    auto& subscription = subscriptions_.emplace_back(std::make_unique<Subscription>());
    subscription->reader = this;
    subscription->topic = &topic;
    std::string greeting = hub().public_greeting(channel, market);
    topic.join(*subscription);
    if (has_room(greeting.size()))
      send(std::move(greeting));
    else if (topic.label().resume == api::Resume::conflated)
      fall_behind(*subscription);
  }

  // Returns false.
  bool end(ErrorCode code, const std::string& message) {
    refuse_frame(code, message);
    constexpr std::size_t reason_bytes_max = 123;  // of a close frame
    close(api::ws_close::policy, std::string(first_bytes(message, reason_bytes_max)));
    return false;
  }

  bool subscribed_ = false;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::uint64_t missed_ = 0;
};

}  // namespace

std::shared_ptr<StreamConnection> public_stream(StreamService& streams, StreamOpening opening,
                                                std::shared_ptr<ByteStream> stream) {
  return std::make_shared<PublicStream>(streams, std::move(opening), std::move(stream));
}

}  // namespace svc::sim
