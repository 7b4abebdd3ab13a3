// The streams of one network. Without run() nothing is sent automatically: call dispatch() and look_after() by hand.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>

#include "api/version.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/network_instance.h"
#include "sim/sequencer/sequencer.h"
#include "sim/streams/stream_connection.h"

namespace svc::limits {
inline constexpr std::int64_t stream_delivery_wait_ms = 10'000;  // longest real time that an answer waits for streams
}

namespace svc::sim {

class StreamService {
 public:
  // All of them must outlive this, and this its connections.
  StreamService(StreamSources sources, NetworkInstance& network, Sequencer& sequencer, const Clock& machine);
  // Names this process among several; before the first stream.
  void set_node(std::string node) { node_ = std::move(node); }
  [[nodiscard]] const std::string& node() const { return node_; }

  [[nodiscard]] StreamHub& hub() { return hub_; }
  // Faults that the user of the sandbox set for streams; without a book there are none.
  void set_faults(FaultBook& faults) { faults_ = &faults; }

  enum class Kind : std::uint8_t { account, open_to_all };
  // Opens a connection for the request's caller, or returns the refusal; the token is spent either way.
  [[nodiscard]] Result<StreamOpened, api::ApiError> open(RequestContext& context, Kind kind,
                                                         const std::optional<std::string>& token);

  // Sends events as they happen, until stopped.
  void run(const std::stop_token& stop);
  bool dispatch() { return hub_.dispatch(); }  // whether a reader got anything
  // Pings silent peers, drops dead ones, and ends the streams of what was revoked. Called regularly.
  void look_after();
  // Another node moved the clock, which may stand: readers are told by the next look_after() or when_delivered().
  void note_moved_clock() { clock_was_moved_ = true; }

  // The single writer is told when an account's first stream here opens and when its last one closes:
  // cancel-on-disconnect depends on it (account_settings.h). Told again of all that are open:
  void note_all() const;
  [[nodiscard]] bool has_stream(const Address& account) const {
    const std::lock_guard lock(present_mutex_);
    return present_.contains(account);
  }

  // Closes every connection: its client may go on elsewhere.
  void end_all(const std::string& why);

  // For its connections.
  [[nodiscard]] const Clock& machine() const { return machine_; }
  // Those of the account's present tier; of a reader without an account those of the tier that accounts start with.
  [[nodiscard]] StreamCeilings ceilings_of(const std::optional<Address>& account) const {
    return stream_ceilings(tier_of(account), network_.settings.limits);
  }
  // How often the state was replaced.
  [[nodiscard]] std::uint64_t replacements() const { return network_.services.replacements(); }
  // Whether nothing of it was revoked or has expired, and how often the state was replaced until then.
  struct Standing {
    bool stands;
    std::uint64_t replacements;
  };
  [[nodiscard]] Standing standing(const Entitlements& by) const {
    const auto state = network_.services.look();
    return {state->all_stand(by, hub_.now_ms()), replacements()};
  }
  [[nodiscard]] bool may_go_wrong() const { return faults_ != nullptr && !faults_->empty(); }
  // The fault for the next event of that connection; the network's witness is told.
  [[nodiscard]] std::optional<StreamFault> next_fault(const StreamOpening& reader) const;
  // Its end, told once.
  void forget(const StreamConnection& connection);

  // Every connection releases `hold` once everything queued by now was sent, or it is gone.
  void when_delivered(const std::shared_ptr<void>& hold) {
    hub_.pass_time();  // look_after() may have taken the mark of a moved clock, and not have told the readers yet
    for (const auto& connection : open_connections()) connection->when_delivered(hold);
  }

 private:
  [[nodiscard]] std::vector<std::shared_ptr<StreamConnection>> open_connections();
  [[nodiscard]] api::Tier tier_of(const std::optional<Address>& account) const {
    return account ? network_.services.look()->tiers.of(*account) : api::default_tier;
  }
  void note(const Address& account, bool connected, TimestampMs at_ms) const {
    sequencer_.note_presence({.account = account, .connected = connected, .node = node_}, at_ms);
  }

  NetworkInstance& network_;
  Sequencer& sequencer_;
  std::string node_;  // empty: the only one
  StreamHub hub_;
  const Clock& machine_;
  FaultBook* faults_ = nullptr;
  std::atomic<bool> clock_was_moved_{false};
  StreamCensus census_;
  Ranked<LockRank::connections> mutex_;
  boost::unordered_flat_map<const StreamConnection*, std::weak_ptr<StreamConnection>> connections_;
  mutable Ranked<LockRank::guard> present_mutex_;
  std::map<Address, std::size_t> present_;  // streams of accounts that have one
};

// GET /ws and GET /stream: the upgrade, and the answer to a plain request. GET /asyncapi.json: their description.
void bind_streams(NetworkInstance& network, StreamService& streams, const api::ApiVersion& version);

}  // namespace svc::sim
