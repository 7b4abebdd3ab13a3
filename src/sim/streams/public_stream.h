// The stream of /stream: one message names all subscriptions, nothing is acknowledged. (docs/streams.md)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/events.h"
#include "sim/engine/market_spec.h"
#include "sim/streams/stream_connection.h"
#include "sim/views/market_view.h"

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
  void send_synced(engine::Sequence sequence) override;
  void leave_all() override;

 private:
  // False if the name is invalid or there are too many; the connection then ends.
  [[nodiscard]] bool subscribe(std::string_view name);
  void join(api::PublicChannel channel, engine::MarketIndex market);
  void end(std::string_view code, const std::string& message);
  // Reports how many frames were skipped, if any were and there is room.
  void report_gap();

  bool subscribed_ = false;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::size_t counted_ = 0;  // subscriptions as the client named them
  std::uint64_t missed_ = 0;
};

// Frames of the public stream.

[[nodiscard]] std::string public_trade_text(const engine::MarketSpec& spec, const engine::Trade& trade,
                                            TimestampMs at_ms);
[[nodiscard]] std::string public_book_text(const engine::MarketSpec& spec, const MarketView& view);
[[nodiscard]] std::string public_status_text(const engine::MarketSpec& spec, const Stamp& stamp,
                                             const engine::MarketStatusChanged& event);
// `stats` is the body of GET /stats.
[[nodiscard]] std::string public_stats_text(std::string_view stats);

}  // namespace svc::sim
