// What a sandbox keeps on an etcd: who leads one state, which nodes serve it and where, and the log of each of its
// networks.
#pragma once

#include <condition_variable>
#include <thread>

#include "base/secret.h"
#include "sim/etcd/etcd_log.h"
#include "sim/etcd/leadership.h"

namespace svc::limits {
inline constexpr std::int64_t cluster_look_ms = 200;          // between two looks at who leads and who is there
inline constexpr std::size_t cluster_nodes_max = 64;          // of one state
inline constexpr std::int64_t cluster_entry_margin_ms = 500;  // before the others may drop a node, it counts as gone
inline constexpr std::int64_t etcd_end_ms = 2'000;  // for an etcd that does not answer, when the process ends; D-1065
}  // namespace svc::limits

namespace svc::sim {

// A node as the others find it.
struct NodeEntry {
  std::string name{};
  std::uint64_t process = 0;  // drawn at its start
  api::HostPort place{};      // where it answers

  // Names this process of the node.
  [[nodiscard]] std::string id() const { return name + '/' + std::to_string(process); }
  bool operator==(const NodeEntry&) const = default;
};

// Who is there, as of one look.
struct ClusterView {
  bool is_known = false;           // etcd answered
  std::int64_t epoch = 0;          // of the leader; 0: nobody leads
  std::string leader{};            // its name
  std::vector<NodeEntry> nodes{};  // by name

  // nullptr: no such node, or it cannot be reached yet.
  [[nodiscard]] const NodeEntry* find(std::string_view name) const {
    const auto found = std::ranges::find(nodes, name, &NodeEntry::name);
    return found == nodes.end() ? nullptr : &*found;
  }
};

class EtcdState {
 public:
  struct Terms {
    EtcdAddress address{};
    std::string node{};
    EtcdDial dial{};  // empty: HTTP
    // Whether a leader that is there already is followed; otherwise that is refused.
    bool may_follow = false;
    // Called while the state cannot be had, with the reason; returns whether to try again, and may wait first.
    std::function<bool(const std::string& reason)> try_again{};
  };
  // Becomes the leader if there is none. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<EtcdState>, std::string> open(Terms terms, const Clock& clock);
  EtcdState(Terms terms, const Clock& clock);  // used by open() only
  // Takes this node out of the list.
  ~EtcdState();

  // This must outlive the log. Where another node leads, its log is waited for.
  [[nodiscard]] Result<std::unique_ptr<DurableLog>, std::string> open_log(const std::string& network,
                                                                          const LogFacts& facts);
  [[nodiscard]] Leadership& leadership() { return leadership_; }

  // The log that was opened last; it lives as long as whoever opened it says.
  [[nodiscard]] EtcdLog& log() { return *log_; }
  [[nodiscard]] std::uint64_t process() const { return process_; }
  [[nodiscard]] std::string id() const { return NodeEntry{.name = terms_.node, .process = process_}.id(); }

  // From now on the others find this node there, and it tries to lead whenever nobody does.
  void announce(const api::HostPort& place) {
    const std::lock_guard lock(mutex_);
    entry_.place = place;
    woken_.notify_all();
  }
  [[nodiscard]] ClusterView view() const { return copy_under(mutex_, view_); }
  // Whether the others find this node in etcd, as far as it knows: never longer than they do.
  [[nodiscard]] bool has_entry() const { return !terms_.may_follow || clock_.now_ms() < entry_until_ms_; }
  // Why etcd refused to make this node the leader, such as a full quota; empty if it did not refuse.
  [[nodiscard]] std::string refusal() const { return copy_under(mutex_, refusal_); }
  // Whether etcd takes a small write. Any thread.
  [[nodiscard]] bool has_room() const {
    EtcdClient client(terms_.address.members, dial_);
    const auto write = [&] { return client.commit({.puts = {{.key = terms_.address.name + "/room", .value = ""}}}); };
    const auto written = write();
    if (written || written.error().kind != EtcdError::Kind::quota_full) return written.has_value();
    // An etcd that has room again refuses writes until its alarm is ended; one that has none sets it again.
    return client.end_full() && write();
  }
  // The nodes of one state know each other by it; empty: not known yet.
  [[nodiscard]] Secret secret() const { return copy_under(mutex_, secret_); }

  // The process ends, or this node serves nobody any more: appends that wait for etcd return
  // (EtcdLog::Terms::gives_up), and soon nothing waits for it any more, in any thread. The next start checks the log,
  // and leases expire.
  void give_up() {
    if (!gives_up_) gave_up_ms_ = clock_.now_ms();
    gives_up_ = true;
  }

 private:
  [[nodiscard]] Result<void, std::string> join();
  // No two nodes of one state have the same name.
  [[nodiscard]] Result<void, std::string> claim_name();
  // After etcd failed: it has room again or may answer now, or the error is the end of this start. Makes room once.
  [[nodiscard]] Result<void, std::string> wait_or_end(const EtcdError& error);
  // Another network whose log the state has; empty: none.
  [[nodiscard]] Result<std::string, EtcdError> other_network(EtcdClient& client, std::string_view network) const;
  [[nodiscard]] bool tries_again(const std::string& reason) const {
    return terms_.try_again && terms_.try_again(reason);
  }
  // Whether it is tried again; the error ends this start, and says the reason and what to do about it.
  [[nodiscard]] Result<void, std::string> try_again_or_end(const std::string& reason, const std::string& end) const {
    if (tries_again(reason)) return {};
    return unexpected("--state: " + reason + end);
  }
  // Whether etcd takes writes again: it forgets what was removed, and gives the room back.
  [[nodiscard]] bool make_room();
  void pause(std::int64_t ms) const {
    if (!terms_.dial) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  }
  // The way to a member with waits that end after give_up().
  [[nodiscard]] EtcdDial dial(std::int64_t answer_ms) const;
  // Once every limits::cluster_look_ms: leases are kept, the view is renewed.
  void look();
  void keep_entry();
  // False: another node has this name.
  [[nodiscard]] Result<bool, EtcdError> make_entry();
  [[nodiscard]] NodeEntry entry() const { return copy_under(mutex_, entry_); }
  [[nodiscard]] ClusterView look_around();
  void know_secret();
  [[nodiscard]] std::string key_of_node(std::string_view name) const {
    return terms_.address.name + "/node/" + std::string(name);
  }

  const Terms terms_;
  const EtcdDial dial_;
  const Clock& clock_;
  const std::uint64_t process_;
  std::atomic<TimestampMs> gave_up_ms_{0};
  std::atomic<bool> gives_up_{false};
  Leadership leadership_;
  EtcdClient client_;  // of the thread below
  EtcdLog* log_ = nullptr;
  bool made_room_ = false;
  std::int64_t entry_lease_ = 0;  // 0: there is no entry
  NodeEntry written_entry_;       // the entry as etcd has it
  TimestampMs entry_kept_ms_ = 0;
  std::atomic<TimestampMs> entry_until_ms_{0};  // 0: there is no entry
  TimestampMs lead_kept_ms_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  NodeEntry entry_;           // without a port until announce(): other nodes do not see it
  ClusterView view_;
  Secret secret_;
  std::string refusal_;
  std::condition_variable_any woken_;
  std::jthread keeping_;  // last: it stops before what it uses is gone
};

}  // namespace svc::sim
