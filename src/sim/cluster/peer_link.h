// Calls of one node to another: many callers share a few kept connections, and the calls that wait for one go in one
// message. (docs/cluster.md)
//
// Promises
//   - a message is acted upon once: it is numbered, and a node that gets it again answers as before (PeerInbox)
//   - PeerError::nothing_sent only if the other node certainly did nothing
//   - a question waits for its own answer and no other: when one was not answered, those that waited behind it fail as
//     well, and for a budget nobody waits again for a while
//   - connections are open before they are needed, so that one that takes no new ones is not cut off
//
// Safe to use from any thread.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/http/http_client.h"
#include "api/http/url.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"

namespace svc::limits {
inline constexpr std::size_t peer_message_bytes_max = 512u << 10;  // of calls in one message, unless one alone has more
inline constexpr std::size_t peer_calls_waiting_max = 8'192;       // for one connection; beyond: nothing is sent
inline constexpr std::size_t peer_rows_waiting_max = 64;           // the same of rows, which are larger: 32 MiB at most
inline constexpr std::size_t peer_submit_lanes = 2;                // one message is under way while the next gathers
inline constexpr std::int64_t peer_connect_ms = 1'000;
inline constexpr std::int64_t peer_answer_ms = 3'000;    // of one message; then the same one is sent again
inline constexpr std::int64_t peer_question_ms = 2'000;  // of a question how far the leader is
inline constexpr std::int64_t peer_budget_ms = 1'000;    // of one about a budget
inline constexpr std::int64_t peer_silence_ms = 10'000;  // after an unanswered question about a budget: none is asked
inline constexpr std::int64_t peer_retry_ms = 100;       // between two tries
inline constexpr std::int64_t peer_open_ms = 200;        // until an empty message opens a connection without a call
inline constexpr std::int64_t peer_keep_ms = 5'000;      // between the empty messages that keep an idle one open
inline constexpr std::size_t peer_inboxes_max = 1'024;
}  // namespace svc::limits

namespace svc::sim {

enum class PeerCall : std::uint8_t {
  submit,     // units for the log
  rows,       // what the leader appended to the log
  position,   // how far the leader's log is
  give_back,  // a lease to read, which the node that is asked holds
  charge,     // a budget that another node keeps
  control,    // a request to the control surface that only the leader answers
};
// How calls of one kind are sent.
struct PeerCallTerms {
  std::string_view name;
  std::size_t lanes = 1;
  std::size_t waiting_max = limits::peer_calls_waiting_max;
  std::int64_t answer_ms = limits::peer_answer_ms;
  // It changes nothing, and whoever asks goes on without an answer. After one without, none is sent for `silence_ms`.
  bool is_question = false;
  std::int64_t silence_ms = 0;
};
inline constexpr std::array peer_calls{
    PeerCallTerms{.name = "submit", .lanes = limits::peer_submit_lanes},
    PeerCallTerms{.name = "rows", .waiting_max = limits::peer_rows_waiting_max},
    PeerCallTerms{.name = "position", .answer_ms = limits::peer_question_ms, .is_question = true},
    PeerCallTerms{.name = "give_back"},
    PeerCallTerms{.name = "charge",
                  .answer_ms = limits::peer_budget_ms,
                  .is_question = true,
                  .silence_ms = limits::peer_silence_ms},
    PeerCallTerms{.name = "control", .answer_ms = limits::clock_jump_answer_ms}};
[[nodiscard]] constexpr const PeerCallTerms& terms_of(PeerCall call) {
  return peer_calls[static_cast<std::size_t>(call)];
}
[[nodiscard]] constexpr std::string_view to_string(PeerCall call) {
  return terms_of(call).name;
}
inline constexpr std::string_view peer_base = "/_node/";
inline constexpr std::string_view peer_secret_header = "X-Svc-Node-Secret";
inline constexpr std::string_view peer_message_header = "X-Svc-Node-Message";
inline constexpr std::string_view peer_process_header = "X-Svc-Node-Process";  // of an answer: who gave it

// Of the answers to messages; anything else: nothing was done.
namespace peer_status {
inline constexpr int ok = 200;
inline constexpr int busy = 409;  // with this message
inline constexpr int late = 410;
}  // namespace peer_status

struct PeerError {
  bool nothing_sent = false;
  std::string reason{};
};

// The way to a node: HTTP over TCP, or the node itself in tests.
using PeerDial = std::function<std::unique_ptr<api::Transport>(const api::HostPort&, std::int64_t answer_ms)>;
[[nodiscard]] PeerDial dial_peer_by_http();

// Which message of which connection of which process.
struct PeerMessage {
  std::uint64_t process = 0;
  std::uint64_t lane = 0;
  std::uint64_t number = 0;
};
[[nodiscard]] std::string to_string(const PeerMessage& message);
[[nodiscard]] std::optional<PeerMessage> parse_peer_message(std::string_view text);

class PeerLink {
 public:
  // Called once: on a thread of the link, or by add() if nothing is sent.
  using Done = std::function<void(Result<std::string, PeerError>)>;

  // `clock` is one that nobody sets, and must outlive this.
  PeerLink(api::HostPort place, Secret secret, std::uint64_t own_process, const PeerDial& dial, const Clock& clock);
  // As abandon(), and waits for messages under way: seconds at most.
  ~PeerLink() { abandon(); }

  // Queues a call. It is sent with the next message of its kind; send_waiting() starts one.
  void add(PeerCall what, std::string payload, Done done);
  void send_waiting();
  // What waits is not sent any more, and messages whose answer was lost are not sent again.
  void abandon() {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
    for (Lane& lane : lanes_) lane.woken.notify_one();
  }
  // Why the latest message of that kind failed on every connection; empty if one did not fail, or was not sent.
  [[nodiscard]] std::string trouble(PeerCall what) const {
    const std::lock_guard lock(mutex_);
    std::string trouble;
    for (const Lane& lane : lanes_)
      if (lane.what == what && (trouble = lane.trouble).empty()) break;
    return trouble;
  }
  // After abandon(): no message is under way.
  [[nodiscard]] bool is_idle() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::none_of(lanes_, &Lane::is_busy) &&
           std::ranges::all_of(kinds_, [](const Kind& kind) { return kind.waiting.empty(); });
  }

 private:
  struct Call {
    std::string payload;
    Done done;
  };
  // The calls of one kind that wait to be sent.
  struct Kind {
    std::deque<Call> waiting{};
    TimestampMs silent_until_ms = 0;  // of a question: nothing is sent before
  };
  // One connection. Its thread sends what waits in one message, and waits for the answer.
  struct Lane {
    PeerCall what;
    std::uint64_t number;
    std::unique_ptr<api::Transport> transport;
    bool is_busy = false;
    std::uint64_t messages = 0;
    std::string trouble{};  // why the latest message was not answered; empty: it was
    std::condition_variable woken{};
    std::jthread thread{};
  };

  void run(Lane& lane);
  // Returns why they were not answered; empty: they were.
  [[nodiscard]] std::string send(Lane& lane, std::vector<Call>& calls);

  const api::HostPort place_;
  const Secret secret_;
  const std::uint64_t process_;
  const Clock& clock_;
  std::atomic<bool> is_abandoned_{false};
  mutable std::mutex mutex_;
  std::array<Kind, peer_calls.size()> kinds_;  // by PeerCall
  std::deque<Lane> lanes_;
  std::string peer_process_;  // that gave the latest answer
};

// What was received of each connection, so that a message is acted upon once.
class PeerInbox {
 public:
  enum class Verdict : std::uint8_t {
    act,    // it is new: act, then finish()
    busy,   // it is being acted upon
    known,  // answer as before
    late,   // a newer one of the connection came already: whoever sent it has its answer
  };
  // The answer is set if it is known.
  [[nodiscard]] Verdict receive(const PeerMessage& message, std::string& answer);
  void finish(const PeerMessage& message, std::string answer) {
    const std::lock_guard lock(mutex_);
    const auto last = last_.find({message.process, message.lane});
    if (last == last_.end() || last->second.number != message.number) return;
    last->second.is_done = true;
    last->second.answer = std::move(answer);
  }

 private:
  struct Last {
    std::uint64_t number = 0;
    bool is_done = false;
    std::string answer{};
    std::uint64_t received = 0;  // counts all messages: the oldest connection is forgotten first
  };
  std::mutex mutex_;
  std::uint64_t received_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Last> last_;
};

}  // namespace svc::sim
