#include "sim/streams/stream_connection.h"

#include <algorithm>
#include <utility>

#include "api/error_catalog.h"
#include "base/limits.h"
#include "sim/streams/text_frame.h"

namespace svc::sim {

StreamConnection::StreamConnection(const StreamSurroundings& around, StreamOpening opening,
                                   std::shared_ptr<ByteStream> stream)
    : around_(around),
      opening_(std::move(opening)),
      stream_(std::move(stream)),
      codec_(api::WsCodec::server({.server_name = "svc"})),
      budget_(opening_.ceilings.frames_per_second, around.hub.now_ms()),
      heard_ms_(around.machine.now_ms()),
      pinged_ms_(around.machine.now_ms()) {}

void StreamConnection::begin() {
  codec_.feed(std::exchange(opening_.head, {}));
  work_off();
}

void StreamConnection::received(std::string_view bytes) {
  heard_ms_.store(around_.machine.now_ms(), std::memory_order_relaxed);
  codec_.feed(bytes);
  work_off();
}

// What the codec answers by itself (pings, a close) and the answers to messages leave in the order in which their
// causes came: a close does not overtake the answer to the message before it.
void StreamConnection::work_off() {
  const std::string output = codec_.take_output();
  std::size_t sent = 0;
  const auto send_until = [&](std::size_t end) {
    if (end > sent) stream_->send(output.substr(sent, end - sent));
    sent = end;
  };
  for (const api::WsEvent& event : codec_.take_events()) {
    send_until(event.output_before);
    hear(event);
  }
  send_until(output.size());
  if (codec_.finished()) return stream_->close();
  // Pongs are not counted as frames: who asks for them and never reads is stopped by the bound alone.
  if (!has_room(0) && stream_->queued_bytes() > limits::stream_queue_bytes_max + limits::stream_queue_reserve_bytes)
    stream_->abort();
}

void StreamConnection::hear(const api::WsEvent& event) {
  using enum api::WsEvent::Kind;
  if (event.kind != text && event.kind != binary) return;
  hub().between_commands([&] {
    if (closing()) return;
    if (!budget_.take(hub().now_ms())) {
      refuse_frame(api::spelling(api::ErrorCode::frame_rate_exceeded),
                   "more frames than " + std::to_string(opening_.ceilings.frames_per_second) +
                       " per second, and a burst of twice that");
      return close(api::ws_close::policy, "too many frames");
    }
    if (event.kind == binary) return refuse_frame("invalid_frame", "frames are JSON text");
    message(event.payload);
  });
}

void StreamConnection::drained() {
  bool was_behind = false;
  {
    const auto lock = hub().lock();
    if (closing()) return;
    was_behind = is_behind();
    refill();
    answer_syncs();
  }
  if (!was_behind) awaited_.clear();
}

void StreamConnection::sync() {
  ++syncs_due_;
  answer_syncs();
}

void StreamConnection::answer_syncs() {
  if (is_behind()) return;
  for (; syncs_due_ > 0; --syncs_due_) say_synced(hub().told_up_to());
}

// By a letter: what was told before it is in the queue then, and the queue says when it is empty.
void StreamConnection::when_delivered(std::shared_ptr<void> hold) {
  stream_->post([weak = weak_from_this(), hold = std::move(hold)] {
    const auto self = weak.lock();
    if (self && self->closing_since_ms_.load(std::memory_order_relaxed) == 0 && self->stream_->queued_bytes() > 0)
      self->awaited_.push_back(hold);
  });
}

void StreamConnection::stopping() {
  if (codec_.close(api::ws_close::going_away, "the server stops")) stream_->send(codec_.take_output());
}

void StreamConnection::closed() {
  {
    const auto lock = hub().lock();
    leave_all();
    // From here on nothing is sent, whoever still holds this.
    TimestampMs open = 0;
    closing_since_ms_.compare_exchange_strong(open, 1);
  }
  awaited_.clear();
  opening_.seat.reset();
  codec_.eof();
}

void StreamConnection::deliver(Subscription& subscription, const StreamBatch& batch) {
  if (closing()) return;
  const bool may_go_wrong = around_.faults != nullptr && !around_.faults->empty();
  if (may_go_wrong || !subscription.held.empty()) return deliver_with_faults(subscription, batch);
  take(subscription, batch.bytes, batch.ends.size());
}

std::optional<StreamFault> StreamConnection::next_fault() const {
  if (around_.faults == nullptr) return std::nullopt;
  return around_.faults->streaming(
      {.operation = opening_.operation, .path = opening_.operation.path, .account = opening_.account});
}

// The user of the sandbox may want events to be missed, doubled or swapped, or the connection to end.
void StreamConnection::deliver_with_faults(Subscription& subscription, const StreamBatch& batch) {
  struct Hit {
    std::string_view frame;
    std::optional<StreamFault> fault;
  };
  std::vector<Hit> hits;
  bool any = !subscription.held.empty();
  std::size_t start = 0;
  for (const std::size_t end : batch.ends) {
    hits.push_back({std::string_view(*batch.bytes).substr(start, end - start), next_fault()});
    any = any || hits.back().fault;
    start = end;
  }
  if (!any) return take(subscription, batch.bytes, batch.ends.size());
  std::string frames;
  std::size_t count = 0;
  const auto add = [&](std::string_view frame) {
    frames.append(frame);
    ++count;
  };
  for (const auto& [frame, fault] : hits) {
    if (fault == StreamFault::gap) continue;
    if (fault == StreamFault::drop) return stream_->abort();
    if (fault == StreamFault::reorder && subscription.held.empty()) {
      subscription.held = frame;
      continue;
    }
    add(frame);
    if (fault == StreamFault::dup) add(frame);
    if (!subscription.held.empty()) add(std::exchange(subscription.held, {}));
  }
  if (count > 0) take(subscription, std::make_shared<const std::string>(std::move(frames)), count);
}

bool StreamConnection::has_room(std::size_t bytes) const {
  return stream_->queued_bytes() + bytes <= limits::stream_queue_bytes_max;
}

void StreamConnection::send(std::string frames) {
  if (!frames.empty()) stream_->send(std::move(frames));
}

void StreamConnection::say(std::string_view text) {
  if (closing()) return;
  std::string frame;
  append_text_frame(frame, text);
  constexpr std::size_t bound = limits::stream_queue_bytes_max + limits::stream_queue_reserve_bytes;
  if (stream_->queued_bytes() + frame.size() > bound) return close(api::ws_close::policy, "the reader is too slow");
  stream_->send(std::move(frame));
}

void StreamConnection::close(std::uint16_t code, std::string reason) {
  TimestampMs open = 0;
  if (!closing_since_ms_.compare_exchange_strong(open, std::max<TimestampMs>(around_.machine.now_ms(), 1))) return;
  stream_->post([weak = weak_from_this(), code, reason = std::move(reason)] {
    if (const auto self = weak.lock()) self->finish(code, reason);
  });
}

void StreamConnection::finish(std::uint16_t code, const std::string& reason) {
  if (!codec_.close(code, reason)) return stream_->close();
  stream_->send(codec_.take_output());
}

void StreamConnection::look_after(TimestampMs machine_ms) {
  const TimestampMs closing_since = closing_since_ms_.load(std::memory_order_relaxed);
  const TimestampMs heard = heard_ms_.load(std::memory_order_relaxed);
  if (closing_since != 0) {
    if (machine_ms - closing_since >= limits::stream_close_ms) stream_->abort();
    return;
  }
  if (machine_ms - heard >= limits::stream_silence_ms_max) return stream_->abort();
  const TimestampMs pinged = pinged_ms_.load(std::memory_order_relaxed);
  if (machine_ms - std::max(heard, pinged) < limits::stream_ping_ms) return;
  pinged_ms_.store(machine_ms, std::memory_order_relaxed);
  stream_->post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->codec_.ping("")) self->stream_->send(self->codec_.take_output());
  });
}

}  // namespace svc::sim
