#include "sim/streams/stream_connection.h"

#include <algorithm>
#include <limits>

#include "api/codec.h"
#include "api/error_catalog.h"
#include "api/tiers.h"
#include "base/limits.h"
#include "sim/gateway/fault_book.h"
#include "sim/streams/stream_service.h"

namespace svc::sim {

StreamConnection::StreamConnection(StreamService& streams, StreamOpening opening, std::shared_ptr<ByteStream> stream)
    : streams_(streams),
      hub_(streams.hub()),
      machine_(streams.machine()),
      opening_(std::move(opening)),
      stream_(std::move(stream)),
      stood_in_(streams_.replacements()),
      codec_(api::WsCodec::server({.server_name = "svc", .headers = opening_.headers})),
      heard_ms_(machine_.now_ms()),
      pinged_ms_(machine_.now_ms()) {}

void StreamConnection::received(std::string_view bytes) {
  heard_ms_.store(machine_.now_ms(), std::memory_order_relaxed);
  codec_.feed(bytes);
  work_off();
}

// The codec's own answers (pings, a close) and the answers to messages are sent in the order of their causes: a
// close does not overtake the answer to the message before it.
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
  // The codec answers pings whatever is queued: a peer that requests pongs and reads none is stopped here.
  if (stream_->queued_bytes() > queued_bytes_max()) close(api::ws_close::policy, "the reader is too slow");
}

std::string StreamConnection::frame_code(api::ErrorCode code) {
  return std::string(code == api::ErrorCode::unknown_market ? "unknown_market" : api::spelling(code));
}

bool StreamConnection::ends_revoked() {
  if (opening_.by.empty()) return false;
  const auto [stands, replacements] = streams_.standing(opening_.by);
  if (stands) {
    stood_in_.store(replacements, std::memory_order_relaxed);
    return false;
  }
  // A revert or a reset revokes nothing: who mints another key may come back. (D-1110)
  if (stood_in_.load(std::memory_order_relaxed) != replacements)
    close(api::ws_close::service_restart,
          "the state was replaced; the key or agent that opened this stream is not in it");
  else
    close(api::ws_close::policy, "the key or agent that opened this stream was revoked, or has expired");
  return true;
}

void StreamConnection::hear(const api::WsEvent& event) {
  using enum api::WsEvent::Kind;
  if (event.kind != text && event.kind != binary && event.kind != ping) return;
  hub().between_commands([&] {
    if (closing() || ends_revoked()) return;
    const std::uint32_t per_second = opening_.ceilings.frames_per_second;
    const auto exceeded = per_second == 0 ? std::nullopt : seat().count_frame(per_second, machine_.now_ms());
    if (exceeded) {
      refuse_frame(api::ErrorCode::frame_rate_exceeded,
                   "more frames than " + std::to_string(*exceeded) + " per second, and a burst of twice that");
      return close(api::ws_close::policy, "too many frames");
    }
    if (event.kind == ping) return;
    if (event.kind == binary) return binary_message();
    const auto sync = api::decode_json<api::SyncRequest>(event.payload, api::lenient);
    if (!sync || sync->op != "sync") return message(event.payload);
    ++syncs_due_;
    answer_syncs();
  });
}

bool StreamConnection::refill_if_behind() {
  if (!may_be_behind_.exchange(false)) return false;
  const auto lock = hub().lock();
  if (closing()) return true;
  const bool was_behind = is_behind();
  refill();
  answer_syncs();
  if (is_behind()) may_be_behind_.store(true);
  return was_behind;
}

void StreamConnection::drained() {
  if (!refill_if_behind()) awaited_.clear();
}

// If the queue became empty before the mark was set, its drained() did not see the mark.
void StreamConnection::fall_behind() {
  may_be_behind_.store(true);
  if (stream_->queued_bytes() > 0) return;
  stream_->post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) (void)self->refill_if_behind();
  });
}

// Posted: everything before it is in the queue by then, and the queue reports when it is empty.
void StreamConnection::when_delivered(std::shared_ptr<void> hold) {
  stream_->post([weak = weak_from_this(), hold = std::move(hold)] {
    const auto self = weak.lock();
    if (self && self->closing_since_ms_.load(std::memory_order_relaxed) == 0 && self->stream_->queued_bytes() > 0)
      self->awaited_.push_back(hold);
  });
}

void StreamConnection::closed() {
  {
    const auto lock = hub().lock();
    leave_all();
    // Nothing is sent after this, whoever still holds this object.
    TimestampMs open = 0;
    closing_since_ms_.compare_exchange_strong(open, 1);
  }
  awaited_.clear();
  opening_.seat.reset();
  codec_.eof();
  streams_.forget(*this);
}

void StreamConnection::deliver(Subscription& subscription, const StreamBatch& batch) {
  if (closing() || ends_revoked()) return;
  if (streams_.may_go_wrong() || !subscription.held.empty()) return deliver_with_faults(subscription, batch);
  take(subscription, batch.bytes, batch.ends.size());
}

bool StreamConnection::add_subscription() const {
  return seat().add_subscription(streams_.ceilings_of(opening_.account).subscriptions);
}

// A fault may drop, repeat or reorder events, or end the connection.
void StreamConnection::deliver_with_faults(Subscription& subscription, const StreamBatch& batch) {
  struct Hit {
    std::string_view frame;
    std::optional<StreamFault> fault;
  };
  std::vector<Hit> hits;
  bool is_held = !subscription.held.empty();
  bool any = is_held;
  std::size_t start = 0;
  for (const std::size_t end : batch.ends) {
    // The frame that changes places with a held one is part of that fault: it counts no other.
    const auto fault = std::exchange(is_held, false) ? std::nullopt : streams_.next_fault(opening_);
    is_held = fault == StreamFault::reorder;
    any = any || fault;
    hits.push_back({std::string_view(*batch.bytes).substr(start, end - start), fault});
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
    if (fault == StreamFault::reorder) {
      subscription.held = frame;
      continue;
    }
    add(frame);
    if (fault == StreamFault::dup) add(frame);
    if (!subscription.held.empty()) add(std::exchange(subscription.held, {}));
  }
  if (count > 0) take(subscription, std::make_shared<const std::string>(std::move(frames)), count);
}

void StreamConnection::take(Subscription& subscription, const SharedBytes& frames, std::size_t count) {
  if (subscription.behind) return;
  report_gap();
  const std::size_t queued = stream_->queued_bytes();
  const std::uint64_t pass = hub().passes();
  // What is sent in one go, such as the events of one command, finds room together.
  if (std::exchange(pass_, pass) != pass) pass_has_room_ = queued <= limits::stream_queue_bytes_max;
  constexpr std::size_t bound = limits::stream_queue_bytes_max + limits::stream_pass_bytes_max;
  if (pass_has_room_ && queued + frames->size() <= bound) {
    queued_by_pass_.store(queued + frames->size(), std::memory_order_relaxed);
    return send(frames);
  }
  if (subscription.topic->label().resume == api::Resume::conflated)
    fall_behind(subscription);
  else
    lose(subscription, count);
}

bool StreamConnection::send_newest(Subscription& subscription) {
  if (!subscription.behind) return true;
  std::string newest = hub().newest_frame(*subscription.topic);
  if (!has_room(newest.size())) return false;
  subscription.behind = false;
  send(std::move(newest));
  return true;
}

void StreamConnection::send_answer(std::string_view text) {
  if (closing()) return;
  std::string frame;
  append_text_frame(frame, text);
  if (stream_->queued_bytes() + frame.size() > queued_bytes_max())
    return close(api::ws_close::policy, "the reader is too slow");
  stream_->send(std::move(frame));
}

void StreamConnection::close(std::uint16_t code, std::string reason) {
  TimestampMs open = 0;
  if (!closing_since_ms_.compare_exchange_strong(open, std::max<TimestampMs>(machine_.now_ms(), 1))) return;
  stream_->post([weak = weak_from_this(), code, reason = std::move(reason)] {
    const auto self = weak.lock();
    if (!self) return;
    if (!self->codec_.close(code, reason)) return self->stream_->close();
    self->stream_->send(self->codec_.take_output());
  });
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

StreamCeilings stream_ceilings(api::Tier tier, RateLimitScale scale) {
  const api::TierLimits& allowed = api::limits_of(tier);
  if (scale.multiplier == 0 || allowed.per_client_address) return {};
  const auto scaled = [&](std::uint32_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(value) * scale.multiplier,
                                                              std::numeric_limits<std::uint32_t>::max()));
  };
  // If the tier allows more, only the account's limit applies. (D-727)
  const bool allows_more = allowed.ws_connections > limits::stream_connections_per_address;
  const std::uint32_t of_address = allows_more ? 0 : scaled(limits::stream_connections_per_address);
  return {.connections = scaled(allowed.ws_connections),
          .subscriptions = scaled(allowed.ws_subscriptions),
          .frames_per_second = scaled(allowed.ws_frames_per_second),
          .connections_per_address = of_address};
}

StreamCensus::Seat::~Seat() {
  const std::lock_guard lock(census_.mutex_);
  if (address_is_bounded_) {
    if (const auto found = census_.addresses_.find(address_); --found->second == 0) census_.addresses_.erase(found);
  }
  if (!account_) return;
  // An account without connections keeps its count of frames until that is full: a new connection brings no new burst.
  // (D-1104)
  Counts& of_account = census_.accounts_.at(*account_);
  of_account.subscriptions -= subscriptions_;
  --of_account.connections;
}

bool StreamCensus::Seat::add_subscription(std::uint32_t at_most) {
  const std::lock_guard lock(census_.mutex_);
  std::size_t* of_account = account_ ? &census_.accounts_.at(*account_).subscriptions : nullptr;
  const std::size_t counted = of_account != nullptr ? *of_account : subscriptions_;
  if (at_most != 0 && counted >= at_most) return false;
  if (subscriptions_ >= limits::stream_subscriptions_max) return false;
  ++subscriptions_;
  if (of_account != nullptr) ++*of_account;
  return true;
}

void StreamCensus::Seat::drop_subscription() {
  const std::lock_guard lock(census_.mutex_);
  --subscriptions_;
  if (account_) --census_.accounts_.at(*account_).subscriptions;
}

std::optional<std::uint32_t> StreamCensus::Seat::count_frame(std::uint32_t per_second, TimestampMs now_ms) {
  const std::lock_guard lock(census_.mutex_);
  Counts* const of_account = account_ ? &census_.accounts_.at(*account_) : nullptr;
  std::optional<TokenBucket>& frames = of_account != nullptr ? of_account->frames : frames_;
  // A full bucket remembers nothing but the ceiling of an earlier connection. Of open ones the largest counts.
  const bool is_alone = of_account == nullptr || of_account->connections == 1;
  if (!frames || frames->limit() < per_second || (is_alone && frames->full_at_ms(now_ms) == 0))
    frames.emplace(per_second, now_ms, limits::stream_frame_burst);
  return frames->try_take(1, now_ms) ? std::nullopt : std::optional(frames->limit());
}

Result<std::shared_ptr<StreamCensus::Seat>, std::string> StreamCensus::admit(const std::optional<Address>& account,
                                                                             const std::optional<std::string>& address,
                                                                             const StreamCeilings& ceilings,
                                                                             TimestampMs now_ms) {
  const auto full = [](std::string_view whose, std::uint32_t at_most) {
    return unexpected("The " + std::string(whose) + " has " + std::to_string(at_most) +
                      " stream connections, as many as it may have");
  };
  std::string key = address.value_or(std::string());
  const std::lock_guard lock(mutex_);
  const std::size_t here = value_in(addresses_, key).value_or(0);
  if (ceilings.connections_per_address != 0 && here >= ceilings.connections_per_address)
    return full("address", ceilings.connections_per_address);
  const Counts own = account ? value_in(accounts_, *account).value_or(Counts{}) : Counts{};
  if (account && ceilings.connections != 0 && own.connections >= ceilings.connections)
    return full("account", ceilings.connections);
  if (ceilings.connections_per_address != 0) ++addresses_[key];
  // An idle account whose bucket is full is like a new one, and a wallet costs nothing.
  if (accounts_.size() >= accounts_looked_at_) {
    std::erase_if(accounts_, [&](const auto& one) {
      std::optional<TokenBucket> frames = one.second.frames;
      return one.second.connections == 0 && (!frames || frames->full_at_ms(now_ms) == 0);
    });
    accounts_looked_at_ = accounts_.size() + limits::stream_accounts_max;
  }
  if (account) ++accounts_[*account].connections;
  return std::make_shared<Seat>(*this, account, std::move(key), ceilings.connections_per_address != 0);
}

}  // namespace svc::sim
