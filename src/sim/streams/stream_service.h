// The streams of one network. Without run() nothing is sent automatically: call dispatch() and look_after() by hand.
#pragma once

#include <map>

#include "api/version.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/sequencer/sequencer.h"
#include "sim/streams/stream_connection.h"

namespace svc::sim {

// GET /asyncapi.json: a description of the streams for programs.
void serve_stream_description(NetworkInstance& network, const api::ApiVersion& version);

// The open streams of each account, counted in this process: one node of several. The single writer is told when the
// first one opens and when the last one closes: cancel-on-disconnect depends on it (account_settings.h).
//
// Thread-safe: one lock, held for one look-up.
class StreamPresence {
 public:
  // Must outlive this.
  explicit StreamPresence(Sequencer& sequencer) : sequencer_(sequencer) {}
  // Before the first stream. Empty: the only node.
  void set_node(std::string node) { node_ = std::move(node); }

  void stream_opened(const Address& account, TimestampMs now_ms);
  void stream_closed(const Address& account, TimestampMs now_ms);
  [[nodiscard]] bool has_stream(const Address& account) const;
  // Tells the writer again who has a stream.
  void note_all(TimestampMs now_ms) const;

 private:
  void note(const Address& account, bool connected, TimestampMs now_ms) const {
    sequencer_.note_presence({.account = account, .connected = connected, .node = node_}, now_ms);
  }

  Sequencer& sequencer_;
  std::string node_;
  mutable Ranked<LockRank::guard> mutex_;
  std::map<Address, std::size_t> streams_;  // accounts without streams are not listed
};

}  // namespace svc::sim

namespace svc::limits {
inline constexpr std::int64_t stream_delivery_wait_ms = 10'000;  // longest real time that an answer waits for streams
}

namespace svc::sim {

class StreamService {
 public:
  // All of them must outlive this, and this its connections.
  StreamService(StreamSources sources, NetworkInstance& network, StreamPresence& presence, const Clock& machine);

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
  [[nodiscard]] std::vector<std::shared_ptr<StreamConnection>> open_connections();
  void forget(const StreamConnection& connection);
  [[nodiscard]] api::Tier tier_of(const std::optional<Address>& account) const;

  NetworkInstance& network_;
  StreamPresence& presence_;
  StreamHub hub_;
  StreamEnvironment around_;
  StreamCensus census_;
  Ranked<LockRank::connections> mutex_;
  std::map<const StreamConnection*, std::weak_ptr<StreamConnection>> connections_;
};

// GET /ws and GET /stream: the upgrade, and the answer to a plain request.
void bind_streams(NetworkInstance& network, StreamService& streams);

}  // namespace svc::sim
