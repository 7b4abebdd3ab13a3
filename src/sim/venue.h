// One running venue, without sockets: an exchange for each network, gateway and control surface under one clock.
#pragma once

#include <atomic>
#include <filesystem>
#include <stop_token>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/fibers.h"
#include "base/result.h"
#include "sim/cluster/cluster_node.h"
#include "sim/control/control_surface.h"
#include "sim/control/controlled_venue.h"
#include "sim/etcd/etcd_state.h"
#include "sim/exchange.h"
#include "sim/gateway/gateway.h"
#include "sim/sandbox_options.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/state_folder.h"

namespace svc::sim {

// A revert of several networks in progress. Each network has its own log, so the plan for all is first written to
// `revert.json` in the state folder. A start that finds this file finishes the revert: a network is done if the last
// whole state in its log since then is the planned one. (D-405, docs/journal_format.md)
class PendingRevert {
 public:
  using Positions = std::map<std::string, std::uint64_t>;  // the last position of each network's log before the revert
  using Plan = std::pair<VenueImage, Positions>;

  explicit PendingRevert(const std::filesystem::path& folder) : path_(folder / "revert.json") {}

  // True once the file is safe on the disk.
  [[nodiscard]] bool write(const VenueImage& image, const Positions& positions) const;
  // nullopt: no revert is in progress. The error is one sentence.
  [[nodiscard]] Result<std::optional<Plan>, std::string> read() const;
  // False if it is still there. After a revert that is done, its logs show that.
  [[nodiscard]] bool remove() const;

 private:
  std::filesystem::path path_;
};

// In place of the logs, once nothing may be written to them.
class RefusesWrites final : public RemoteWriter {
 public:
  Result<void, WriteRefusal> submit(std::span<Unit>, std::span<Applied>) override {
    return unexpected(WriteRefusal::not_logged);
  }
};

// How a venue is opened.
struct VenueTerms {
  StateFolder::TryAgain
      try_again{};                 // asked while another process has the state; if empty, the start is refused at once
  PeerDial peer_dial{};            // the way to other nodes; empty: HTTP
  bool load_may_be_later = false;  // than the start: then it begins at the instant of what is loaded
};

class Venue {
 public:
  // Requires !refusal(options). `machine` must outlive the venue. Accounts are then funded and every market has its
  // first price; with a state the venue is as it was. The error is one line for the user about that state, then
  // unchanged.
  [[nodiscard]] static Result<std::unique_ptr<Venue>, std::string> open(SandboxOptions options, const Clock& machine,
                                                                        const VenueTerms& terms = {});
  Venue(SandboxOptions options, const Clock& machine);  // used by open() only
  ~Venue();

  // Whether answering may take long: for the log, or for another node.
  [[nodiscard]] bool may_wait(const api::HttpRequest& request) const;
  // Whether it may wait for all other requests.
  [[nodiscard]] static bool may_replace_state(std::string_view path) {
    return ControlSurface::owns(path) || ClusterNode::passes_control(path);
  }
  // Whether this field of a request shows that another node sends it.
  [[nodiscard]] bool is_call_of_node(std::string_view target, std::string_view name, std::string_view value) const {
    return cluster_ && ClusterNode::owns(target) && cluster_->is_secret(name, value);
  }
  // Answers one request, control surface and other nodes included; calls `reply` once. Any thread; may wait.
  void handle(api::HttpRequest&& request, const Peer& peer, const SendReply& reply);

  // As handle(), for a request to upgrade the connection.
  void upgrade(api::HttpRequest&& request, const std::string& head, const Peer& peer, const Upgrade& upgrade);

  // Delivers events to the streams until stopped; without it the caller's pass_time() does.
  void run_streams(const std::stop_token& stop);

  // Does everything that is due by now.
  void pass_time();

  // The whole venue at one instant, and back; no request is answered meanwhile. On an error nothing has changed, unless
  // its sentence says so. (D-022)
  [[nodiscard]] VenueImage image();
  [[nodiscard]] Result<void, api::ApiError> become(const VenueImage& image);

  // Makes the venue a new sandbox of these options, at the present time; errors likewise. (D-533)
  [[nodiscard]] Result<void, api::ApiError> reset(ResetScope scope);

  // Warnings for the user about a usable state, one per line.
  [[nodiscard]] std::string notices() const;
  // Why a log refused the latest write that it refused, or makes one wait; empty if none did.
  [[nodiscard]] std::string log_problem() const;
  // The network whose latest snapshot could not be read again; empty: none.
  [[nodiscard]] std::string unreadable_snapshot() const;
  // The process ends: writes that wait for their log return.
  void give_up_waiting();

  // Writes the document that --dump requests, and tells what --record could not write; the error is one line.
  [[nodiscard]] Result<void, std::string> dump();

  // Moves the clock or changes its pace, then does what is due. The caller holds the turnstile shared.
  [[nodiscard]] Result<void, api::ApiError> move_clock(const ClockChange& change);

  [[nodiscard]] const SandboxOptions& options() const { return options_; }
  [[nodiscard]] const SandboxClock& clock() const { return clock_; }
  // The accounts of local; empty if local is not served.
  [[nodiscard]] const std::vector<DevAccount>& accounts() const;
  [[nodiscard]] const RequestLog& requests() const { return gateway_->log(); }

  // The port that was bound. Until then the report shows the requested one, and other nodes do not find this one.
  void set_port(std::uint16_t port);
  [[nodiscard]] ReadyReport report() const;

 private:
  // One network and its control surface.
  struct Seat {
    std::unique_ptr<Exchange> exchange;
    std::unique_ptr<ControlSurface> control;
  };

  // Changes nothing in the state.
  [[nodiscard]] Result<void, std::string> open_exchanges(const StateFolder::TryAgain& try_again);
  [[nodiscard]] std::optional<api::HttpResponse> pass_on(const api::HttpRequest& request);
  void join_cluster(const PeerDial& dial);
  [[nodiscard]] bool leads() const { return !etcd_ || etcd_->leadership().epoch() != 0; }
  [[nodiscard]] Result<Exchange::OpenLog, std::string> open_state(const StateFolder::TryAgain& try_again);
  // The image of --load; the error continues a sentence that ends with the file's name.
  [[nodiscard]] Result<std::optional<VenueImage>, std::string> load(bool may_be_later) const;
  [[nodiscard]] Result<std::optional<PendingRevert::Plan>, std::string> revert_under_way() const;
  [[nodiscard]] Result<void, std::string> begin();
  [[nodiscard]] Result<void, std::string> finish(const PendingRevert::Plan& reverting);
  // Checks that the exchanges can take the image; the error is one sentence.
  [[nodiscard]] Result<void, std::string> check_image(const VenueImage& image) const;
  // Of an entry of the start that a log refused: where, what and why. What to do is to follow.
  [[nodiscard]] std::string not_written(std::string_view what) const;
  void open_gateway();
  [[nodiscard]] std::unique_ptr<ControlSurface> control_of(Exchange& exchange);
  // The report of one network; `networks` is empty.
  [[nodiscard]] ReadyReport report_of(const Exchange& exchange) const;
  [[nodiscard]] const Seat& seat_for(const api::HttpRequest& request) const;
  [[nodiscard]] bool sees_console(const api::HttpRequest& request, const Peer& peer) const;
  void send_here(api::HttpRequest&& request, const SendReply& reply);
  [[nodiscard]] bool keep_clock(const ClockAnchor& anchor);
  void end_streams_of_a_lost_node(const std::stop_token& stop);
  // Every network refuses writes until the next start. Returns the refusal, which says `why`.
  [[nodiscard]] Unexpected<api::ApiError> stop_writing(const char* why);
  void after_streams(std::function<void(bool delivered)> then);

  SandboxOptions options_;  // changed while opening alone: a folder keeps some of its first start
  const Clock& machine_;
  std::optional<StateFolder> folder_;
  LeaseClock lease_clock_;
  std::unique_ptr<EtcdState> etcd_;        // instead of a folder
  std::optional<ClockAnchor> kept_clock_;  // as kept there
  SandboxClock clock_;
  Gate clock_change_;    // one change at a time; it waits for the log
  Turnstile turnstile_;  // shared by users of the exchanges, exclusive for replacing everything
  ConsoleSigning signing_;
  SnapshotShelf snapshots_;
  RefusesWrites refuses_writes_;
  std::atomic<bool> was_replaced_{false};      // by a revert, a reset or a load, since the last pass_time()
  std::atomic<const char*> stopped_{nullptr};  // why nothing is written any more; nullptr: it is
  std::vector<Seat> seats_;
  std::optional<Gateway> gateway_;
  std::atomic<std::uint16_t> port_;
  std::unique_ptr<ClusterNode> cluster_;  // on an etcd
};

}  // namespace svc::sim
