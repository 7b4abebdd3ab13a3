// The streams of one network: who may open one, those that are open, and what keeps them going.
//
// Without run() nothing is sent by itself: a test calls dispatch() and look_after() by hand.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "api/version.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/sequencer/schedule.h"
#include "sim/services/disconnect_settings.h"
#include "sim/streams/stream_connection.h"

// GET /asyncapi.json: what the streams say, for programs. Served like the interface description.

namespace svc::sim {

void serve_stream_description(NetworkInstance& network, const api::ApiVersion& version);

// The dead man's switch: when the last stream of an account that asked for it closes, and none is opened
// within the grace time, its resting orders are cancelled. (API: cancel-on-disconnect; rule 3.14)
//
// Kept (RecordTable::disconnect_timers): a row for every account that has a stream open (0) or a timer
// running (its end). After a restart nobody has a stream: all of them get the whole grace time from there
// on. (D-350)
//
// Thread-safe: one lock, held for one look-up.

class DisconnectGuard final : public TimedWork {
 public:
  // Both must outlive this.
  DisconnectGuard(DisconnectSettings& settings, RecordKeeper& keeper) : settings_(settings), keeper_(keeper) {}

  // Before begin(): what the log has, after what was known is forgotten.
  // False: the row makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);
  void forget();
  // Starts the timers of those who had a stream or a timer then and have no stream now.
  void begin(TimestampMs now_ms);

  void stream_opened(const Address& account);
  void stream_closed(const Address& account, TimestampMs now_ms);

  [[nodiscard]] std::optional<Due> next_due(TimestampMs now_ms) override;
  void done(const Due& due, engine::Reject outcome) override;

 private:
  [[nodiscard]] static RecordChange row(const Address& account, std::optional<TimestampMs> ends_ms);

  DisconnectSettings& settings_;
  RecordKeeper& keeper_;
  Ranked<LockRank::guard> mutex_;
  std::set<Address> restored_;
  std::map<Address, TimestampMs> timers_;  // when they end
  Address firing_{};                       // of next_due()
};

}  // namespace svc::sim

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
