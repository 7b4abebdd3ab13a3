#include "sim/etcd/etcd_state.h"

#include <algorithm>
#include <chrono>

#include "api/http/channel.h"
#include "api/network.h"
#include "base/archive.h"
#include "base/random.h"

namespace svc::sim {

namespace {

// A way to a member on which nothing is waited for once has_ended() is true.
class EndingWay final : public api::Transport {
 public:
  EndingWay(std::unique_ptr<api::Transport> way, const std::function<bool()>& has_ended)
      : way_(std::move(way)), has_ended_(has_ended) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    const api::EndsWaits no_longer(has_ended_);
    return way_->send(request);
  }

 private:
  const std::unique_ptr<api::Transport> way_;
  const std::function<bool()> has_ended_;
};

}  // namespace

EtcdState::EtcdState(Terms terms, const Clock& clock)
    : terms_(std::move(terms)),
      dial_(dial(limits::etcd_answer_ms)),
      clock_(clock),
      process_(std::max<std::uint64_t>(random_number(), 1)),
      leadership_(EtcdClient(terms_.address.members, dial(limits::etcd_lease_answer_ms)),
                  terms_.address.name + "/leader", terms_.node, clock),
      client_(terms_.address.members, dial(limits::etcd_lease_answer_ms)),
      entry_{.name = terms_.node, .process = process_} {}

EtcdState::~EtcdState() {
  keeping_.request_stop();
  woken_.notify_all();
  if (keeping_.joinable()) keeping_.join();
  if (entry_lease_ != 0) (void)client_.revoke_lease(entry_lease_);
}

EtcdDial EtcdState::dial(std::int64_t answer_ms) const {
  return [this, dial = terms_.dial ? terms_.dial : dial_by_http(answer_ms)](const api::HostPort& member) {
    return std::make_unique<EndingWay>(
        dial(member), [this] { return gives_up_ && clock_.now_ms() - gave_up_ms_ >= limits::etcd_end_ms; });
  };
}

Result<std::unique_ptr<EtcdState>, std::string> EtcdState::open(Terms terms, const Clock& clock) {
  auto state = std::make_unique<EtcdState>(std::move(terms), clock);
  SVC_TRY(state->join());
  // A double has no time of its own: tests keep the lease themselves.
  if (!state->terms_.dial)
    state->keeping_ = std::jthread([&self = *state](const std::stop_token& stop) {
      std::unique_lock lock(self.mutex_);
      while (!stop.stop_requested()) {
        self.woken_.wait_for(lock, stop, std::chrono::milliseconds(limits::cluster_look_ms), [] { return false; });
        if (stop.stop_requested()) return;
        lock.unlock();
        self.look();
        lock.lock();
      }
    });
  return state;
}

Result<void, std::string> EtcdState::join() {
  if (terms_.may_follow) SVC_TRY(claim_name());
  while (true) {
    if (terms_.may_follow) keep_entry();
    const auto elected = leadership_.campaign();
    if (elected) break;
    const Leadership::Refusal& refusal = elected.error();
    if (refusal.leader.empty()) {
      SVC_TRY(wait_or_end(refusal.error));
      continue;
    }
    // A leader that is not among the nodes has ended: its lease will, too.
    const ClusterView around = terms_.may_follow ? look_around() : ClusterView();
    if (around.find(refusal.leader) != nullptr) break;
    SVC_TRY(try_again_or_end("node " + refusal.leader + " leads on " + to_string(terms_.address), " already"));
  }
  lead_kept_ms_ = clock_.now_ms();
  if (!terms_.may_follow) return {};
  know_secret();
  const std::lock_guard lock(mutex_);
  view_ = look_around();
  return {};
}

// A node that was killed leaves its entry until its lease ends.
Result<void, std::string> EtcdState::claim_name() {
  while (true) {
    const auto is_ours = make_entry();
    if (is_ours && *is_ours) return {};
    if (!is_ours) {
      SVC_TRY(wait_or_end(is_ours.error()));
      continue;
    }
    SVC_TRY(try_again_or_end("a node of the name " + terms_.node + " serves " + to_string(terms_.address),
                             " already; give this one another --name"));
  }
}

Result<void, std::string> EtcdState::wait_or_end(const EtcdError& error) {
  const bool is_full = error.kind == EtcdError::Kind::quota_full;
  if (is_full && !std::exchange(made_room_, true) && make_room()) return {};
  const std::string place = to_string(terms_.address);
  // Too few members answer, as while they elect.
  const bool may_answer = error.kind == EtcdError::Kind::unknown || error.kind == EtcdError::Kind::no_quorum;
  if (may_answer && tries_again(place + " does not answer (" + error.reason + ")")) return {};
  if (is_full)
    return unexpected("--state: " + place + " is full: give etcd a larger quota, or remove what else is on it");
  return unexpected("--state: " + place + ": " + error.reason);
}

bool EtcdState::make_room() {
  EtcdClient client(terms_.address.members, dial_);
  const auto now = client.read({.key = leadership_.key()}, 1);
  if (!now) return false;
  (void)client.compact(now->revision);
  for (std::size_t member = 0; member < client.members(); ++member) (void)client.defragment(member);
  return client.end_full().has_value();
}

Result<std::string, EtcdError> EtcdState::other_network(EtcdClient& client, std::string_view network) const {
  for (const std::string_view other : api::network_texts) {
    if (other == network) continue;
    if (SVC_TRY(client.read_one(EtcdLog::key_of_facts(terms_.address.name + '/' + std::string(other) + '/'))))
      return std::string(other);
  }
  return std::string();
}

Result<std::unique_ptr<DurableLog>, std::string> EtcdState::open_log(const std::string& network,
                                                                     const LogFacts& facts) {
  const EtcdLog::Terms log_terms{.members = terms_.address.members,
                                 .dial = dial_,
                                 .place = to_string(terms_.address) + " (" + network + ")",
                                 .prefix = terms_.address.name + '/' + network + '/',
                                 .facts = facts,
                                 .pause = [this](std::int64_t ms) { pause(ms); },
                                 .gives_up = &gives_up_};
  EtcdClient client(terms_.address.members, dial_);
  while (true) {
    const auto other = other_network(client, network);
    if (!other) {
      SVC_TRY(wait_or_end(other.error()));
      continue;
    }
    if (!other->empty())
      return unexpected("--state: " + to_string(terms_.address) + " keeps network " + *other +
                        ", and a state keeps one: serve that one with --as, or name another state behind the last /");
    auto log = EtcdLog::open(log_terms, leadership_);
    if (!log) return unexpected("--state: " + log.error());
    // A new exchange gets its first entries from the node that leads.
    const bool is_ready = leadership_.epoch() != 0 || (*log)->last_position() > 0;
    if (is_ready) {
      log_ = log->get();
      return std::unique_ptr<DurableLog>(std::move(*log));
    }
    if (!tries_again("node " + view().leader + " begins " + to_string(terms_.address)))
      return unexpected("--state: " + log_terms.place + " has no entries yet, and this node does not lead");
    pause(limits::cluster_look_ms);
  }
}

void EtcdState::look() {
  if (gives_up_) return;
  if (const TimestampMs now_ms = clock_.now_ms();
      leadership_.epoch() != 0 && now_ms - lead_kept_ms_ >= limits::etcd_lease_keep_ms) {
    lead_kept_ms_ = now_ms;
    leadership_.keep();
  }
  if (!terms_.may_follow) return;
  keep_entry();
  if (secret().empty()) know_secret();
  ClusterView around = look_around();
  // Somebody removed this node's entry: it is written again, unless another node has the name by now.
  const NodeEntry* const own = around.find(terms_.node);
  if (around.is_known && written_entry_.place.port != 0 && (own == nullptr || own->process != process_)) {
    written_entry_ = {};
    if (own != nullptr) entry_lease_ = 0;
    entry_until_ms_ = 0;
  }
  const bool is_announced = [&] {
    const std::lock_guard lock(mutex_);
    view_ = around;
    return entry_.place.port != 0;
  }();
  std::string refusal;
  const bool nobody_leads = around.is_known && around.epoch == 0;
  // The others find a leader by its entry.
  if (nobody_leads && is_announced && has_entry() && leadership_.epoch() == 0) {
    const auto elected = leadership_.campaign();
    if (elected) lead_kept_ms_ = clock_.now_ms();
    if (!elected) refusal = elected.error().error.refusal();
  }
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(refusal);
}

// A lease that ended takes the entry with it: then both are made anew.
void EtcdState::keep_entry() {
  // Read by the clock before the lease is renewed: it never seems to last longer than it does.
  const TimestampMs now_ms = clock_.now_ms();
  const bool is_due = now_ms - entry_kept_ms_ >= limits::etcd_lease_keep_ms;
  if (entry_lease_ != 0 && is_due) {
    const auto left = client_.keep_lease(entry_lease_);
    if (!left) return;
    entry_kept_ms_ = now_ms;
    if (*left <= 0) entry_lease_ = 0;
  }
  if (entry_lease_ == 0) {
    if (is_due) (void)make_entry();
  } else if (const NodeEntry entry = this->entry(); entry != written_entry_) {
    // etcd refuses a lease that has ended, so this replaces no other node's entry.
    if (!client_.commit(
            {.puts = {{.key = key_of_node(entry.name), .value = to_archive(entry), .lease = entry_lease_}}}))
      return;
    written_entry_ = entry;
  }
  entry_until_ms_ =
      entry_lease_ == 0 ? 0 : entry_kept_ms_ + limits::etcd_lease_s * second_ms - limits::cluster_entry_margin_ms;
}

Result<bool, EtcdError> EtcdState::make_entry() {
  const NodeEntry entry = this->entry();
  entry_kept_ms_ = clock_.now_ms();
  const auto claim = SVC_TRY(client_.claim(key_of_node(entry.name), to_archive(entry), limits::etcd_lease_s));
  entry_lease_ = claim.lease;
  if (entry_lease_ != 0) written_entry_ = entry;
  return entry_lease_ != 0;
}

ClusterView EtcdState::look_around() {
  ClusterView around;
  const auto leader = client_.read_one(leadership_.key());
  const auto nodes = client_.read(keys_below(key_of_node("")), limits::cluster_nodes_max);
  if (!leader || !nodes) return around;
  around.is_known = true;
  if (*leader) {
    around.epoch = (*leader)->create_revision;
    around.leader = (*leader)->value;
  }
  for (const EtcdKeyValue& row : nodes->rows)
    if (auto entry = from_archive<NodeEntry>(row.value); entry && entry->place.port != 0)
      around.nodes.push_back(std::move(*entry));
  return around;
}

// Whoever comes first draws it.
void EtcdState::know_secret() {
  constexpr std::size_t secret_bytes = 32;
  const std::string key = terms_.address.name + "/secret";
  auto found = client_.read_one(key);
  if (found && !*found) {
    (void)client_.commit({.compares = {{.key = key, .kind = EtcdCompare::Kind::absent}},
                          .puts = {{.key = key, .value = random_hex(secret_bytes)}}});
    found = client_.read_one(key);
  }
  if (!found || !*found) return;
  const std::lock_guard lock(mutex_);
  secret_ = Secret(std::move((*found)->value));
}

}  // namespace svc::sim
