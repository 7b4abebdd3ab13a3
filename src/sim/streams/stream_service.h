// The streams of one network: who may open one, the open ones, and their upkeep.
//
// Without run() nothing is sent automatically: a test calls dispatch() and look_after() by hand.
#pragma once

#include <set>

#include "api/version.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/sequencer/schedule.h"
#include "sim/services/account_settings.h"
#include "sim/streams/stream_connection.h"

// GET /asyncapi.json: a description of the streams for programs. Served like the interface description.

namespace svc::sim {

void serve_stream_description(NetworkInstance& network, const api::ApiVersion& version);

// The dead man's switch: when the last stream of an account with this setting closes, and none is opened within the
// grace time, its resting orders are cancelled. (API: cancel-on-disconnect; rule 3.14)
//
// Stored (RecordTable::disconnect_timers): a row for every account that has an open stream (0) or a running timer
// (its end). After a restart there are no streams, and all of these accounts get the whole grace time from then on.
// (D-350)
//
// Thread-safe: one lock, held for one look-up.

class DisconnectGuard final : public TimedWork {
 public:
  // Both must outlive this.
  DisconnectGuard(DisconnectSettings& settings, RecordKeeper& keeper) : settings_(settings), keeper_(keeper) {}

  // Before begin(): clears everything, to restore the log's rows.
  // False if the row is invalid.
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
  std::map<Address, TimestampMs> timers_;  // ends of the timers
  Address firing_{};                       // of next_due()
};

}  // namespace svc::sim

namespace svc::limits {
inline constexpr std::int64_t stream_delivery_wait_ms = 10'000;  // longest real time that an answer waits for streams
}

namespace svc::sim {

class StreamService {
 public:
  // All of them must outlive this, and this its connections.
  StreamService(StreamSources sources, NetworkInstance& network, DisconnectGuard& guard, const Clock& machine);

  [[nodiscard]] StreamHub& hub() { return hub_; }
  void set_faults(FaultBook& faults) {
    around_.faults = &faults;
    around_.witness = network_.witness;
  }

  enum class Kind : std::uint8_t { account, open_to_all };
  // Opens a connection for the request's caller, or returns the refusal; the token is spent either way.
  [[nodiscard]] Result<StreamOpened, api::ApiError> open(RequestContext& context, Kind kind,
                                                         const std::optional<std::string>& token);

  // Sends events as they happen, until stopped.
  void run(const std::stop_token& stop);
  void dispatch() { hub_.dispatch(); }
  // Pings silent peers, and drops dead ones. Called regularly.
  void look_after();

  // Every connection releases `hold` once everything queued by now was sent, or it is gone.
  void when_delivered(const std::shared_ptr<void>& hold);

  [[nodiscard]] std::size_t connections() const { return census_.connections(); }

 private:
  class Member;

  [[nodiscard]] std::vector<std::shared_ptr<StreamConnection>> open_connections();

  NetworkInstance& network_;
  DisconnectGuard& guard_;
  StreamHub hub_;
  StreamEnvironment around_;
  StreamCensus census_;
  Ranked<LockRank::connections> mutex_;
  std::map<const StreamConnection*, std::weak_ptr<StreamConnection>> connections_;
};

// GET /ws and GET /stream: the upgrade, and the answer to a plain request.
void bind_streams(NetworkInstance& network, StreamService& streams);

}  // namespace svc::sim
