// The streams of one network: who may open one, those that are open, and what keeps them going.
//
// Without run() nothing is sent by itself: a test calls dispatch() and look_after() by hand.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/lock_order.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/streams/disconnect_guard.h"
#include "sim/streams/stream_connection.h"

namespace svc::limits {
inline constexpr std::int64_t stream_delivery_wait_ms = 10'000;  // real time of an answer that waits for streams
}

namespace svc::sim {

class StreamService {
 public:
  // All of them must outlive this, and this its connections.
  StreamService(StreamSources sources, NetworkInstance& network, DisconnectGuard& guard, const Clock& machine);

  [[nodiscard]] StreamHub& hub() { return hub_; }
  void set_faults(FaultBook& faults) { around_.faults = &faults; }

  // Opens a connection for who asked by this request, or says why not; the token is spent either way.
  [[nodiscard]] Result<StreamOpened, api::ApiError> open_account_stream(RequestContext& context,
                                                                        const std::optional<std::string>& token);
  [[nodiscard]] Result<StreamOpened, api::ApiError> open_public_stream(RequestContext& context,
                                                                       const std::optional<std::string>& token);

  // Tells what happened, as soon as it happened, until it is stopped.
  void run(const std::stop_token& stop);
  void dispatch() { hub_.dispatch(); }
  // Pings, and ends what is dead. Called regularly.
  void look_after();

  // Every connection lets `hold` go once everything that was told by now has left, or it is gone.
  void when_delivered(const std::shared_ptr<void>& hold);

  [[nodiscard]] std::size_t connections() const { return census_.connections(); }

 private:
  class Member;

  [[nodiscard]] Result<std::shared_ptr<StreamCensus::Seat>, api::ApiError> admit(RequestContext& context,
                                                                                 const std::optional<Address>& account,
                                                                                 const StreamCeilings& ceilings);
  [[nodiscard]] StreamCeilings ceilings_of(const std::optional<Address>& account) const;
  template <class Stream>
  [[nodiscard]] StreamOpened opened(StreamOpening opening);
  void enter(const std::shared_ptr<StreamConnection>& connection);
  [[nodiscard]] std::vector<std::shared_ptr<StreamConnection>> open_connections();

  NetworkInstance& network_;
  DisconnectGuard& guard_;
  StreamHub hub_;
  StreamSurroundings around_;
  StreamCensus census_;
  Ranked<LockRank::connections> mutex_;
  std::map<const StreamConnection*, std::weak_ptr<StreamConnection>> connections_;
};

// GET /ws and GET /stream: an upgrade, or what a plain request is answered.
void bind_streams(NetworkInstance& network, StreamService& streams);

}  // namespace svc::sim
