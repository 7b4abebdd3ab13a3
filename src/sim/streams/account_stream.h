// The stream of /ws: one channel per frame, acknowledged, numbered, resumable. (docs/streams.md)
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "api/contract/markets.h"
#include "api/contract/streams.h"
#include "base/result.h"
#include "sim/streams/stream_connection.h"

namespace svc::sim {

class AccountStream final : public StreamConnection {
 public:
  using StreamConnection::StreamConnection;

  void events_lost(Subscription& subscription) override;

 protected:
  void message(const std::string& text) override;
  void refuse_frame(std::string_view code, std::string_view message) override;
  void take(Subscription& subscription, const SharedBytes& frames, std::size_t count) override;
  void refill() override;
  [[nodiscard]] bool is_behind() const override;
  void send_synced(engine::Sequence sequence) override;
  void leave_all() override;

 private:
  // What a frame names. The interval is for channels that have one.
  struct Key {
    api::StreamChannel channel{};
    std::optional<engine::MarketIndex> market = {};
    std::optional<api::Timeframe> interval = {};

    auto operator<=>(const Key&) const = default;
  };
  struct FrameError {
    std::string_view code;
    std::string message;
  };

  [[nodiscard]] Result<Key, FrameError> key_of(const api::StreamRequest& request) const;
  [[nodiscard]] Result<void, FrameError> subscribe(const api::StreamRequest& request);
  [[nodiscard]] Result<void, FrameError> unsubscribe(const api::StreamRequest& request);
  // `snapshot_events`: for a channel that begins with the present state.
  void acknowledge(const Key& key, std::uint64_t seq, std::optional<std::uint64_t> snapshot_events = {});
  [[nodiscard]] StreamTopic& topic_of(const Key& key) const;
  void end_out_of_sync(Subscription& subscription);
  void leave(std::map<Key, std::unique_ptr<Subscription>>::iterator subscription);

  std::map<Key, std::unique_ptr<Subscription>> subscriptions_;  // without a topic for a silent channel
};

}  // namespace svc::sim
