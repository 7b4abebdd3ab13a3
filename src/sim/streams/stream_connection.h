// A WebSocket connection of a stream: its codec, its queue and its liveness. The two streams define the messages.
//
// Bounds
//   - events are queued while at most limits::stream_queue_bytes_max unsent bytes wait; what is sent in one go may take
//     limits::stream_pass_bytes_max more, and answers limits::stream_queue_reserve_bytes; a reader for whom even that
//     is too little is disconnected
//   - a peer silent for limits::stream_ping_ms is pinged, and disconnected after limits::stream_silence_ms_max; so is
//     one that does not answer a close within limits::stream_close_ms. All by the machine's time. (D-260)
//
// ByteStreamEvents come on the connection's I/O thread; calls of the hub come under its lock.
#pragma once

#include <atomic>

#include "api/contract/admin.h"
#include "api/cpp17/ws_codec.h"
#include "sim/gateway/rate_limiter.h"
#include "sim/streams/stream_hub.h"

namespace svc::sim {

// Ceilings of tiers and addresses; 0: none. (API: Limits, WebSocket control plane)
struct StreamCeilings {
  std::uint32_t connections = 0;              // of the account
  std::uint32_t subscriptions = 0;            // of the account over all connections, or of a connection without one
  std::uint32_t frames_per_second = 0;        // likewise
  std::uint32_t connections_per_address = 0;  // over all connections that have such a ceiling
};

// Readers without an account have the ceilings of the tier that accounts start with.
[[nodiscard]] StreamCeilings stream_ceilings(api::Tier tier, RateLimitScale scale);

// How many connections and subscriptions there are, and how many frames came. Thread-safe: one lock, held for one
// look-up.
class StreamCensus {
 public:
  // A counted connection; its destruction ends the counting.
  class Seat {
   public:
    // Only for admit().
    Seat(StreamCensus& census, std::optional<Address> account, std::string address, bool address_is_bounded)
        : census_(census), account_(account), address_(std::move(address)), address_is_bounded_(address_is_bounded) {}
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    // False if there would be more than `at_most` subscriptions; 0: no ceiling.
    [[nodiscard]] bool add_subscription(std::uint32_t at_most);
    void drop_subscription();
    // Counts a frame of the account, or of a connection without one. Returns the ceiling that it exceeds: `per_second`,
    // or more if another connection of the account has more. nullopt: it exceeds none. (D-1104)
    [[nodiscard]] std::optional<std::uint32_t> count_frame(std::uint32_t per_second, TimestampMs now_ms);

   private:
    StreamCensus& census_;
    const std::optional<Address> account_;
    const std::string address_;
    const bool address_is_bounded_;
    std::size_t subscriptions_ = 0;
    std::optional<TokenBucket> frames_;  // without an account
  };

  // The error is a sentence: which ceiling one more connection would exceed. Unresolved addresses are counted as one.
  // The census must outlive the seat.
  [[nodiscard]] Result<std::shared_ptr<Seat>, std::string> admit(const std::optional<Address>& account,
                                                                 const std::optional<std::string>& address,
                                                                 const StreamCeilings& ceilings, TimestampMs now_ms);
  // Accounts that it remembers.
  [[nodiscard]] std::size_t accounts() const {
    const std::lock_guard lock(mutex_);
    return accounts_.size();
  }

 private:
  struct Counts {
    std::size_t connections = 0;
    std::size_t subscriptions = 0;
    std::optional<TokenBucket> frames{};
  };

  mutable Ranked<LockRank::counter> mutex_;
  std::map<Address, Counts> accounts_;
  std::size_t accounts_looked_at_ = limits::stream_accounts_max;  // with so many, idle ones are forgotten
  std::map<std::string, std::size_t> addresses_;                  // connections
};

// The parameters of a new connection.
struct StreamOpening {
  const api::Operation& operation;                                // which stream
  std::string head;                                               // of the upgrade request
  std::vector<std::pair<std::string, std::string>> headers = {};  // added to the answer
  std::shared_ptr<StreamCensus::Seat> seat;
  StreamCeilings ceilings;
  std::optional<Address> account = {};  // of its token; nullopt: it came without one
  bool public_only = true;              // account channels are refused
  Entitlements by = {};                 // it ends with the first of them
};

class StreamService;

class StreamConnection : public ByteStreamEvents, public std::enable_shared_from_this<StreamConnection> {
 public:
  // `streams` outlives it.
  StreamConnection(StreamService& streams, StreamOpening opening, std::shared_ptr<ByteStream> stream);

  // Answers the handshake. On the I/O thread, once, before anything else.
  void begin() {
    codec_.feed(std::exchange(opening_.head, {}));
    work_off();
  }

  void received(std::string_view bytes) override;
  void drained() override;
  void stopping() override {
    if (codec_.close(api::ws_close::going_away, "the server stops")) stream_->send(codec_.take_output());
  }
  void closed() override;

  // Fetches what a deliver() soon needs into the processor's cache.
  void prepare() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&stream_);
  }
  // Both under the hub's lock; both may end the subscription.
  void deliver(Subscription& subscription, const StreamBatch& batch);
  // Events of the topic were lost for all readers.
  virtual void events_lost(Subscription& subscription) = 0;

  // Pings a silent peer and drops a dead one. Any thread.
  void look_after(TimestampMs machine_ms);

  // Closes it if what entitled it to its account stands no more; whether it did. Any thread.
  bool ends_revoked();
  // Closes it: its client may go on elsewhere. Any thread.
  void go_away(std::string why) { close(api::ws_close::going_away, std::move(why)); }

  // `hold` is released once everything queued by now was sent, or the connection is gone. Any thread.
  void when_delivered(std::shared_ptr<void> hold);

  [[nodiscard]] const StreamOpening& opening() const { return opening_; }

 protected:
  static constexpr const char* not_json = "frames are JSON text";

  // All of these run under the hub's lock.

  // Any text but a sync.
  virtual void message(const std::string& text) = 0;
  virtual void binary_message() { refuse_message(not_json); }
  // The answer to a frame that is not taken.
  virtual void refuse_frame(api::ErrorCode code, std::string_view message) = 0;
  // As frames spell it: that of an unknown market is unlike that of answers.
  [[nodiscard]] static std::string frame_code(api::ErrorCode code);
  // The frame is no message of this stream's; a public stream then ends.
  virtual void refuse_message(const std::string& message) = 0;
  // So many frames of a topic that sends each event found no room.
  virtual void lose(Subscription& subscription, std::size_t count) = 0;
  // Reports how many frames were lost, if any were and there is room.
  virtual void report_gap() {}
  // The queue is empty again.
  virtual void refill() = 0;
  // A pending message still waits for room.
  [[nodiscard]] virtual bool is_behind() const = 0;
  // The answer to a sync.
  virtual void send_synced(engine::Sequence sequence) = 0;
  virtual void leave_all() = 0;

  // is_behind() will be true: refill() runs once the queue is empty.
  void fall_behind();
  void fall_behind(Subscription& subscription) {
    subscription.behind = true;
    fall_behind();
  }
  // Sends the newest frame of a topic that is behind. False if there is no room.
  [[nodiscard]] bool send_newest(Subscription& subscription);
  [[nodiscard]] bool has_room(std::size_t bytes) const {
    return stream_->queued_bytes() + bytes <= limits::stream_queue_bytes_max;
  }
  // Of everything: beyond it the reader is too slow.
  [[nodiscard]] std::size_t queued_bytes_max() const {
    return std::max<std::size_t>(limits::stream_queue_bytes_max, queued_by_pass_) + limits::stream_queue_reserve_bytes;
  }
  void send(SharedBytes frames) { stream_->send(std::move(frames)); }
  void send(std::string frames) {
    if (!frames.empty()) stream_->send(std::move(frames));
  }
  // Sends an answer: it may use the reserve, and closes the connection if that is full.
  void send_answer(std::string_view text);
  void close(std::uint16_t code, std::string reason);

  [[nodiscard]] StreamHub& hub() const { return hub_; }
  [[nodiscard]] StreamCensus::Seat& seat() const { return *opening_.seat; }
  // False if the tier allows no more subscriptions.
  [[nodiscard]] bool add_subscription() const;
  [[nodiscard]] bool closing() const { return closing_since_ms_.load(std::memory_order_relaxed) != 0; }

 private:
  void work_off();
  // On the I/O thread: sends what waits for room. False: nothing did, and what was queued earlier is complete.
  [[nodiscard]] bool refill_if_behind();
  // Frames of one topic: queued all or none.
  void take(Subscription& subscription, const SharedBytes& frames, std::size_t count);
  // Between commands: now, or once nothing is pending.
  void answer_syncs() {
    if (is_behind()) return;
    for (; syncs_due_ > 0; --syncs_due_) send_synced(hub().sent_up_to());
  }
  void hear(const api::WsEvent& event);
  void deliver_with_faults(Subscription& subscription, const StreamBatch& batch);

  StreamService& streams_;
  StreamHub& hub_;
  const Clock& machine_;
  StreamOpening opening_;
  // What each frame needs is side by side, from `opening_.by` to `awaited_`.
  const std::shared_ptr<ByteStream> stream_;
  std::atomic<std::uint64_t> stood_in_;  // so often had the state been replaced when its key or agent last stood
  std::atomic<TimestampMs> closing_since_ms_{0};  // 0: it is not closing
  std::uint64_t pass_ = 0;  // the latest that sent something here; under the hub's lock, as the next
  bool pass_has_room_ = false;
  // False: nothing waits for room, and a queue that is empty again takes no lock.
  std::atomic<bool> may_be_behind_{false};
  std::atomic<std::size_t> queued_by_pass_{0};  // with its last frame
  std::vector<std::shared_ptr<void>> awaited_;  // of the I/O thread: those waiting for delivery

  api::WsCodec codec_;           // of the I/O thread
  std::uint64_t syncs_due_ = 0;  // under the hub's lock
  std::atomic<TimestampMs> heard_ms_;
  std::atomic<TimestampMs> pinged_ms_;
};

[[nodiscard]] std::shared_ptr<StreamConnection> account_stream(StreamService& streams, StreamOpening opening,
                                                               std::shared_ptr<ByteStream> stream);
[[nodiscard]] std::shared_ptr<StreamConnection> public_stream(StreamService& streams, StreamOpening opening,
                                                              std::shared_ptr<ByteStream> stream);

}  // namespace svc::sim
