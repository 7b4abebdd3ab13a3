// One network's exchange, whole: its markets, its engine and what logs and follows it, and the network as
// the gateway serves it. Two exchanges of one venue share the clock and nothing else. (API: Networks, rule 6)
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sim/actors/flow.h"
#include "sim/actors/tape.h"
#include "sim/control/control_recording.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/network_instance.h"
#include "sim/sandbox_options.h"
#include "sim/sequencer/command_log.h"
#include "sim/sequencer/journal.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/sequencer.h"
#include "sim/sequencer/state_folder.h"
#include "sim/streams/stream_service.h"
#include "sim/views/views.h"

namespace svc::sim {

class Exchange {
  // How it began: said at the first start, and kept from then on.
  struct Founding {
    TimestampMs started_ms = 0;
    std::size_t accounts = 0;
    Usdx balance{};
  };

 public:
  // Both clocks must outlive the exchange: the sandbox's, and the machine's for the deadlines of connections.
  // Without a folder it lives in memory. With one it is what it was when it was last there: the whole journal is
  // verified, and what happened is replayed. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<Exchange>, std::string> open(const SandboxOptions& options,
                                                                           api::NetworkId network,
                                                                           const StateFolder* folder,
                                                                           const SandboxClock& clock,
                                                                           const Clock& machine);
  Exchange(const SandboxOptions& options, api::NetworkId network, std::unique_ptr<Journal> journal,
           std::shared_ptr<const Tape> tape, const Founding& founding, std::uint32_t open_orders,
           const SandboxClock& clock, const Clock& machine);  // for open() alone
  ~Exchange();

  // Once, when the clock stands where it should: from now on it can be used. A new exchange has funded accounts
  // and a first price of every market when this returns.
  [[nodiscard]] Result<void, std::string> begin();

  // It was there before.
  [[nodiscard]] bool is_old() const { return is_old_; }
  // Of the log; 0: it is empty, or there is none.
  [[nodiscard]] std::uint64_t last_position() const { return journal_ ? journal_->last_position() : 0; }
  // What the user should know about the log although it is good; empty: nothing.
  [[nodiscard]] std::string notice() const;
  // How the clock ran when it was last changed.
  [[nodiscard]] std::optional<ClockAnchor> kept_clock() const;
  [[nodiscard]] static RecordChange clock_row(const ClockAnchor& anchor);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Does what is due by now.
  void pass_time();

  // Everything of this exchange as of one unit: engine, schedule, rows of the services, views. (D-022)
  [[nodiscard]] std::string image() const;
  // Whether it can become what the image says: the time of the last unit in it, or one sentence.
  [[nodiscard]] Result<TimestampMs, std::string> check_image(std::string_view image) const;
  // It does, and that is logged. Requires a checked image, and that nobody else uses the exchange.
  [[nodiscard]] Result<void, WriteRefusal> become(std::string image);

  [[nodiscard]] NetworkInstance& network() { return network_; }
  [[nodiscard]] const NetworkInstance& network() const { return network_; }
  [[nodiscard]] Sequencer& sequencer() { return sequencer_; }
  [[nodiscard]] StreamService& streams() { return *streams_; }
  [[nodiscard]] Flow& flow() { return flow_; }
  [[nodiscard]] SessionRecorder& sessions() { return sessions_; }
  // Of this run; nullptr: nothing is recorded.
  [[nodiscard]] const TapeRecorder* recorder() const { return recorder_.get(); }
  [[nodiscard]] const Views& views() const { return views_; }
  [[nodiscard]] const MarketTable& markets() const { return markets_; }
  // Those that were funded at the start; empty except on local.
  [[nodiscard]] const std::vector<DevAccount>& accounts() const { return accounts_; }

 private:
  struct Parts;
  [[nodiscard]] Result<Parts, std::string> parts_of(std::string_view image) const;
  // On the writer's thread, live and in a replay.
  [[nodiscard]] Sequencer::Held take_image(std::string_view image);
  // At a restart, as if all up to the position had been replayed.
  [[nodiscard]] Result<void, std::string> begin_with(std::string_view image, std::uint64_t position);
  void take_rows_and_view(Parts& parts);

  [[nodiscard]] Result<void, std::string> replay();
  [[nodiscard]] Snapshot snapshot() const;
  [[nodiscard]] static bool clock_makes_sense(const RecordChange& change);
  // False: the row makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);
  // Tried on services of their own; one sentence if not all make sense.
  [[nodiscard]] Result<void, std::string> check_rows(const RecordTables& tables, TimestampMs last_ms) const;
  void take_snapshot();
  void bind(const VenueAccess& venue);
  void open_streams();
  [[nodiscard]] Result<void, std::string> found();

  const Founding founding_;
  const api::ApiVersion api_version_;
  const SandboxClock& clock_;
  const Clock& machine_;
  const MarketTable markets_;
  const std::unique_ptr<Journal> journal_;  // nullptr: in memory
  MemoryLog memory_{0};
  const bool is_old_;
  std::uint64_t snapshot_tried_at_ = 0;
  Sequencer sequencer_;
  Views views_;
  NetworkInstance network_;
  DisconnectGuard disconnects_;
  Flow flow_;
  const std::vector<std::string> start_prices_;  // of markets that are not the standard ones
  const std::filesystem::path record_file_;
  std::unique_ptr<TapeRecorder> recorder_;
  SessionRecorder sessions_;
  std::unique_ptr<StreamService> streams_;  // begin with the exchange as it was restored
  std::vector<DevAccount> accounts_;
};

}  // namespace svc::sim
