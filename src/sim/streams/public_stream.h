// The stream of /stream: one message names everything, nothing is acknowledged. (docs/streams.md)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/streams/stream_connection.h"

namespace svc::sim {

class PublicStream final : public StreamConnection {
 public:
  using StreamConnection::StreamConnection;

  void events_lost(Subscription& subscription) override;

 protected:
  void message(const std::string& text) override;
  void refuse_frame(std::string_view code, std::string_view message) override;
  void take(Subscription& subscription, const SharedBytes& frames, std::size_t count) override;
  void refill() override;
  [[nodiscard]] bool is_behind() const override;
  void say_synced(engine::Sequence sequence) override;
  void leave_all() override;

 private:
  // False if it is none, or one too many; the connection ends then.
  [[nodiscard]] bool subscribe(std::string_view name);
  void join(api::PublicChannel channel, engine::MarketIndex market);
  void end(std::string_view code, const std::string& message);
  // Says how many frames were left out, if any were and there is room.
  void tell_gap();

  bool subscribed_ = false;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::size_t counted_ = 0;  // subscriptions as the client named them
  std::uint64_t missed_ = 0;
};

}  // namespace svc::sim
