// Follows channels of the account stream: connects with a new token each time, resumes where it was, and reports
// what was missed and how that was repaired.
//
// Promises
//   - Events of one channel come in the order of their sequence, each once. A row that was read by REST is not
//     reported again when the stream sends it.
//   - A gap is never skipped: `gap` comes before the first event after it, `resync` once it is filled, with
//     `complete` false if part of it could not be read.
//   - After `resync` by snapshot the whole present state follows: everything before is void.
//   - Every event carries the mark to resume from; a client that is given it continues as if it had been there.
//     The mark of a fill or trade is compared with what the server sends for it, to detect a sequence of another
//     life of the server.
//
// Never blocks longer than next() was allowed to, except for calls of the door. One thread at a time; to receive
// the news in another thread, run next() in a thread of its own with waits of some 100 ms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/message_codec.h"
#include "api/stream/stream_message.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

// Limits of stream clients.

namespace svc::api::stream_limits {

inline constexpr std::int64_t ping_ms = 3'000;          // of silence, then a ping, so that screens soon show stale data
inline constexpr std::int64_t silence_ms_max = 30'000;  // of silence, then the connection is given up
inline constexpr std::int64_t answer_ms = 15'000;       // for the answer to a subscription
inline constexpr std::int64_t replay_wait_ms = 5'000;   // for the next event of a replay, then it is read by REST
inline constexpr std::int64_t backoff_ms = 250;         // before the first reconnection; doubles
inline constexpr std::int64_t backoff_ms_max = 30'000;
inline constexpr std::int64_t steady_ms = 10'000;        // a connection that lasted so long does not count as a failure
inline constexpr int rest_looks_max = 10;                // until REST shows what the stream has told
inline constexpr std::int64_t rest_look_ms = 500;        // between two of them
inline constexpr std::size_t subscriptions_max = 1'000;  // per client
// Two programs of an account that reconnect together stay below the 10 frames a second of the lowest tier, and below
// its burst of 20. (D-1104)
inline constexpr std::int64_t frame_every_ms = 250;
inline constexpr std::size_t frames_at_once = 8;    // after a pause
inline constexpr std::size_t repairs_max = 3;       // replays of one gap, before it is filled by REST
inline constexpr std::size_t row_ids_max = 20'000;  // rows read by REST and remembered, so that none is reported twice
inline constexpr std::size_t message_depth_max = 32;  // nesting of a message
inline constexpr std::size_t cursor_chars_max = 64 * 1024;

}  // namespace svc::api::stream_limits

namespace svc::api {

// Whether the other end of a link is there: a silent one is pinged, and given up when it stays silent.
class Liveness {
 public:
  explicit Liveness(TimestampMs now_ms = 0) : heard_ms_(now_ms), pinged_ms_(now_ms) {}
  void hear(TimestampMs now_ms) { heard_ms_ = now_ms; }
  [[nodiscard]] TimestampMs heard_ms() const { return heard_ms_; }
  // False: it is to be given up.
  [[nodiscard]] bool keep(MessageLink& link, TimestampMs now_ms) {
    if (now_ms - heard_ms_ >= stream_limits::silence_ms_max) return false;
    if (now_ms - std::max(heard_ms_, pinged_ms_) < stream_limits::ping_ms) return true;
    pinged_ms_ = now_ms;
    static_cast<void>(link.ping());  // next() of the link reports an end
    return true;
  }

 private:
  TimestampMs heard_ms_;
  TimestampMs pinged_ms_;
};
// The pauses between attempts to connect: doubled each time, half of it random, so that a thousand clients do not
// reconnect at once.
class Backoff {
 public:
  explicit Backoff(std::uint64_t jitter_seed) : chance_(jitter_seed) {}
  void reset() { failures_ = 0; }
  // At least as long as the server asked for.
  [[nodiscard]] std::int64_t next_ms(std::int64_t retry_after_ms) {
    using namespace stream_limits;
    const std::int64_t ceiling = std::min(backoff_ms << std::min<std::size_t>(failures_++, 16), backoff_ms_max);
    const auto chance = static_cast<std::int64_t>(chance_.below(static_cast<std::uint64_t>(ceiling / 2 + 1)));
    return std::max(retry_after_ms, ceiling / 2 + chance);
  }

 private:
  Prng chance_;
  std::size_t failures_ = 0;  // in a row
};
inline constexpr const char* silent_server_code = "silent_server";
inline constexpr const char* silent_server_text = "the server fell silent";

// A reader's position in one channel.
struct StreamMark {
  std::uint64_t seq = 0;
  // Of the newest reported row, in channels whose rows have ids; of `orders`, ended_order_mark() of the order that
  // ended last. nullopt: not known; "": there was no row at all.
  std::optional<std::string> row_id{};

  bool operator==(const StreamMark&) const = default;
};
using StreamMarks = std::map<StreamKey, StreamMark>;

// How missed events of a channel are repaired.
enum class StreamRepair : std::uint8_t {
  replay,    // the server sent them again
  rest,      // read by REST
  snapshot,  // the present state follows
  none,      // they are lost
};
// Tells an order that ended from every other one: a sandbox that goes back to an earlier state gives ids out again.
// `order` is its JSON text, as the stream or the history has it. A mark that names the id alone is any order of that
// id.
[[nodiscard]] std::string ended_order_mark(std::string_view order);
[[nodiscard]] bool is_marked_order(std::string_view mark, std::string_view order);

struct StreamRows {
  std::vector<std::string> payloads{};  // JSON text, oldest first
  bool complete = true;                 // false: the row to continue after was not among them
};

// The connection to one server, for one account.
class StreamDoor {
 public:
  virtual ~StreamDoor() = default;
  // Mints a token and opens a connection with it.
  [[nodiscard]] virtual Result<std::unique_ptr<MessageLink>, LinkRefusal> open() = 0;
  // The newest row's id; "" if there is none. For channels whose rows have ids.
  [[nodiscard]] virtual Result<std::string, LinkRefusal> newest_row(const StreamKey& key) = 0;
  // The rows after that one (all, if it is ""), or the present state, after what ended since that row.
  [[nodiscard]] virtual Result<StreamRows, LinkRefusal> rows_after(const StreamKey& key,
                                                                   const std::optional<std::string>& row_id) = 0;
  // Idle for this long.
  virtual void pause(std::int64_t ms) = 0;
};

struct StreamNews {
  enum class Kind : std::uint8_t {
    connected,
    disconnected,  // text says why; retry_ms until the next attempt
    subscribed,    // for the first time
    event,
    gap,
    resync,
    error,  // text and code; the subscription failed, or the client gives up if `final`
  };
  Kind kind = Kind::event;
  std::optional<StreamKey> key{};
  std::uint64_t seq = 0;          // of an event from the stream; for subscribed the sequence before its first event
  bool from_rest = false;         // an event read by REST: it has no sequence
  bool snapshot = false;          // the state at the subscription
  std::string payload{};          // of an event, JSON text
  TimestampMs emitted_at_ms = 0;  // of an event, the server's time; 0: not said
  std::optional<std::uint64_t> first{};  // of a gap: the first and last missed sequence; absent: not known
  std::optional<std::uint64_t> last{};
  StreamRepair repair = StreamRepair::none;  // of a resync
  bool complete = true;                      // of a resync
  std::string code{};
  std::string text{};
  std::int64_t retry_ms = 0;
  bool final = false;
};

class StreamClient {
 public:
  // `since` holds marks to resume from; channels without one begin with the next event. A mark with sequence 0
  // begins with the REST rows after its row, or with the present state. Door and clock must outlive this.
  StreamClient(StreamDoor& door, const Clock& clock, std::vector<StreamKey> keys, StreamMarks since = {},
               std::uint64_t jitter_seed = 1);
  ~StreamClient();
  StreamClient(const StreamClient&) = delete;
  StreamClient& operator=(const StreamClient&) = delete;

  // The next news, waiting at most this long; nullopt: nothing yet. After a final `error` always nullopt.
  [[nodiscard]] std::optional<StreamNews> next(std::int64_t wait_ms);

  // The position of each resumable channel, as of the last event returned by next().
  [[nodiscard]] const StreamMarks& marks() const { return reported_; }
  [[nodiscard]] bool connected() const { return link_ != nullptr; }
  // When the server was last heard; 0: never.
  [[nodiscard]] TimestampMs heard_ms() const { return liveness_.heard_ms(); }

 private:
  struct Subscription;

  void connect();
  void disconnect(const std::string& why, const std::string& code, std::int64_t retry_after_ms);
  void give_up(const LinkRefusal& refusal);
  void end(std::optional<StreamKey> key, std::string code, std::string why);
  [[nodiscard]] bool prepare();
  void ask_due();
  void ask(Subscription& subscription);
  void keep_alive();
  void hear(const std::string& text);
  void acknowledged(Subscription& subscription, const StreamMessage& message);
  void await_replay(Subscription& subscription, std::uint64_t end);
  void end_replays();
  void event_of(Subscription& subscription, StreamMessage& message);
  void hole(Subscription& subscription, std::uint64_t seq);
  void deliver(Subscription& subscription, StreamMessage& message);
  // Whether every number after the mark is a row to read.
  enum class Numbers : std::uint8_t { go_on, unknown };
  void out_of_sync_of(Subscription& subscription, std::optional<std::uint64_t> oldest, Numbers numbers);
  [[nodiscard]] Result<StreamRows, LinkRefusal> missed_rows(const Subscription& subscription, std::uint64_t join);
  [[nodiscard]] bool fill_by_rest(Subscription& subscription, std::uint64_t join, bool first_time);
  void report_gap(Subscription& subscription, std::optional<std::uint64_t> last);
  void report_resync(Subscription& subscription, StreamRepair repair, bool complete);
  [[nodiscard]] bool is_ambiguous(const StreamKey& key) const;
  [[nodiscard]] Subscription* find(const StreamKey& key);
  void report(StreamNews news, const Subscription* subscription = nullptr);

  StreamDoor& door_;
  const Clock& clock_;
  std::vector<Subscription> subscriptions_;
  Backoff backoff_;
  std::unique_ptr<MessageLink> link_;
  struct Queued {
    StreamNews news;
    std::optional<StreamMark> mark;  // valid once this is reported
  };
  std::deque<Queued> news_;
  StreamMarks reported_;
  std::deque<std::size_t> unanswered_;  // requested subscriptions, in order
  TimestampMs connected_ms_ = 0;
  std::int64_t listened_ms_ = 0;  // to links with nothing to read; without the time in which nobody called next()
  Liveness liveness_;
  TimestampMs asked_ms_ = 0;  // of the oldest unanswered question
  TimestampMs retry_at_ms_ = 0;
  TimestampMs frames_from_ms_ = 0;  // frames may be sent for the time passed since then
  bool gave_up_ = false;
};

// The marks as one word, to be passed to a later run, and back: "fills=41:ID,orders=7". The error says what is
// wrong.
[[nodiscard]] std::string to_string(const StreamMarks& marks);
[[nodiscard]] Result<StreamMarks, std::string> parse_stream_marks(std::string_view text);

}  // namespace svc::api
