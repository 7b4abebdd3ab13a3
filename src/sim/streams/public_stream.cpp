#include "sim/streams/public_stream.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/codec.h"
#include "api/contract/streams.h"
#include "base/limits.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {

void PublicStream::message(const std::string& text) {
  if (const auto any = api::decode_json<api::SyncRequest>(text, api::lenient); any && any->op == "sync") return sync();
  if (std::exchange(subscribed_, true)) return;  // only the first one counts
  const auto request = api::decode_json<api::PublicSubscribeFrame>(text, api::lenient);
  if (!request) return end("invalid_frame", to_string(request.error()));
  const std::set<std::string> names(request->subscribe.begin(), request->subscribe.end());
  if (names.empty()) return end("invalid_frame", "subscribe names at least one channel");
  for (const std::string& name : names)
    if (!subscribe(name)) return;
}

bool PublicStream::subscribe(std::string_view name) {
  for (const api::PublicChannelInfo& info : api::public_channels()) {
    const bool named = info.takes_market ? name.starts_with(info.name) : name == info.name;
    if (!named) continue;
    const std::string_view market = info.takes_market ? name.substr(info.name.size()) : std::string_view();
    const auto index = info.takes_market && market != "*" ? hub().markets().find(market) : engine::MarketIndex{};
    if (!index) {
      end("unknown_market", "no market " + std::string(market));
      return false;
    }
    if (!seat().add_subscription()) {
      end("subscription_limit_exceeded", "no more subscriptions are allowed");
      return false;
    }
    ++counted_;
    if (market == "*")
      hub().markets().each([&](engine::MarketIndex each, const engine::MarketSpec&) { join(info.channel, each); });
    else
      join(info.channel, *index);
    return true;
  }
  end("unknown_channel", "no channel " + std::string(name));
  return false;
}

void PublicStream::join(api::PublicChannel channel, engine::MarketIndex market) {
  StreamTopic& topic = hub().public_topic(channel, market);
  const bool there = std::ranges::any_of(subscriptions_, [&](const auto& each) { return each->topic == &topic; });
  if (there) return;  // named explicitly and by *
  auto& subscription = subscriptions_.emplace_back(std::make_unique<Subscription>());
  subscription->reader = this;
  subscription->topic = &topic;
  std::string greeting = hub().public_greeting(channel, market);
  topic.join(*subscription);
  if (has_room(greeting.size()))
    send(std::move(greeting));
  else
    subscription->behind = topic.label().resume == api::Resume::conflated;
}

void PublicStream::refuse_frame(std::string_view code, std::string_view message) {
  send_answer(
      api::to_json(api::PublicErrorFrame{.type = "error", .code = std::string(code), .message = std::string(message)}));
}

void PublicStream::end(std::string_view code, const std::string& message) {
  refuse_frame(code, message);
  close(api::ws_close::policy, message.substr(0, 100));
}

void PublicStream::take(Subscription& subscription, const SharedBytes& frames, std::size_t count) {
  if (subscription.behind) return;
  report_gap();
  if (has_room(frames->size())) return send(frames);
  if (subscription.topic->label().resume == api::Resume::conflated)
    subscription.behind = true;
  else
    missed_ += count;
}

void PublicStream::report_gap() {
  if (missed_ == 0 || !has_room(limits::stream_queue_reserve_bytes)) return;
  send_answer(api::to_json(api::GapFrame{.type = "gap", .missed = std::exchange(missed_, 0)}));
}

void PublicStream::refill() {
  report_gap();
  for (const auto& subscription : subscriptions_) {
    if (!subscription->behind) continue;
    std::string newest = hub().newest_frame(*subscription->topic);
    if (!has_room(newest.size())) return;
    subscription->behind = false;
    send(std::move(newest));
  }
}

bool PublicStream::is_behind() const {
  return missed_ > 0 || std::ranges::any_of(subscriptions_, [](const auto& each) { return each->behind; });
}

void PublicStream::send_synced(engine::Sequence sequence) {
  send_answer(api::to_json(api::PublicSyncedFrame{.type = "synced", .sequence = sequence.value}));
}

// The number of lost events is unknown; count at least one.
void PublicStream::events_lost(Subscription&) {
  if (closing()) return;
  ++missed_;
  report_gap();
}

void PublicStream::leave_all() {
  for (const auto& subscription : subscriptions_) subscription->topic->leave(*subscription);
  subscriptions_.clear();
  for (; counted_ > 0; --counted_) seat().drop_subscription();
}

namespace {

template <class Levels>
std::vector<api::PublicBookLevel> top_levels(const engine::MarketSpec& spec, const Levels& levels) {
  std::vector<api::PublicBookLevel> top;
  for (const auto& [price, level] : levels) {
    if (top.size() == limits::stream_public_book_levels) break;
    top.push_back(
        {.price = price_text(spec, price), .quantity = lots_text(spec, level.quantity), .order_count = level.orders});
  }
  return top;
}

}  // namespace

std::string public_trade_text(const engine::MarketSpec& spec, const engine::Trade& trade, TimestampMs at_ms) {
  api::PublicTradeFrame frame;
  frame.market_id = spec.id;
  frame.trade = trade_record(spec, {.trade = trade, .at_ms = at_ms});
  return api::to_json(frame);
}

std::string public_book_text(const engine::MarketSpec& spec, const MarketView& view) {
  api::BookUpdateFrame frame;
  frame.market_id = spec.id;
  frame.book = {
      .bids = top_levels(spec, view.bids()), .asks = top_levels(spec, view.asks()), .sequence = view.book_nonce()};
  return api::to_json(frame);
}

std::string public_status_text(const engine::MarketSpec& spec, const Stamp& stamp,
                               const engine::MarketStatusChanged& event) {
  // The fields of a halt are those of GET /markets/{market_id}/status, as of this event.
  MarketView view;
  view.fold(stamp, event);
  const api::MarketStatus status = status_record(spec, view);
  if (status.status == api::MarketState::active) {
    api::MarketResumedFrame frame;
    frame.market_id = spec.id;
    frame.timestamp = stamp.at_ms;
    return api::to_json(frame);
  }
  api::MarketHaltedFrame frame;
  frame.market_id = spec.id;
  frame.reason = status.halt_reason.value_or("");
  frame.timestamp = status.halted_at.value_or(stamp.at_ms);
  return api::to_json(frame);
}

std::string public_stats_text(std::string_view stats) {
  return R"({"type":"Stats","stats":)" + std::string(stats) + '}';
}

}  // namespace svc::sim
