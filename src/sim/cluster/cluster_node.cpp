#include "sim/cluster/cluster_node.h"

#include <algorithm>
#include <chrono>

#include "api/error_catalog.h"
#include "base/archive.h"
#include "sim/sequencer/chain.h"

namespace svc::sim {

namespace {

constexpr int bad_request = 400;
constexpr int unauthorized = 401;
constexpr int no_such_call = 404;

// What a node sends to the leader: units that are written together.
struct SubmitCall {
  std::int64_t epoch = 0;  // of the leader it was meant for
  std::uint64_t request = 0;
  std::vector<std::pair<std::string, Entitlements>> units{};
};

enum class SubmitAnswer : std::uint8_t { written, queue_full, not_logged, revoked };

struct PositionAnswer {
  bool is_proven = false;
  std::string refusal{};  // why etcd refused the last write; empty: it did not
  std::uint64_t position = 0;
  ReadLease lease{};
  TimestampMs machine_ms = 0;  // by the clock of its machine
  bool is_starting_over = false;
  Replica::ClockState clock{};
};

api::HttpResponse refused_with(api::ErrorCode code, std::string why) {
  const api::ApiError error(code, std::move(why));
  return {.status = api::status_of(error),
          .headers = {{"Content-Type", "application/json"}},
          .body = api::render(error, api::Envelope::flat)};
}

}  // namespace

ClusterNode::ClusterNode(EtcdState& state, Replica& replica, Turnstile& turnstile, const Clock& clock,
                         const Clock& machine, Terms terms)
    : state_(state),
      log_(state.log()),
      replica_(replica),
      sequencer_(replica.sequencer()),
      turnstile_(turnstile),
      clock_(clock),
      machine_(machine),
      terms_(std::move(terms)),
      dial_(terms_.dial ? terms_.dial : dial_peer_by_http()),
      granted_leases_(clock),
      held_lease_(clock),
      view_(state.view()) {
  if (const std::int64_t epoch = state_.leadership().epoch(); epoch != 0) {
    led_epoch_ = epoch;
    settled_epoch_ = epoch;
    granted_leases_.begin(epoch);
    leads_ = true;
  } else {
    sequencer_.stop_writing(*this);
  }
  position_ = log_.last_position();
  heard_ms_ = current_ms_ = clock_.now_ms();
  sequencer_.set_commit_watcher(this);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ClusterNode::~ClusterNode() {
  // A process that starts as the next leader writes before it is a node.
  if (leads_) before_append();
  thread_.request_stop();
  thread_.join();
  give_up();
}

// Whoever still waits is not told: what became of the write is in the log.
void ClusterNode::give_up() {
  std::multimap<std::uint64_t, Proof*> proofs;
  {
    const std::lock_guard lock(mutex_);
    gives_up_ = true;
    for (const auto& [key, link] : links_) link->abandon();
    proofs.swap(proofs_);
  }
  end_pending(std::nullopt, WriteRefusal::unknown);
  for (const auto& [position, proof] : proofs) proof->waiter.wake();
}

// Writes.

Result<void, WriteRefusal> ClusterNode::submit(std::span<Unit> units, std::span<Applied> answers) {
  // The entry of the write would not arrive here in time, so there would be no answer.
  if (is_cut_off()) return unexpected(WriteRefusal::not_logged);
  Pending pending{.units = units, .answers = answers};
  SubmitCall call{.request = ++requests_};
  for (const Unit& unit : units) call.units.emplace_back(to_archive(unit), unit.by);
  std::shared_ptr<PeerLink> link;
  {
    const std::lock_guard lock(mutex_);
    link = link_to_leader();
    if (!link || is_replacing_ || is_starting_over_ || gives_up_) return unexpected(WriteRefusal::not_logged);
    call.epoch = pending.epoch = view_.epoch;
    pending_.emplace(call.request, &pending);
  }
  this->call(*link, PeerCall::submit, to_archive(call),
             [this, request = call.request](const Result<std::string, PeerError>& answer) { settle(request, answer); });
  wait_outside(pending.waiter);
  if (pending.refusal) return unexpected(*pending.refusal);
  return {};
}

// Fibers that have their turn together share a message.
void ClusterNode::call(PeerLink& link, PeerCall what, std::string payload, PeerLink::Done done) {
  link.add(what, std::move(payload), std::move(done));
  if (FiberThread* const fibers = current_fiber_thread())
    when_idle(*fibers, *this);
  else
    link.send_waiting();
}

// An unknown outcome stays open: the log tells.
void ClusterNode::settle(std::uint64_t request, const Result<std::string, PeerError>& answer) {
  std::optional<WriteRefusal> refusal;
  if (!answer) {
    if (!answer.error().nothing_sent) return;
    refusal = WriteRefusal::not_logged;
  } else {
    const auto outcome = from_archive<SubmitAnswer>(*answer);
    if (!outcome || *outcome == SubmitAnswer::written) return;
    refusal = *outcome == SubmitAnswer::queue_full ? WriteRefusal::queue_full
              : *outcome == SubmitAnswer::revoked  ? WriteRefusal::revoked
                                                   : WriteRefusal::not_logged;
  }
  Pending* refused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(request);
    if (found == pending_.end()) return;
    refused = found->second;
    pending_.erase(found);
  }
  refused->refusal = refusal;
  refused->waiter.wake();
}

void ClusterNode::end_pending(std::optional<std::int64_t> before, WriteRefusal refusal) {
  std::vector<Pending*> ended;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [&](const auto& one) {
      if (before && one.second->epoch >= *before) return false;
      ended.push_back(one.second);
      return true;
    });
  }
  for (Pending* one : ended) {
    one->refusal = refusal;
    one->waiter.wake();
  }
}

// Following.

void ClusterNode::take(LogEntry&& entry) {
  const std::uint64_t position = entry.position;
  const UnitOrigin origin = entry.unit.origin;
  const auto is_empty = [](const Unit& unit) { return std::holds_alternative<TimeAlone>(unit.body); };
  const bool came_empty = is_empty(entry.unit);
  auto applied = replica_.take(std::move(entry));
  if (!applied) return differs("entry " + std::to_string(position) + " makes no sense to this version of svc");
  position_ = position;
  Pending* answered = nullptr;
  if (origin.process == state_.process()) {
    const std::lock_guard lock(mutex_);
    if (const auto found = pending_.find(origin.request); found != pending_.end()) {
      Pending& pending = *found->second;
      // The leader empties what was revoked. (D-916)
      applied->was_entitled = !came_empty || is_empty(pending.units[pending.applied]);
      pending.answers[pending.applied++] = std::move(*applied);
      if (pending.applied == pending.answers.size()) {
        answered = &pending;
        pending_.erase(found);
      }
    }
  }
  if (answered != nullptr) answered->waiter.wake();
}

void ClusterNode::catch_up() {
  if (is_starting_over_) return start_over();
  const std::int64_t epoch = seen_epoch();
  const TimestampMs began_ms = clock_.now_ms();
  const auto taken = log_.catch_up([this](LogEntry&& entry) {
    take(std::move(entry));
    ask_position();  // a leader that does not hear of any node stands back
  });
  if (!taken) {
    if (taken.error() == LogError::gone) return start_over();
    return wait_for_log(taken.error());
  }
  note_current(began_ms);
  // The leader of that epoch was there before the log was read.
  if (epoch > settled_epoch_) settle_before(epoch);
  is_behind_ = false;
}

// With the newest snapshot. The entries of writes that wait here may be behind it, with what became of them.
void ClusterNode::start_over() {
  is_starting_over_ = true;
  if (const auto done = log_.start_over(); !done) return wait_for_log(done.error());
  const auto is_done = replica_.take_snapshot_of_log();
  if (!is_done) return differs(is_done.error());
  if (!*is_done) return wait_for_log(LogError::unreachable);
  position_ = log_.last_position();
  end_pending(std::nullopt, WriteRefusal::unknown);
  is_starting_over_ = false;
}

// Whoever missed some finds a gap, or that the leader is further, and reads the log.
void ClusterNode::receive_rows(const std::vector<std::string>& messages) {
  if (!messages.empty()) rows_heard_ms_ = clock_.now_ms();
  {
    const std::lock_guard lock(rows_mutex_);
    for (const std::string& message : messages) {
      rows_are_missing_ = rows_are_missing_ || rows_.size() >= limits::cluster_rows_max;
      if (!rows_are_missing_ && !leads_) rows_.push_back(message);
    }
  }
  rows_came_.notify_one();
}

// None if none came; is_behind_ tells whether the log has more.
std::vector<EtcdKeyValue> ClusterNode::next_rows() {
  std::deque<std::string> messages;
  {
    std::unique_lock lock(rows_mutex_);
    rows_came_.wait_for(lock, std::chrono::milliseconds(limits::cluster_rows_wait_ms),
                        [&] { return !rows_.empty() || rows_are_missing_; });
    messages.swap(rows_);
    is_behind_ = std::exchange(rows_are_missing_, false);
  }
  std::vector<EtcdKeyValue> rows;
  for (const std::string& message : messages)
    if (auto some = from_archive<std::vector<EtcdKeyValue>>(message))
      std::ranges::move(*some, std::back_inserter(rows));
  const bool hears_leader = clock_.now_ms() - leader_heard_ms_ < limits::cluster_lag_look_ms * 2;
  if (rows.empty() && (!hears_leader || leader_position_ > position_)) is_behind_ = true;
  return rows;
}

void ClusterNode::follow() {
  const std::int64_t epoch = seen_epoch();
  if (is_behind_ || is_starting_over_ || (epoch != 0 && epoch != settled_epoch_)) return catch_up();
  const std::vector<EtcdKeyValue> rows = next_rows();
  const WakesTogether together;
  for (const EtcdKeyValue& row : rows) {
    if (const auto mark = log_.mark_of(row)) {
      check(*mark);
      continue;
    }
    const auto taken = log_.take(row, [this](LogEntry&& entry) { take(std::move(entry)); });
    if (taken) continue;
    if (taken.error() == LogError::unreadable) differs(log_.problem());
    is_behind_ = true;
    return;
  }
}

void ClusterNode::ask_position() {
  const TimestampMs now_ms = clock_.now_ms();
  if (now_ms - asked_ms_ < limits::cluster_lag_look_ms) return;
  asked_ms_ = now_ms;
  if (const auto link = leader_link()) ask_position(*link, [](std::optional<std::uint64_t>) {});
}

// `told` gets nullopt for no answer, and for that of a node that cannot show that it leads.
void ClusterNode::ask_position(PeerLink& leader, std::function<void(std::optional<std::uint64_t>)> told) {
  const TimestampMs asked_ms = clock_.now_ms();
  call(leader, PeerCall::position, "",
       [this, asked_ms, told = std::move(told)](const Result<std::string, PeerError>& answer) {
         const auto position = answer ? from_archive<PositionAnswer>(*answer) : std::nullopt;
         if (!position || !position->is_proven) return told(std::nullopt);
         // The leader read its clock between our question and its answer. Milliseconds are rounded.
         const std::int64_t most_ms = machine_.now_ms() - position->machine_ms + 1;
         const TimestampMs heard_ms = clock_.now_ms();
         const std::int64_t least_ms = most_ms - (heard_ms - asked_ms) - 2;
         leader_position_ = position->position;
         leader_heard_ms_ = heard_ms;
         held_lease_.take(position->lease, position->position, asked_ms);
         {
           const std::lock_guard lock(mutex_);
           leader_refusal_ = position->refusal;
           // Once this node is elected, an answer of the leader before does not count.
           if (state_.leadership().epoch() == 0) {
             clock_ahead_ms_ = std::clamp(clock_ahead_ms_, least_ms, most_ms);
             replica_.set_clock_ahead(clock_ahead_ms_);
             if (position->clock.last_change.is_valid()) replica_.follow_clock(position->clock);
           }
           // An earlier leader may have told of entries that it could not write.
           if (!awaited_ || position->position < awaited_->position) awaited_ = {position->position, asked_ms};
         }
         told(position->position);
       });
}

void ClusterNode::note_if_current() {
  if (is_lease_ours() && !log_.is_stuck()) note_current(clock_.now_ms());
  const std::lock_guard lock(mutex_);
  if (!awaited_ || awaited_->position > position_ || !broken_.empty()) return;
  note_current(awaited_->asked_ms);
  awaited_.reset();
}

void ClusterNode::end_proofs(TimestampMs now_ms) {
  std::vector<Proof*> ended;
  const std::uint64_t applied = leads_ ? sequencer_.position() : position_.load();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(proofs_, [&](const auto& waiting) {
      Proof& proof = *waiting.second;
      proof.is_current = waiting.first <= applied && broken_.empty();
      if (!proof.is_current && now_ms < proof.until_ms) return false;
      // The leader may be unable to reach this node.
      if (!proof.is_current) is_behind_ = true;
      ended.push_back(&proof);
      return true;
    });
  }
  const WakesTogether together;
  for (Proof* proof : ended) proof->waiter.wake();
}

// Roles.

void ClusterNode::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    look(state_.view());
    const std::int64_t epoch = state_.leadership().epoch();
    if (leads_ && (epoch != led_epoch_ || log_.is_overtaken())) step_down();
    pass_time();
    if (leads_) {
      look_for_room();
      if (is_unheard()) {
        stood_back_ = true;
        state_.leadership().stand_back(limits::cluster_unheard_ms);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(limits::cluster_step_ms));
      continue;
    }
    if (!copy_under(mutex_, broken_).empty()) {
      state_.give_up();
      state_.leadership().resign();
      end_pending(std::nullopt, WriteRefusal::unknown);
      std::this_thread::sleep_for(std::chrono::milliseconds(limits::cluster_retry_ms));
      continue;
    }
    if (epoch != 0 && promote()) continue;
    follow();
    ask_position();
  }
}

// Where nothing is written, nothing else would find out that etcd has room again.
void ClusterNode::look_for_room() {
  const TimestampMs now_ms = clock_.now_ms();
  if (log_.refusal().empty() || now_ms - room_looked_ms_ < limits::etcd_lease_keep_ms) return;
  room_looked_ms_ = now_ms;
  if (state_.has_room()) log_.note_refusal("");
}

// Whoever follows asks several times a second how far this node is. Where no node reaches the other, another leader
// would help nobody.
bool ClusterNode::is_unheard() {
  const TimestampMs now_ms = clock_.now_ms();
  const auto others = copy_under(mutex_, links_);
  const bool stood_still = now_ms - std::exchange(heard_looked_ms_, now_ms) > limits::cluster_unheard_ms / 2;
  if (others.empty() || stood_still) heard_ms_ = now_ms;
  const std::int64_t unheard_ms = now_ms - heard_ms_;
  if (unheard_ms >= limits::cluster_unheard_ms / 2 && now_ms - asked_ms_ >= limits::cluster_lag_look_ms) {
    asked_ms_ = now_ms;
    for (const auto& [key, link] : others)
      call(*link, PeerCall::position, "", [this](const Result<std::string, PeerError>& answer) {
        const auto told = answer ? from_archive<PositionAnswer>(*answer) : std::nullopt;
        if (told && !told->is_starting_over) reached_ms_ = clock_.now_ms();
      });
  }
  return unheard_ms >= limits::cluster_unheard_ms && reached_ms_ > heard_ms_;
}

void ClusterNode::look(const ClusterView& view) {
  std::vector<std::shared_ptr<PeerLink>> gone_links;
  {
    const std::lock_guard lock(mutex_);
    if (view.is_known) view_ = view;
    std::map<std::uint64_t, std::shared_ptr<PeerLink>> links;
    for (const NodeEntry& node : view_.nodes) {
      if (node.process == state_.process()) continue;
      auto link = link_to(&node);
      if (const Secret secret = state_.secret(); !link && !secret.empty())
        link = std::make_shared<PeerLink>(node.place, secret, state_.process(), dial_, clock_);
      if (link) links.emplace(node.process, std::move(link));
    }
    for (const auto& [key, link] : links_)
      if (!links.contains(key)) {
        link->abandon();
        retired_.push_back(link);
      }
    links_ = std::move(links);
    std::erase_if(retired_, [&](const std::shared_ptr<PeerLink>& link) {
      if (!link->is_idle()) return false;
      gone_links.push_back(link);
      return true;
    });
  }
  if (leads_) drop_streams_of_lost_nodes(view);
}

void ClusterNode::drop_streams_of_lost_nodes(const ClusterView& view) {
  if (!view.is_known || log_.is_stuck()) return;
  std::set<std::string> nodes{state_.id()};
  for (const NodeEntry& node : view.nodes) nodes.insert(node.id());
  if (nodes == known_nodes_) return;
  for (const std::string& lost : replica_.nodes_with_streams())
    if (!nodes.contains(lost) && !sequencer_.submit(ServiceCommand(NoteStreamsLost{.node = lost}))) return;
  known_nodes_ = std::move(nodes);
}

// What is not in the log when the new leader has read it will never be: the old one cannot write any more.
bool ClusterNode::promote() {
  if (is_starting_over_) return false;
  const std::int64_t epoch = state_.leadership().epoch();
  const auto taken = log_.catch_up([this](LogEntry&& entry) { take(std::move(entry)); });
  if (!taken || !log_.prepare_to_append() || state_.leadership().epoch() != epoch) {
    is_behind_ = true;
    return false;
  }
  if (!copy_under(mutex_, broken_).empty()) return false;
  // What was received under an earlier epoch is refused by now.
  static_cast<void>(turnstile_.exclusive());
  settle_before(epoch);
  known_nodes_.clear();
  {
    const std::lock_guard lock(mutex_);
    clock_ahead_ms_ = 0;
    replica_.set_clock_ahead(0);
  }
  replica_.begin_to_lead();
  granted_leases_.begin(epoch);  // before the first append
  sequencer_.start_writing();
  led_epoch_ = epoch;
  heard_ms_ = clock_.now_ms();
  leads_ = true;
  return true;
}

// Reads.

// What the leader is appending may have been applied, and shown, by another node: it counts for the leader as well.
bool ClusterNode::is_current() {
  if (is_lease_ours()) {
    if (log_.is_stuck()) return false;
    if (!is_writing_now()) return true;
    Proof proof{.until_ms = clock_.now_ms() + limits::cluster_proof_ms};
    {
      const std::lock_guard lock(mutex_);
      if (proofs_.size() >= limits::cluster_proofs_max) return false;
      proofs_.emplace(log_.position_under_way(), &proof);
    }
    wait_outside(proof.waiter);
    return proof.is_current && is_lease_ours();
  }
  if (held_lease_.covers(position_)) return true;
  const auto link = leader_link();
  if (!link || is_cut_off()) return false;
  Proof proof{.until_ms = clock_.now_ms() + limits::cluster_proof_ms};
  ask_position(*link, [this, &proof](std::optional<std::uint64_t> position) {
    if (position) {
      const std::lock_guard lock(mutex_);
      proof.is_current = *position <= position_ && broken_.empty();
      if (!proof.is_current && broken_.empty() && proofs_.size() < limits::cluster_proofs_max) {
        proofs_.emplace(*position, &proof);
        return;
      }
    }
    proof.waiter.wake();
  });
  wait_outside(proof.waiter);
  return proof.is_current;
}

// Whoever reads from its own copy must not do so any more once this node writes.
void ClusterNode::before_append() {
  granted_leases_.end_all([this](std::uint64_t holder, const ReadLease& lease, std::function<void()> given_back) {
    const auto links = copy_under(mutex_, links_);
    const auto found = links.find(holder);
    if (found == links.end()) return;
    PeerLink* const link = found->second.get();
    link->add(PeerCall::give_back, to_archive(lease),
              [given_back = std::move(given_back)](const Result<std::string, PeerError>& answer) {
                if (answer) given_back();
              });
    link->send_waiting();
  });
}

void ClusterNode::after_append() {
  const std::string rows = to_archive(log_.take_appended());
  const std::lock_guard lock(mutex_);
  for (const auto& [key, link] : links_) {
    link->add(PeerCall::rows, rows, [](const Result<std::string, PeerError>&) {});
    link->send_waiting();
  }
}

// For other nodes.

bool ClusterNode::is_secret(std::string_view name, std::string_view value) const {
  if (!api::same_header_name(name, peer_secret_header)) return false;
  const Secret secret = state_.secret();
  return !secret.empty() && equal_constant_time(value, secret.reveal());
}

void ClusterNode::handle(api::HttpRequest&& request, const SendReply& reply) {
  if (!is_secret(peer_secret_header, request.headers.find(peer_secret_header).value_or("")))
    return reply({.status = unauthorized, .headers = {}, .body = {}});
  const auto name = request.path().substr(peer_base.size());
  const auto what = std::ranges::find(peer_calls, name, &PeerCallTerms::name);
  const auto message = parse_peer_message(request.headers.find(peer_message_header).value_or(""));
  const auto calls = from_archive<std::vector<std::string>>(request.body);
  if (what == peer_calls.end() || !message || !calls)
    return reply({.status = what == peer_calls.end() ? no_such_call : bad_request, .headers = {}, .body = {}});
  heard_ms_ = clock_.now_ms();
  stood_back_ = false;
  std::string answer;
  switch (inbox_.receive(*message, answer)) {
    case PeerInbox::Verdict::busy: return reply({.status = peer_status::busy, .headers = {}, .body = {}});
    case PeerInbox::Verdict::late: return reply({.status = peer_status::late, .headers = {}, .body = {}});
    case PeerInbox::Verdict::act:
      answer = act(static_cast<PeerCall>(what - peer_calls.begin()), *calls, message->process);
      inbox_.finish(*message, answer);
      break;
    case PeerInbox::Verdict::known: break;
  }
  reply({.status = peer_status::ok,
         .headers = {{"Content-Type", "application/octet-stream"},
                     {std::string(peer_process_header), std::to_string(state_.process())}},
         .body = std::move(answer)});
}

std::string ClusterNode::act(PeerCall what, const std::vector<std::string>& calls, std::uint64_t process) {
  std::vector<std::string> answers(calls.size());
  switch (what) {
    case PeerCall::submit: answers = take_units(calls, process); break;
    case PeerCall::rows: receive_rows(calls); break;
    case PeerCall::position: {
      // Both before the leader's own lease is looked at: nobody else could write until then.
      const ReadLease lease = leads_ ? granted_leases_.grant(process) : ReadLease{};
      PositionAnswer answer{.position = log_.position_under_way(), .lease = lease, .machine_ms = machine_.now_ms()};
      answer.is_proven = is_lease_ours();
      answer.refusal = log_.refusal();
      answer.is_starting_over = is_starting_over_;
      answer.clock = replica_.clock();
      answers.assign(calls.size(), to_archive(answer));
      break;
    }
    case PeerCall::give_back:
      for (const std::string& call : calls)
        if (const auto lease = from_archive<ReadLease>(call)) held_lease_.give_back(*lease);
      break;
    case PeerCall::charge:
      for (std::size_t i = 0; charge_ && i < calls.size(); ++i) answers[i] = charge_(calls[i]);
      break;
    case PeerCall::control:
      for (std::size_t i = 0; i < calls.size(); ++i) {
        auto request = from_archive<api::HttpRequest>(calls[i]);
        api::HttpResponse answer =
            refused_with(api::ErrorCode::service_unavailable, "this node leads no more, and did nothing of this");
        Waiter waiter;
        if (request && terms_.control && leads_) {
          terms_.control(std::move(*request), [&](api::HttpResponse response) {
            answer = std::move(response);
            waiter.wake();
          });
          waiter.wait();
        }
        answers[i] = to_archive(answer);
      }
      break;
  }
  return to_archive(answers);
}

// All units of a message in one commit.
std::vector<std::string> ClusterNode::take_units(const std::vector<std::string>& calls, std::uint64_t process) {
  // Shared from here on: promote() waits until nothing of an earlier epoch is under way.
  const auto here = turnstile_.share();
  std::vector<SubmitAnswer> answers(calls.size(), SubmitAnswer::not_logged);
  std::vector<Unit> units;
  std::vector<std::size_t> callers;  // of the units
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto call = from_archive<SubmitCall>(calls[i]);
    if (!call || !leads_ || call->epoch != led_epoch_) continue;
    for (auto& [text, by] : call->units) {
      auto unit = from_archive<Unit>(text);
      if (!unit || !is_usual(*unit)) break;
      unit->by = std::move(by);
      unit->origin = {.process = process, .request = call->request};
      units.push_back(std::move(*unit));
    }
    const bool is_whole = units.size() == callers.size() + call->units.size();
    units.resize(is_whole ? units.size() : callers.size());
    callers.resize(units.size(), i);
  }
  if (!units.empty()) {
    const auto written = sequencer_.submit_together(std::move(units), Sequencer::Purpose::received);
    const auto answer_of = [&](std::size_t unit) {
      if (written) return (*written)[unit].was_entitled ? SubmitAnswer::written : SubmitAnswer::revoked;
      return written.error() == WriteRefusal::queue_full ? SubmitAnswer::queue_full : SubmitAnswer::not_logged;
    };
    for (std::size_t unit = 0; unit < callers.size(); ++unit) answers[callers[unit]] = answer_of(unit);
  }
  std::vector<std::string> texts;
  for (const SubmitAnswer answer : answers) texts.push_back(to_archive(answer));
  return texts;
}

std::optional<api::HttpResponse> ClusterNode::pass_on(const api::HttpRequest& request) {
  if (leads_) return std::nullopt;
  const auto link = leader_link();
  if (!link) return refused_with(api::ErrorCode::service_unavailable, "no node leads that could do this");
  std::optional<api::HttpResponse> told;
  std::optional<PeerError> untold;
  Waiter waiter;
  call(*link, PeerCall::control, to_archive(request), [&](const Result<std::string, PeerError>& answer) {
    if (answer)
      told = from_archive<api::HttpResponse>(*answer);
    else
      untold = answer.error();
    waiter.wake();
  });
  waiter.wait();
  if (untold && untold->nothing_sent)
    return refused_with(api::ErrorCode::service_unavailable,
                        "the node that leads did nothing of this: " + untold->reason);
  if (!told && request.method == "GET")
    return refused_with(api::ErrorCode::service_unavailable, "the node that leads did not answer");
  // Not 503: that would promise that nothing happened. (D-1095)
  if (!told)
    return refused_with(api::ErrorCode::internal_error,
                        "the node that leads did not answer; whether it did this is not known");
  return told;
}

// Budgets: rendezvous hashing, so that a node that comes or goes moves only what it keeps.

std::optional<std::string> ClusterNode::ask_keeper(std::string_view payer, std::string question) {
  const auto weight = [&](const NodeEntry& node) { return chained(7, std::string_view(node.name), payer); };
  std::shared_ptr<PeerLink> link;
  {
    const std::lock_guard lock(mutex_);
    const auto keeper = std::ranges::max_element(view_.nodes, {}, weight);
    link = link_to(keeper == view_.nodes.end() ? nullptr : &*keeper);
  }
  if (!link) return std::nullopt;
  std::optional<std::string> answer;
  Waiter waiter;
  call(*link, PeerCall::charge, std::move(question), [&](Result<std::string, PeerError> told) {
    if (told) answer = std::move(*told);
    waiter.wake();
  });
  wait_outside(waiter);
  return answer;
}

api::control::Cluster ClusterNode::report() const {
  const bool leads = leads_;
  api::control::Cluster report{.node = state_.leadership().node(), .position = sequencer_.position()};
  const auto leader = leader_link();
  const bool hears_leader = leader != nullptr && clock_.now_ms() - leader_heard_ms_ <= limits::cluster_silence_ms;
  const bool cut_off = is_cut_off();
  const std::string trouble = leads || leader == nullptr ? std::string() : leader->trouble(PeerCall::submit);
  const bool writes = leads ? is_lease_ours() && !log_.is_stuck() : hears_leader && !cut_off;
  if (const std::uint64_t known = leader_position_; !leads && known > report.position)
    report.lag = known - report.position;
  const std::lock_guard lock(mutex_);
  // A node that serves nobody does not look who leads.
  if (broken_.empty() && (leads || !view_.leader.empty())) report.leader = leads ? report.node : view_.leader;
  for (const NodeEntry& node : view_.nodes)
    report.nodes.push_back(
        {.name = node.name, .address = api::to_string(node.place), .leads = node.name == report.leader});
  const std::string refusal = leads ? log_.refusal() : writes ? leader_refusal_ : state_.refusal();
  report.takes_writes = writes && refusal.empty() && trouble.empty() && broken_.empty();
  report.is_current = report.takes_writes && report.lag == 0;
  if (!broken_.empty())
    report.problem = broken_;
  else if (!refusal.empty())
    report.problem = refusal;
  else if (writes && !trouble.empty())
    report.problem = "node " + view_.leader + ", which leads, takes no writes from here: " + trouble;
  else if (const NodeEntry* taken = view_.find(report.node);
           !report.takes_writes && taken != nullptr && taken->process != state_.process())
    report.problem = "another node has the name " + report.node + ": give this one another --name";
  else if (!report.takes_writes)
    report.problem = leads                ? "etcd does not answer"
                     : !hears_leader      ? "no node leads that can be reached"
                     : state_.has_entry() ? "this node is behind, and reads nothing from etcd"
                                          : "etcd does not say that this node is still among the nodes";
  else if (const NodeEntry* own = stood_back_ ? view_.find(report.node) : nullptr)
    report.problem = "no other node reaches this one at " + api::to_string(own->place) + "; is --advertise right?";
  else if (const std::int64_t ahead_ms = leads ? 0 : clock_ahead_ms_;
           ahead_ms > limits::cluster_clock_ms || ahead_ms < -limits::cluster_clock_ms)
    report.problem =
        "the clock of this machine is " + std::to_string((ahead_ms < 0 ? -ahead_ms : ahead_ms) / second_ms) + " s " +
        (ahead_ms < 0 ? "behind" : "ahead of") + " that of node " + view_.leader + ", which leads: set both right";
  return report;
}

}  // namespace svc::sim
