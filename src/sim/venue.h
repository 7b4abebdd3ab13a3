// One running venue: an exchange for each network, the gateway and the control surface under one clock, without
// sockets. Tests reach it through `Sandbox`, the network through `serve`.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "api/http_message.h"
#include "base/clock.h"
#include "base/fibers.h"
#include "base/result.h"
#include "sim/control/control_surface.h"
#include "sim/control/controlled_venue.h"
#include "sim/exchange.h"
#include "sim/gateway/gateway.h"
#include "sim/sandbox_options.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/state_folder.h"

// A revert of several networks that is under way. Each network has a log of its own, so what is about to happen to all
// of them is written down first, in `revert.json` of the state folder; a start that finds it finishes it: a network
// whose log has no further entry since was not reached. (D-405, docs/journal_format.md)

namespace svc::sim {

class PendingRevert {
 public:
  using Positions = std::map<std::string, std::uint64_t>;  // of each network's log, before

  explicit PendingRevert(const std::filesystem::path& folder) : path_(folder / "revert.json") {}

  // Safe on the disk when it answers true.
  [[nodiscard]] bool write(const VenueImage& image, const Positions& positions) const;
  // nullopt: nothing is under way. The error is one sentence.
  [[nodiscard]] Result<std::optional<std::pair<VenueImage, Positions>>, std::string> read() const;
  // If it stays, it is known by the positions that it is done.
  void remove() const;

 private:
  std::filesystem::path path_;
};

class Venue {
 public:
  struct OpenTerms {
    HoldBack after_ms{};                // holds answers back in real time (GatewayOptions); without it none is
    StateFolder::TryAgain try_again{};  // while another process has the state folder; without it that is refused
  };

  // Requires !refusal(options). `machine` must outlive the venue. Accounts are funded and every market has its
  // first price when this returns; with a state folder everything is as it was. The error is one line for the user,
  // about that folder, in which no byte was changed then.
  [[nodiscard]] static Result<std::unique_ptr<Venue>, std::string> open(SandboxOptions options, const Clock& machine,
                                                                        const OpenTerms& terms);
  [[nodiscard]] static Result<std::unique_ptr<Venue>, std::string> open(SandboxOptions options, const Clock& machine) {
    return open(std::move(options), machine, OpenTerms{});
  }
  Venue(SandboxOptions options, const Clock& machine);  // for open() alone
  Venue(const Venue&) = delete;
  Venue& operator=(const Venue&) = delete;
  ~Venue();

  // Answers one request, control surface included; calls `reply` once. Any thread. With a state folder a request
  // that may write waits for the disk.
  void handle(api::HttpRequest&& request, const Peer& peer, const SendReply& reply);

  // Likewise for a request that asks to leave HTTP.
  void upgrade(api::HttpRequest&& request, const std::string& head, const Peer& peer, const Upgrade& upgrade);

  // Tells the streams what happens, until it is stopped; without it a caller does so by pass_time().
  void run_streams(const std::stop_token& stop);

  // Does what is due by now.
  void pass_time();

  // The whole venue at one instant, and back; in between nobody else is answered. The error is one sentence, and then
  // nothing has changed. (D-022)
  [[nodiscard]] VenueImage image();
  [[nodiscard]] Result<void, api::ApiError> become(const VenueImage& image);

  // Everything is as a new sandbox of these options, at the present time. The error is one sentence, and then nothing
  // has changed. (D-533)
  [[nodiscard]] Result<void, api::ApiError> reset(ResetScope scope);

  // What the user should know about the state folder although all is well; a line each.
  [[nodiscard]] std::string notices() const;

  // Writes the document that --dump asks for; the error is one line for the user.
  [[nodiscard]] Result<void, std::string> dump();

  // Moves the clock or changes its pace, and does what is due then. Whoever calls shares the turnstile.
  [[nodiscard]] Result<void, api::ApiError> move_clock(const ClockChange& change);

  [[nodiscard]] const SandboxOptions& options() const { return options_; }
  [[nodiscard]] const SandboxClock& clock() const { return clock_; }
  // Of local; empty if it is not served.
  [[nodiscard]] const std::vector<DevAccount>& accounts() const;
  [[nodiscard]] const RequestLog& requests() const { return gateway_->log(); }

  // The port it was given. Until then the report names the one asked for.
  void set_port(std::uint16_t port) { port_.store(port); }
  [[nodiscard]] ReadyReport report() const;

 private:
  // One network and the control surface that is about it.
  struct Seat {
    std::unique_ptr<Exchange> exchange;
    std::unique_ptr<ControlSurface> control;
    std::uint64_t opened_at = 0;  // the last entry of its log when it was opened
  };

  using Reverting = std::pair<VenueImage, PendingRevert::Positions>;

  // Changes nothing in the state folder.
  [[nodiscard]] Result<void, std::string> open_exchanges(const StateFolder::TryAgain& try_again);
  // What --load names; the error goes on where the name of the file ends.
  [[nodiscard]] Result<std::optional<VenueImage>, std::string> load() const;
  [[nodiscard]] Result<std::optional<Reverting>, std::string> revert_under_way() const;
  [[nodiscard]] Result<void, std::string> begin();
  [[nodiscard]] Result<void, std::string> finish(const Reverting& reverting);
  // Whether the exchanges can become what it says; one sentence if not.
  [[nodiscard]] Result<void, std::string> check_image(const VenueImage& image) const;
  void open_gateway(HoldBack after_ms);
  [[nodiscard]] std::unique_ptr<ControlSurface> control_of(Exchange& exchange);
  // What one network says of itself; `networks` is empty.
  [[nodiscard]] ReadyReport report_of(const Exchange& exchange) const;
  [[nodiscard]] const ControlSurface& control_for(const api::HttpRequest& request) const;
  [[nodiscard]] bool keep_clock(const ClockAnchor& anchor);
  void after_streams(std::function<void(bool delivered)> then);

  const SandboxOptions options_;
  const Clock& machine_;
  std::optional<StateFolder> folder_;
  std::optional<ClockAnchor> kept_clock_;  // of the folder
  SandboxClock clock_;
  Gate clock_change_;  // one change at a time; it waits for the log
  Turnstile turnstile_;  // whoever uses the exchanges shares it; whoever replaces everything has it alone
  SnapshotShelf snapshots_;
  std::vector<Seat> seats_;
  HoldBack after_ms_;
  std::optional<Gateway> gateway_;
  std::atomic<std::uint16_t> port_;
};

}  // namespace svc::sim
