// One of several nodes that serve one exchange. They share its log on an etcd; the one that leads is the single writer.
// (docs/cluster.md)
//
// Promises
//   - a write is answered when it is in the log and this node has applied it
//   - a write that is refused is not in the log, now or later. What became of one whose answer was lost is read
//     from the log: once another leads, its leader cannot write it any more
//   - is_current() is true only if this node has applied everything that any node answered before the call
//   - is_cut_off() is true once it could not be for a while
//   - a node that differs from the log says so and serves nobody any more
//
// Safe to use from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>

#include "api/contract/control.h"
#include "base/fibers.h"
#include "sim/cluster/peer_link.h"
#include "sim/cluster/read_leases.h"
#include "sim/etcd/etcd_state.h"
#include "sim/gateway/http_server.h"
#include "sim/sequencer/sequencer.h"

namespace svc::limits {
inline constexpr std::int64_t cluster_step_ms = 20;        // between two looks of the thread that follows
inline constexpr std::int64_t cluster_rows_wait_ms = 100;  // for rows of the leader; then it is asked how far it is
inline constexpr std::int64_t cluster_rows_fresh_ms = 50;  // after rows the leader is believed to answer
inline constexpr std::size_t cluster_rows_max = 64;        // messages of it that wait to be applied
inline constexpr std::int64_t cluster_proof_ms = 2'000;    // to show that a node is current; then 503
inline constexpr std::int64_t cluster_lag_look_ms = 250;   // between two questions how far the leader is
inline constexpr std::int64_t cluster_silence_ms = 1'000;  // without word of the leader: no writes are taken
inline constexpr std::int64_t cluster_cut_off_ms =
    3'000;  // without all that others wrote: requests are refused at once
inline constexpr std::int64_t cluster_unheard_ms = 10'000;  // a leader that no other node reaches lets another one lead
inline constexpr std::int64_t cluster_clock_ms = 1'000;     // between the clocks of two machines; beyond: a problem
inline constexpr std::int64_t cluster_retry_ms = 200;       // after etcd did not answer
inline constexpr std::size_t cluster_proofs_max = 8'192;    // that wait at once; beyond: 503
}  // namespace svc::limits

namespace svc::sim {

// The exchange as a node of a cluster sees it.
class Replica {
 public:
  virtual ~Replica() = default;
  [[nodiscard]] virtual Sequencer& sequencer() = 0;
  // Applies an entry of the log; nullopt if it makes no sense to this version.
  [[nodiscard]] virtual std::optional<Applied> take(LogEntry&& entry) = 0;
  // The log goes on behind a snapshot: goes on from there. False: the log does not answer. The error is one line.
  [[nodiscard]] virtual Result<bool, std::string> take_snapshot_of_log() = 0;
  // This node writes from the next moment on.
  virtual void begin_to_lead() = 0;
  // So much is this machine's clock ahead of that of the node that leads. 0: this one leads.
  virtual void set_clock_ahead(std::int64_t ahead_ms) = 0;
  // The sandbox's clock here, and that of the node that leads.
  struct ClockState {
    ClockAnchor last_change{};
    TimestampMs shown_ms = 0;
  };
  [[nodiscard]] virtual ClockState clock() const = 0;
  virtual void follow_clock(const ClockState& clock) = 0;
  // Nodes whose streams the state knows of (NotePresence).
  [[nodiscard]] virtual std::set<std::string> nodes_with_streams() const = 0;
};

class ClusterNode final : public RemoteWriter, private IdleWork, private CommitWatcher {
 public:
  struct Terms {
    PeerDial dial{};  // empty: HTTP
    // Acts for a request of the control surface that another node passed on. May wait.
    std::function<void(api::HttpRequest&&, const SendReply&)> control{};
  };
  // All must outlive this. `clock` is never set; `machine` is that of the day. A caller leaves the turnstile while it
  // waits for another node.
  ClusterNode(EtcdState& state, Replica& replica, Turnstile& turnstile, const Clock& clock, const Clock& machine,
              Terms terms);
  ~ClusterNode() override;

  // The process ends: whoever waits for another node returns, and nothing more is passed to one.
  void give_up();

  [[nodiscard]] Result<void, WriteRefusal> submit(std::span<Unit> units, std::span<Applied> answers) override;

  // Whether what this node shows includes everything that was answered before. Waits for it, limits::cluster_proof_ms
  // at most. Under the shared turnstile.
  [[nodiscard]] bool is_current();
  // Ends what waited too long, also while the thread that follows waits for etcd. Called regularly.
  void pass_time() {
    note_if_current();
    end_proofs(clock_.now_ms());
  }
  // For limits::cluster_cut_off_ms nothing has shown that this node has everything in the log; or the others may take
  // it for gone, and count its streams as lost.
  [[nodiscard]] bool is_cut_off() const {
    return clock_.now_ms() - current_ms_ > limits::cluster_cut_off_ms || !state_.has_entry();
  }
  // Whether the leader wrote just now and this node has it, so that an order may be passed on before this node has
  // shown that it is current. One that is passed to a leader which does not answer waits for the next one. (D-1150)
  [[nodiscard]] bool hears_writer() const {
    return leads_ ? is_lease_ours() && !log_.is_stuck()
                  : !is_behind_ && clock_.now_ms() - rows_heard_ms_ < limits::cluster_rows_fresh_ms;
  }
  // Whether is_current() may take long.
  [[nodiscard]] bool may_wait_to_be_current() const {
    return leads_ ? is_writing_now() : !held_lease_.covers(position_);
  }

  // Requests of other nodes.
  [[nodiscard]] static bool owns(std::string_view path) { return path.starts_with(peer_base); }
  // Whether answering may take long.
  [[nodiscard]] static bool may_wait(std::string_view path) {
    return path.ends_with(to_string(PeerCall::submit)) || passes_control(path);
  }
  [[nodiscard]] static bool passes_control(std::string_view path) {
    return owns(path) && path.ends_with(to_string(PeerCall::control));
  }
  void handle(api::HttpRequest&& request, const SendReply& reply);
  // Whether this field of a request shows that it comes from a node of the same state.
  [[nodiscard]] bool is_secret(std::string_view name, std::string_view value) const;

  // The leader's answer to a request to the control surface; nullopt: this node leads. Without the turnstile.
  [[nodiscard]] std::optional<api::HttpResponse> pass_on(const api::HttpRequest& request);

  // While this node replaces the whole state, under the exclusive turnstile: if it stops leading meanwhile, the rest is
  // refused.
  void set_replacing(bool is_replacing) { is_replacing_ = is_replacing; }

  [[nodiscard]] api::control::Cluster report() const;
  [[nodiscard]] bool leads() const { return leads_.load(); }

  // The budgets that this node keeps for others: answers a question. Set before the first request.
  using Charge = std::function<std::string(std::string_view payload)>;
  void set_charge(Charge charge) { charge_ = std::move(charge); }
  // Asks the node that keeps the budgets of that payer: the same one on every node that sees the same nodes. nullopt if
  // it is this one, or does not answer.
  [[nodiscard]] std::optional<std::string> ask_keeper(std::string_view payer, std::string question);

 private:
  // Units that were passed to the leader.
  struct Pending {
    std::span<const Unit> units;
    std::span<Applied> answers;
    std::size_t applied = 0;
    std::int64_t epoch = 0;  // of the leader they were passed to
    std::optional<WriteRefusal> refusal{};
    Waiter waiter{};
  };
  struct Proof {
    bool is_current = false;
    TimestampMs until_ms = 0;
    Waiter waiter{};
  };
  // How far the log was, and when that was asked.
  struct Extent {
    std::uint64_t position = 0;
    TimestampMs asked_ms = 0;
  };

  void run(const std::stop_token& stop);
  void look(const ClusterView& view);
  void look_for_room();
  // Whether no other node has reached this one, which leads, for limits::cluster_unheard_ms, though it reaches one.
  [[nodiscard]] bool is_unheard();
  void follow();
  void catch_up();
  void start_over();
  void wait_for_log(LogError why) {
    if (why == LogError::unreadable) differs(log_.problem());
    std::this_thread::sleep_for(std::chrono::milliseconds(limits::cluster_retry_ms));
  }
  [[nodiscard]] std::vector<EtcdKeyValue> next_rows();
  void receive_rows(const std::vector<std::string>& messages);
  // Ends the writes that were passed to a leader before that one; nullopt: all of them.
  void end_pending(std::optional<std::int64_t> before, WriteRefusal refusal);
  // What an earlier leader wrote is applied here: what is not among it was never written, and will not be.
  void settle_before(std::int64_t epoch) {
    end_pending(epoch, WriteRefusal::not_logged);
    settled_epoch_ = epoch;
  }
  [[nodiscard]] bool promote();
  void step_down() {
    leads_ = false;
    led_epoch_ = 0;
    sequencer_.stop_writing(*this);
    position_ = log_.last_position();
    is_behind_ = true;
  }
  void drop_streams_of_lost_nodes(const ClusterView& view);
  void take(LogEntry&& entry);
  void check(const StateMark& mark) {
    if (mark.position != position_) return;
    if (sequencer_.mark().state_hash != mark.state_hash)
      differs("after entry " + std::to_string(mark.position) + " the state is not that of the node that leads");
  }
  // Whatever was read here may have been wrong; nothing more is served.
  void differs(std::string why) {
    held_lease_.give_up();
    const std::lock_guard lock(mutex_);
    if (broken_.empty()) broken_ = std::move(why);
  }
  void ask_position();
  void ask_position(PeerLink& leader, std::function<void(std::optional<std::uint64_t>)> told);
  void end_proofs(TimestampMs now_ms);
  // This node had everything in the log at that time.
  void note_current(TimestampMs at_ms) { current_ms_ = std::max(current_ms_.load(), at_ms); }
  void note_if_current();
  void settle(std::uint64_t request, const Result<std::string, PeerError>& answer);
  void call(PeerLink& link, PeerCall what, std::string payload, PeerLink::Done done);
  void do_idle_work() override {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, link] : links_) link->send_waiting();
    for (const auto& link : retired_) link->send_waiting();
  }
  void before_append() override;
  void after_append() override;
  void after_commit() override {
    granted_leases_.allow();
    end_proofs(clock_.now_ms());
  }
  void wait_outside(Waiter& waiter) {
    const auto absent = turnstile_.step_out();
    waiter.wait();
  }
  // Both are called with the lock held; nullptr: there is no link, as to this node itself.
  [[nodiscard]] std::shared_ptr<PeerLink> link_to(const NodeEntry* node) const {
    const auto found = node == nullptr ? links_.end() : links_.find(node->process);
    return found == links_.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::shared_ptr<PeerLink> link_to_leader() const {
    return view_.epoch == 0 || !broken_.empty() ? nullptr : link_to(view_.find(view_.leader));
  }
  [[nodiscard]] std::shared_ptr<PeerLink> leader_link() const {
    const std::lock_guard lock(mutex_);
    return link_to_leader();
  }
  [[nodiscard]] std::int64_t seen_epoch() const { return copy_under(mutex_, view_.epoch); }
  [[nodiscard]] bool is_lease_ours() const {
    const Leadership& leadership = state_.leadership();
    return leads_ && leadership.epoch() == led_epoch_ && leadership.is_lease_fresh();
  }
  // While it leads: something is in the log, or may be, that was not applied yet.
  [[nodiscard]] bool is_writing_now() const { return sequencer_.position() < log_.position_under_way(); }
  [[nodiscard]] std::string act(PeerCall what, const std::vector<std::string>& calls, std::uint64_t process);
  [[nodiscard]] std::vector<std::string> take_units(const std::vector<std::string>& calls, std::uint64_t process);

  EtcdState& state_;
  EtcdLog& log_;
  Replica& replica_;
  Sequencer& sequencer_;
  Turnstile& turnstile_;
  const Clock& clock_;
  const Clock& machine_;
  const Terms terms_;
  const PeerDial dial_;
  Charge charge_;
  PeerInbox inbox_;
  GrantedLeases granted_leases_;  // while it leads
  HeldLease held_lease_;          // while it follows
  std::atomic<bool> leads_{false};
  std::atomic<std::int64_t> led_epoch_{0};
  std::atomic<std::uint64_t> position_{0};         // applied here, while it follows
  std::atomic<std::uint64_t> leader_position_{0};  // as told last
  std::atomic<TimestampMs> leader_heard_ms_{0};    // when it last said that it leads
  std::atomic<TimestampMs> rows_heard_ms_{0};      // when it last passed on what it wrote
  std::atomic<TimestampMs> current_ms_{0};         // when this node was last known to have everything in the log
  std::atomic<TimestampMs> heard_ms_{0};           // when another node reached this one, or there was none
  std::atomic<TimestampMs> reached_ms_{0};         // when this one, which leads and was not heard, reached an idle one
  std::atomic<bool> is_starting_over_{false};      // with a snapshot, and asks nobody meanwhile
  std::atomic<bool> stood_back_{false};            // none reached it while it led, or since
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<bool> is_replacing_{false};

  std::atomic<bool> is_behind_{true};  // there may be entries that the leader did not pass on

  // Of the thread that follows.
  std::int64_t settled_epoch_ = 0;
  TimestampMs asked_ms_ = 0;
  TimestampMs room_looked_ms_ = 0;
  TimestampMs heard_looked_ms_ = 0;
  std::set<std::string> known_nodes_;

  std::mutex rows_mutex_;  // guards the next three
  std::condition_variable rows_came_;
  std::deque<std::string> rows_;  // that the leader passed on: archives
  bool rows_are_missing_ = false;

  mutable std::mutex mutex_;  // guards what follows
  ClusterView view_;
  std::map<std::uint64_t, std::shared_ptr<PeerLink>> links_;  // by process
  std::vector<std::shared_ptr<PeerLink>> retired_;
  std::map<std::uint64_t, Pending*> pending_;
  std::multimap<std::uint64_t, Proof*> proofs_;  // by the position they wait for
  std::string broken_;                           // why it serves nobody; empty: it does
  std::int64_t clock_ahead_ms_ = 0;              // this machine's, of the leader's, as far as answers show it
  std::string leader_refusal_;                   // why etcd refuses its writes, as it said last
  std::optional<Extent> awaited_;                // of the log, which this node does not have as far yet
  bool gives_up_ = false;
  std::jthread thread_;  // last: it stops before what it uses is gone
};

}  // namespace svc::sim
