// Follows channels of the account stream for as long as it is asked to: connects with a token of its own each
// time, resumes where it was, and says so when something was missed and how that was mended.
//
// Promises
//   - Events of one channel come in the order of their sequence, each once. A row that was read by REST is not
//     told again when the stream brings it.
//   - A hole is never passed over: `gap` comes before the first event after it, `resync` once it is filled, with
//     `complete` false if not all of it could be had.
//   - After `resync` by snapshot the present state follows, whole: what was known before is void.
//   - Every event carries the mark to go on from; a client that is given it continues as if it had been there.
//     The mark of a fill or trade is checked against what the server sends for it, so that a sequence of
//     another life of the server is noticed.
//
// Never blocks longer than next() was allowed to, but for what the door does. One thread at a time; whoever
// wants the news elsewhere runs next() in a thread of its own with waits of some 100 ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/message_codec.h"
#include "api/stream_message.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace svc::api {

// Where a reader stands in one channel.
struct StreamMark {
  std::uint64_t seq = 0;
  // Of the newest row told, where rows have ids. nullopt: not known; "": there was no row at all.
  std::optional<std::string> row_id{};

  bool operator==(const StreamMark&) const = default;
};
using StreamMarks = std::map<StreamKey, StreamMark>;

// How a channel that lost events is mended.
enum class StreamRepair : std::uint8_t {
  replay,    // the server sent them once more
  rest,      // read by REST
  snapshot,  // the present state follows
  none,      // they are gone
};
// What can be done when the server has forgotten the events.
enum class RestRows : std::uint8_t {
  by_id,    // rows are events: those after a known one
  present,  // rows are states: all of them
  none,
};
[[nodiscard]] RestRows rest_rows_of(StreamChannel channel);

struct StreamRows {
  std::vector<std::string> payloads{};  // JSON text, oldest first
  bool complete = true;                 // false: the row to begin after was not among them
};

// The way to one server, for one account.
class StreamDoor {
 public:
  virtual ~StreamDoor() = default;
  // Mints a token and opens a connection with it.
  [[nodiscard]] virtual Result<std::unique_ptr<MessageLink>, LinkRefusal> open() = 0;
  // The newest row's id; "" if there is none. Of channels whose rows have ids.
  [[nodiscard]] virtual Result<std::string, LinkRefusal> newest_row(const StreamKey& key) = 0;
  // The rows after that one (all, if it is ""), or the present state.
  [[nodiscard]] virtual Result<StreamRows, LinkRefusal> rows_after(const StreamKey& key,
                                                                   const std::optional<std::string>& row_id) = 0;
  // Nothing to do for so long.
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
    error,  // text and code; the subscription has no effect, or the client gives up if `final`
  };
  Kind kind = Kind::event;
  std::optional<StreamKey> key{};
  std::uint64_t seq = 0;          // of an event from the stream; of subscribed the sequence it begins after
  bool from_rest = false;         // an event read by REST: it has no sequence
  bool snapshot = false;          // the state at the subscription
  std::string payload{};          // of an event, JSON text
  TimestampMs emitted_at_ms = 0;  // of an event, the server's time; 0: not said
  std::optional<std::uint64_t> first{};  // of a gap: the sequences missed, both ends; absent: not known
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
  // `since` holds marks to go on from; channels without one begin with what comes. A mark with sequence 0 begins with
  // what REST has after its row, or with the present state. Outlived by door and clock.
  StreamClient(StreamDoor& door, const Clock& clock, std::vector<StreamKey> keys, StreamMarks since = {},
               std::uint64_t jitter_seed = 1);
  ~StreamClient();
  StreamClient(const StreamClient&) = delete;
  StreamClient& operator=(const StreamClient&) = delete;

  // The next thing to tell, waiting at most so long; nullopt: nothing yet. After an `error` that is final only nullopt.
  [[nodiscard]] std::optional<StreamNews> next(std::int64_t wait_ms);

  // Of every channel that can be resumed, as far as events were handed out by next().
  [[nodiscard]] const StreamMarks& marks() const { return told_; }
  [[nodiscard]] bool connected() const { return link_ != nullptr; }
  // When the server was last heard; 0: never.
  [[nodiscard]] TimestampMs heard_ms() const { return heard_ms_; }

 private:
  struct Subscription {
    StreamKey key{};
    StreamMark mark{};
    bool marked = false;    // mark.seq means something
    bool joined = false;    // acknowledged on this connection
    bool ever = false;      // acknowledged on some connection
    bool asked = false;     // on this connection, not answered yet
    bool verify = false;    // the next event must be the one of the mark
    bool gap_told = false;  // and not mended
    bool begin_anew = false;              // the server has forgotten what was missed: ask without `since`
    std::optional<std::uint64_t> since_of_oldest{};  // or after what it still has
    std::optional<std::uint64_t> hole_end{};         // replay was asked for: until this sequence
    bool replay_answered = false;
    bool snapshot_due = false;  // the state that follows the acknowledgement is a resync
    std::size_t repairs = 0;
    std::set<std::string> row_ids{};  // told by REST: not to be told again
  };

  void connect();
  void disconnect(const std::string& why, const std::string& code, std::int64_t retry_after_ms);
  void give_up(const LinkRefusal& refusal);
  [[nodiscard]] bool prepare();
  void ask_due();
  void ask(Subscription& subscription);
  void keep_alive();
  void hear(const std::string& text);
  void acknowledged(Subscription& subscription, const StreamMessage& message);
  void event_of(Subscription& subscription, StreamMessage& message);
  void hole(Subscription& subscription, std::uint64_t seq);
  void deliver(Subscription& subscription, StreamMessage& message);
  void out_of_sync_of(Subscription& subscription, std::optional<std::uint64_t> oldest);
  [[nodiscard]] bool fill_by_rest(Subscription& subscription, std::uint64_t join);
  void tell_gap(Subscription& subscription, std::optional<std::uint64_t> last);
  void tell_resync(Subscription& subscription, StreamRepair repair, bool complete);
  [[nodiscard]] Subscription* find(const StreamKey& key);
  void tell(StreamNews news, const Subscription* subscription = nullptr);

  StreamDoor& door_;
  const Clock& clock_;
  std::vector<Subscription> subscriptions_;
  Prng chance_;
  std::unique_ptr<MessageLink> link_;
  struct Queued {
    StreamNews news;
    std::optional<StreamMark> mark;  // once this is told
  };
  std::deque<Queued> news_;
  StreamMarks told_;
  std::deque<std::size_t> unanswered_;  // subscriptions asked for, in order
  TimestampMs heard_ms_ = 0;
  TimestampMs pinged_ms_ = 0;
  TimestampMs asked_ms_ = 0;  // the oldest question not answered
  TimestampMs retry_at_ms_ = 0;
  TimestampMs frames_from_ms_ = 0;  // the budget of frames is what has passed since
  std::size_t failures_ = 0;        // in a row
  bool gave_up_ = false;
};

// The marks as one word that can be handed to a later run, and back: "fills=41:ID,orders=7". The error says what is wrong.
[[nodiscard]] std::string to_string(const StreamMarks& marks);
[[nodiscard]] Result<StreamMarks, std::string> parse_stream_marks(std::string_view text);

}  // namespace svc::api

// Bounds of whoever follows a stream.

namespace svc::api::stream_limits {

inline constexpr std::int64_t ping_ms = 3'000;          // of silence, then the server is pinged: a screen soon knows that it is stale
inline constexpr std::int64_t silence_ms_max = 30'000;  // of silence, then the connection is given up
inline constexpr std::int64_t answer_ms = 15'000;       // for the answer to a subscription
inline constexpr std::int64_t backoff_ms = 250;         // before the first reconnection; doubles
inline constexpr std::int64_t backoff_ms_max = 30'000;
inline constexpr std::size_t subscriptions_max = 1'000;  // of one client
inline constexpr std::int64_t frame_every_ms = 125;      // 8 a second, below the 10 of the lowest tier (API: Limits)
inline constexpr std::size_t frames_at_once = 16;        // after a pause; below its burst
inline constexpr std::size_t repairs_max = 3;            // of one hole by replay, before it is filled by REST
inline constexpr std::size_t row_ids_max = 20'000;       // read by REST and remembered, so that no row comes twice
inline constexpr std::size_t message_depth_max = 32;  // nesting of a message
inline constexpr std::size_t cursor_chars_max = 64 * 1024;
inline constexpr std::int64_t book_silence_ms_max = silence_ms_max;  // beyond it a book is doubted

}  // namespace svc::api::stream_limits
