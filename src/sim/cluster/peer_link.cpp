#include "sim/cluster/peer_link.h"

#include <algorithm>
#include <chrono>

#include "api/http/channel.h"
#include "base/archive.h"
#include "base/fibers.h"
#include "base/text.h"
#include "sim/gateway/http_server.h"

namespace svc::sim {

namespace {

// Links of one process number their connections in one row.
std::uint64_t next_lane_number() {
  static std::atomic<std::uint64_t> lanes{0};
  return ++lanes;
}

}  // namespace

PeerDial dial_peer_by_http() {
  return [](const api::HostPort& place, std::int64_t answer_ms) -> std::unique_ptr<api::Transport> {
    return std::make_unique<api::HttpClient>(api::HttpClientOptions{
        .dial = {.origin = {.scheme = api::Scheme::http, .host = place.host, .port = place.port, .prefix = {}}},
        .connect_ms = limits::peer_connect_ms,
        .answer_ms = answer_ms,
        .body_bytes_max = limits::state_file_bytes_max});
  };
}

std::string to_string(const PeerMessage& message) {
  return std::to_string(message.process) + '.' + std::to_string(message.lane) + '.' + std::to_string(message.number);
}

std::optional<PeerMessage> parse_peer_message(std::string_view text) {
  PeerMessage message;
  std::string_view rest = text;
  for (std::uint64_t* number : {&message.process, &message.lane, &message.number})
    *number = parse_integer<std::uint64_t>(take_line(rest, '.')).value_or(0);
  return to_string(message) == text ? std::optional(message) : std::nullopt;  // one spelling only
}

PeerLink::PeerLink(api::HostPort place, Secret secret, std::uint64_t own_process, const PeerDial& dial,
                   const Clock& clock)
    : place_(std::move(place)), secret_(std::move(secret)), process_(own_process), clock_(clock) {
  for (std::size_t what = 0; what < peer_calls.size(); ++what)
    for (std::size_t i = 0; i < peer_calls[what].lanes; ++i)
      lanes_.emplace_back(static_cast<PeerCall>(what), next_lane_number(), dial(place_, peer_calls[what].answer_ms));
  for (Lane& lane : lanes_) lane.thread = std::jthread([this, &lane] { run(lane); });
}

void PeerLink::add(PeerCall what, std::string payload, Done done) {
  bool is_silent = false;
  {
    const std::lock_guard lock(mutex_);
    Kind& kind = kinds_[static_cast<std::size_t>(what)];
    is_silent = clock_.now_ms() < kind.silent_until_ms;
    if (!is_abandoned_ && !is_silent && kind.waiting.size() < terms_of(what).waiting_max) {
      kind.waiting.push_back({.payload = std::move(payload), .done = std::move(done)});
      return;
    }
  }
  const std::string place = api::to_string(place_);
  done(unexpected(PeerError{.nothing_sent = true,
                            .reason = is_silent ? place + " did not answer just now" : "too much waits for " + place}));
}

void PeerLink::send_waiting() {
  const std::lock_guard lock(mutex_);
  for (std::size_t what = 0; what < kinds_.size(); ++what) {
    if (kinds_[what].waiting.empty()) continue;
    Lane* idle = nullptr;
    for (Lane& lane : lanes_)
      if (static_cast<std::size_t>(lane.what) == what && !lane.is_busy && (idle == nullptr || !idle->trouble.empty()))
        idle = &lane;
    if (idle != nullptr) idle->woken.notify_one();
  }
}

void PeerLink::run(Lane& lane) {
  std::deque<Call>& waiting = kinds_[static_cast<std::size_t>(lane.what)].waiting;
  std::unique_lock lock(mutex_);
  while (true) {
    lane.woken.wait_for(lock,
                        std::chrono::milliseconds(lane.messages == 0 ? limits::peer_open_ms : limits::peer_keep_ms),
                        [&] { return is_abandoned_ || !waiting.empty(); });
    if (is_abandoned_ && waiting.empty()) return;
    std::vector<Call> calls;
    std::size_t bytes = 0;
    while (!waiting.empty()) {
      bytes += waiting.front().payload.size();
      if (!calls.empty() && bytes > limits::peer_message_bytes_max) break;
      calls.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    lane.is_busy = true;
    lock.unlock();
    std::string trouble = send(lane, calls);
    lock.lock();
    lane.trouble = std::move(trouble);
    lane.is_busy = false;
  }
}

std::string PeerLink::send(Lane& lane, std::vector<Call>& calls) {
  const auto fail = [&](bool nothing_sent, std::string reason) {
    std::deque<Call> behind;  // a question had no answer: these waited for the same connection
    if (const PeerCallTerms& terms = terms_of(lane.what); terms.is_question && !calls.empty()) {
      const std::lock_guard lock(mutex_);
      Kind& kind = kinds_[static_cast<std::size_t>(lane.what)];
      kind.silent_until_ms = clock_.now_ms() + terms.silence_ms;
      behind.swap(kind.waiting);
    }
    const WakesTogether together;
    for (Call& call : calls) call.done(unexpected(PeerError{.nothing_sent = nothing_sent, .reason = reason}));
    for (Call& call : behind) call.done(unexpected(PeerError{.nothing_sent = true, .reason = reason}));
    return reason;
  };
  if (is_abandoned_) return fail(true, "the connection to " + api::to_string(place_) + " was given up");
  std::vector<std::string> payloads;
  for (Call& call : calls) payloads.push_back(std::move(call.payload));
  const PeerMessage message{.process = process_, .lane = lane.number, .number = ++lane.messages};
  const api::HttpRequest request{.method = "POST",
                                 .target = std::string(peer_base).append(to_string(lane.what)),
                                 .headers = {{std::string(peer_secret_header), std::string(secret_.reveal())},
                                             {std::string(peer_message_header), to_string(message)},
                                             {"Content-Type", "application/octet-stream"}},
                                 .body = to_archive(payloads)};
  // A node that is paused holds up neither the calls behind an empty message nor the end of this one: a command to its
  // control surface may take minutes.
  const api::Deadline empty_until = api::deadline_in(limits::peer_answer_ms);
  const api::EndsWaits no_longer([&] {
    if (calls.empty()) return is_abandoned_ || api::remaining_ms(empty_until) == 0;
    return is_abandoned_ && lane.what == PeerCall::control;
  });
  bool was_sent = false;
  const std::string asked = copy_under(mutex_, peer_process_);
  while (true) {
    const auto answer = lane.transport->send(request);
    if (answer && answer->status == peer_status::ok) {
      std::string answering(answer->headers.find(peer_process_header).value_or(""));
      // Another process at that address knows nothing of the first try, so that its refusal proves nothing.
      const bool is_another = was_sent && answering != asked;
      {
        const std::lock_guard lock(mutex_);
        peer_process_ = std::move(answering);
      }
      if (is_another) return fail(false, "it was started anew meanwhile");
      auto replies = from_archive<std::vector<std::string>>(answer->body);
      if (!replies || replies->size() != calls.size()) return fail(false, "an unreadable answer of a node");
      const WakesTogether together;
      for (std::size_t i = 0; i < calls.size(); ++i) calls[i].done(std::move((*replies)[i]));
      return {};
    }
    // Refused before it was acted upon; unless an earlier try was, which may be on its way still.
    if (answer && answer->status != peer_status::busy)
      return fail(!was_sent, answer->status == static_cast<int>(TransportRefusal::too_many_connections)
                                 ? "it has no connection to spare"
                                 : "it answers " + std::to_string(answer->status));
    if (!answer && answer.error().delivery == api::Delivery::not_sent && !was_sent)
      return fail(true, answer.error().reason);
    was_sent = true;
    // What has no effect is not asked twice: who asked decides.
    if (lane.what != PeerCall::submit || calls.empty() || is_abandoned_)
      return fail(false, answer ? "a node is busy" : answer.error().reason);
    std::unique_lock lock(mutex_);
    lane.woken.wait_for(lock, std::chrono::milliseconds(limits::peer_retry_ms), [&] { return is_abandoned_.load(); });
  }
}

PeerInbox::Verdict PeerInbox::receive(const PeerMessage& message, std::string& answer) {
  const std::lock_guard lock(mutex_);
  Last& last = last_[{message.process, message.lane}];
  if (message.number < last.number) return Verdict::late;
  if (message.number == last.number && last.number != 0) {
    if (!last.is_done) return Verdict::busy;
    answer = last.answer;
    return Verdict::known;
  }
  last = {.number = message.number, .received = ++received_};
  if (last_.size() > limits::peer_inboxes_max)
    last_.erase(std::ranges::min_element(last_, {}, [](const auto& one) { return one.second.received; }));
  return Verdict::act;
}

}  // namespace svc::sim
