// One network's exchange: markets, engine, log, followers of the log, and the network as the gateway serves it. Two
// exchanges of one venue share only the clock. (API: Networks, rule 6)
#pragma once

#include <filesystem>

#include "base/clock.h"
#include "sim/actors/flow.h"
#include "sim/actors/tape.h"
#include "sim/cluster/cluster_node.h"
#include "sim/control/mark_trail.h"
#include "sim/control/session_recorder.h"
#include "sim/control/timeline.h"
#include "sim/gateway/network_instance.h"
#include "sim/sandbox_options.h"
#include "sim/sequencer/command_log.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/sequencer.h"
#include "sim/streams/stream_service.h"
#include "sim/views/views.h"

namespace svc::sim {

class Exchange final : public Replica {
  // The settings of the first start; later starts keep them.
  struct Founding {
    TimestampMs started_ms = 0;
    std::size_t accounts = 0;
    Usdx balance{};
  };

 public:
  // Opens the log of a network; empty: there is none.
  using OpenLog = std::function<Result<std::unique_ptr<DurableLog>, std::string>(const std::string& network,
                                                                                 const LogFacts& facts)>;

  // Both clocks must outlive it: the sandbox's, and the machine's for the deadlines of connections. Without a log it
  // lives in memory; with one the whole log is verified and replayed. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<Exchange>, std::string> open(const SandboxOptions& options,
                                                                           api::NetworkId network,
                                                                           const OpenLog& open_log, SandboxClock& clock,
                                                                           const Clock& machine);
  Exchange(const SandboxOptions& options, api::NetworkId network, std::unique_ptr<DurableLog> journal,
           std::shared_ptr<const Tape> tape, const Founding& founding, SandboxClock& clock,
           const Clock& machine);  // used by open() only
  ~Exchange() override;

  // Who writes to its log.
  enum class Part : std::uint8_t {
    alone,    // nobody else serves it
    leads,    // this node of several
    follows,  // another one
  };
  // Called once, when the clock is set, before anything else. A new exchange has then funded its accounts and priced
  // every market. `node` names this process among several (StreamService).
  [[nodiscard]] Result<void, std::string> begin(Part part, const std::string& node);

  // Puts what the log keeps of its first start in the place of what this start was given.
  void restore_first_terms(SandboxOptions& options) const;
  // True if the exchange existed before this start.
  [[nodiscard]] bool is_old() const { return is_old_; }
  // The last whole state that the log was given after that position; nullopt: none.
  [[nodiscard]] std::optional<std::string> latest_image_after(std::uint64_t position) const;
  // The last position of the log; 0 if the log is empty or missing.
  [[nodiscard]] std::uint64_t last_position() const { return journal_ ? journal_->last_position() : 0; }
  // A warning for the user about a usable log; empty if there is none.
  [[nodiscard]] std::string notice() const;
  // Why the log refused the latest write that it refused, or makes one wait; empty if it did not.
  [[nodiscard]] std::string log_problem() const { return journal_ ? journal_->problem() : std::string(); }
  // True while the latest snapshot could not be made into a state again: it was not kept, and no entry is removed.
  [[nodiscard]] bool is_snapshot_unreadable() const { return snapshot_is_unreadable_; }

  // Does everything that is due by now.
  void pass_time();
  // The streams of the state that are not open here have closed: after a start and a revert, once the clock is set.
  [[nodiscard]] Result<void, WriteRefusal> drop_lost_streams();

  // The state of this exchange after one unit: engine, schedule, services, views, numbers of the streams. (D-022)
  [[nodiscard]] std::string image() const { return snapshot().image; }
  // Checks that the image can replace the state. Returns the time of its last unit, or an error of one sentence.
  [[nodiscard]] Result<TimestampMs, std::string> check_image(std::string_view image) const;
  // Replaces the state by the image and logs that. Requires a checked image, and nobody else.
  [[nodiscard]] Result<void, WriteRefusal> become(std::string image);

  [[nodiscard]] std::string name() const { return std::string(api::to_string(network_.settings.id)); }
  [[nodiscard]] NetworkInstance& network() { return network_; }
  [[nodiscard]] const NetworkInstance& network() const { return network_; }
  [[nodiscard]] Sequencer& sequencer() override { return sequencer_; }
  [[nodiscard]] std::optional<Applied> take(LogEntry&& entry) override;
  [[nodiscard]] Result<bool, std::string> take_snapshot_of_log() override;
  void begin_to_lead() override;
  void set_clock_ahead(std::int64_t ahead_ms) override { clock_.set_ahead(ahead_ms); }
  [[nodiscard]] ClockState clock() const override {
    const TimestampMs shown_ms = clock_.now_ms();
    return {.last_change = clock_.last_change(), .shown_ms = shown_ms};
  }
  void follow_clock(const ClockState& clock) override { clock_.follow_wait(clock.last_change, clock.shown_ms); }
  [[nodiscard]] std::set<std::string> nodes_with_streams() const override {
    return network_.services.look()->disconnects.nodes();
  }
  [[nodiscard]] StreamService& streams() { return streams_; }
  [[nodiscard]] Flow& flow() { return flow_; }
  [[nodiscard]] SessionRecorder& sessions() { return sessions_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] const MarkTrail& marks() const { return marks_; }
  // The recorder of this run; nullptr if nothing is recorded.
  [[nodiscard]] const TapeRecorder* recorder() const { return recorder_.get(); }
  [[nodiscard]] const Views& views() const { return views_; }
  [[nodiscard]] const MarketTable& markets() const { return markets_; }
  // The accounts funded at the start; empty except on local.
  [[nodiscard]] const std::vector<DevAccount>& accounts() const { return accounts_; }

 private:
  struct Parts;
  [[nodiscard]] Result<Parts, std::string> parts_of(std::string_view image) const;
  // Called on the writer's thread, live and in a replay.
  [[nodiscard]] Sequencer::Held take_image(std::string_view image);
  // Starts from the image at a restart, as if everything up to the position had been replayed.
  [[nodiscard]] Result<void, std::string> begin_with(std::string_view image, std::uint64_t position);
  // What the actors remember from now on.
  void remember(const std::map<std::string, std::string>& memories);

  // False: the log does not answer; what is left is replayed the next time.
  [[nodiscard]] Result<bool, std::string> replay();
  // Applies an entry that another run or another version may have written.
  [[nodiscard]] std::optional<Applied> apply(LogEntry entry);
  [[nodiscard]] Snapshot snapshot() const;
  void take_snapshot();
  [[nodiscard]] Result<void, std::string> fund_and_price();

  const Founding founding_;
  const std::uint32_t open_orders_max_;
  const api::ApiVersion api_version_;
  SandboxClock& clock_;
  const MarketTable markets_;
  const std::unique_ptr<DurableLog> journal_;  // nullptr: in memory
  CountingLog memory_;
  const bool is_old_;
  std::optional<std::uint64_t> snapshot_failed_at_;
  std::atomic<bool> snapshot_is_unreadable_{false};
  NetworkInstance network_;
  Sequencer sequencer_;
  Views views_;
  Flow flow_;
  const std::vector<std::string> start_prices_;  // of non-standard markets
  const std::filesystem::path record_file_;
  std::unique_ptr<TapeRecorder> recorder_;
  SessionRecorder sessions_;
  Timeline timeline_;
  MarkTrail marks_;
  mutable StreamService streams_;  // a snapshot of their numbers first sends what is due
  std::vector<DevAccount> accounts_;
};

}  // namespace svc::sim
