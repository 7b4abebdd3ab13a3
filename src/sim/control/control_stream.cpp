#include "sim/control/control_stream.h"

#include "api/cpp17/ws_codec.h"
#include "base/archive.h"
#include "base/json_text.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
// One connection. Everything but look_after() runs on its I/O thread.
class ControlStream::Reader final : public ByteStreamEvents, public std::enable_shared_from_this<Reader> {
 public:
  Reader(ControlStream& owner, std::shared_ptr<ByteStream> stream, std::shared_ptr<void> seat, std::uint64_t after)
      : owner_(owner),
        stream_(std::move(stream)),
        codec_(api::WsCodec::server({.server_name = "svc"})),
        seat_(std::move(seat)),
        presence_(std::in_place, owner.venue_.timeline),
        position_(after),
        heard_ms_(owner.venue_.machine.now_ms()),
        pinged_ms_(heard_ms_.load()) {}

  void begin(const std::string& head) {
    codec_.feed(head);
    work_off();
  }

  void received(std::string_view bytes) override {
    heard_ms_.store(owner_.venue_.machine.now_ms(), std::memory_order_relaxed);
    codec_.feed(bytes);
    work_off();
  }
  void stopping() override {
    if (codec_.close(api::ws_close::going_away, "the server stops")) stream_->send(codec_.take_output());
  }
  void closed() override {
    presence_.reset();
    seat_.reset();
    codec_.eof();
    for (const auto& [id, watch] : watches_) owner_.unwatch(watch.state);
    watches_.clear();
    owner_.leave(*this);
  }

  // Any thread. At most one look waits, however slow the I/O thread is.
  void look_after(std::shared_ptr<const News> news, TimestampMs machine_ms) {
    const TimestampMs heard_ms = heard_ms_.load(std::memory_order_relaxed);
    if (machine_ms - heard_ms >= limits::stream_silence_ms_max) return stream_->abort();
    const bool pings =
        machine_ms - std::max(heard_ms, pinged_ms_.load(std::memory_order_relaxed)) >= limits::stream_ping_ms;
    if (waiting_.exchange(true)) return;
    if (pings) pinged_ms_.store(machine_ms, std::memory_order_relaxed);
    stream_->post([weak = weak_from_this(), news = std::move(news), pings] {
      const auto self = weak.lock();
      if (!self) return;
      self->waiting_.store(false);
      if (pings && self->codec_.ping("")) self->stream_->send(self->codec_.take_output());
      self->send_news(*news);
    });
  }

 private:
  // A state that the peer watches, and what it was told of it.
  struct Watch {
    WatchedState state;
    Shared told;
  };

  void work_off() {
    for (const api::WsEvent& event : codec_.take_events())
      if (event.kind == api::WsEvent::Kind::text) take(event.payload);
    if (std::string output = codec_.take_output(); !output.empty()) stream_->send(std::move(output));
    if (codec_.finished()) stream_->close();
    // Pongs are no news: only this bound stops a peer that asks for them and never reads.
    if (stream_->queued_bytes() > 2 * limits::control_stream_queue_bytes_max) stream_->abort();
  }

  [[nodiscard]] bool has_room() const { return stream_->queued_bytes() <= limits::control_stream_queue_bytes_max; }

  void send_text(std::string_view text) {
    if (codec_.send_text(text)) stream_->send(codec_.take_output());
  }

  // A peer may ask for something before the first look at the venue.
  void begin_with_status() {
    if (status_ != nullptr) return;
    const auto here = owner_.venue_.turnstile.share();
    status_ = std::make_shared<const Told>(owner_.status_now());
    send_text(status_->text);
  }

  void take(const std::string& message) {
    begin_with_status();
    auto wanted = api::decode_json<control::StreamWatch>(message, control_bodies);
    if (!wanted) {
      std::string frame;
      JsonWriter json(frame);
      json.begin_object().key("type").text("error").key("message").text(api::to_string(wanted.error())).end_object();
      return send_text(frame);
    }
    if (const auto known = watches_.find(wanted->watch); known != watches_.end()) {
      owner_.unwatch(known->second.state);
      watches_.erase(known);
    }
    if (!wanted->path) return;
    if (watches_.size() >= limits::control_stream_watches_max)
      return tell(wanted->watch,
                  told_of(api::refused(api::ErrorCode::subscription_limit_exceeded,
                                       "at most " + std::to_string(limits::control_stream_watches_max) + " watches")));
    Watch& watch = watches_[wanted->watch];
    watch.state = {.target = std::move(*wanted->path), .account = wanted->account};
    owner_.watch(watch.state);
    {
      const auto here = owner_.venue_.turnstile.share();
      watch.told = owner_.state_now(watch.state);
    }
    tell(wanted->watch, *watch.told);
  }

  void tell(std::uint64_t watch, const Told& told) {
    send_text(R"({"type":"state","watch":)" + std::to_string(watch) + told.text);
  }

  void send_news(const News& news) {
    if (!codec_.open()) return;
    if ((status_ == nullptr || news.status->key != status_->key) && has_room()) {
      status_ = news.status;
      send_text(status_->text);
    }
    send_tickers(news.tickers);
    for (auto& [id, watch] : watches_) {
      const auto now = news.states.find(watch.state);
      if (now == news.states.end() || now->second->text == watch.told->text || !has_room()) continue;
      watch.told = now->second;
      tell(id, *watch.told);
    }
    const Timeline& timeline = owner_.venue_.timeline;
    while (timeline.last() > position_ && has_room()) {
      const auto page = timeline.page({}, position_, std::nullopt, limits::control_stream_entries_max);
      if (page.entries.empty()) return;
      const std::uint64_t last = page.entries.back().number;
      const std::uint64_t lost = last - position_ - page.entries.size();  // reads are dropped first, from between
      if (lost > 0) send_text(R"({"type":"gap","lost":)" + std::to_string(lost) + "}");
      std::string frame;
      JsonWriter json(frame);
      json.begin_object().key("type").text("timeline").key("entries").begin_array();
      for (const auto& entry : page.entries) json.raw(api::to_json(entry));
      json.end_array().end_object();
      send_text(frame);
      position_ = last;
    }
  }

  void send_tickers(const std::vector<Shared>& tickers) {
    if (tickers == tickers_ || !has_room()) return;
    std::string changed;
    for (std::size_t i = 0; i < tickers.size(); ++i)
      if (i >= tickers_.size() || tickers_[i] != tickers[i])
        changed.append(changed.empty() ? "" : ",") += tickers[i]->text;
    tickers_ = tickers;
    send_text(R"({"type":"tickers","tickers":{)" + changed + "}}");
  }

  ControlStream& owner_;
  const std::shared_ptr<ByteStream> stream_;
  api::WsCodec codec_;
  std::shared_ptr<void> seat_;
  std::optional<Timeline::Watch> presence_;
  std::uint64_t position_;       // number of the last entry sent
  Shared status_;                // the last one sent
  std::vector<Shared> tickers_;  // the last ones sent
  std::map<std::uint64_t, Watch> watches_;
  std::atomic<bool> waiting_{false};
  std::atomic<TimestampMs> heard_ms_;
  std::atomic<TimestampMs> pinged_ms_;
};

Result<StreamOpened, api::ApiError> ControlStream::open(const api::HttpRequest& request, const std::string& head) {
  const auto wanted = SVC_TRY(api::decode_request<control::OpenStream>(api::parts_of(request), control_bodies));
  // Free again when the connection is gone, or was never made.
  std::shared_ptr<void> seat(nullptr, [this](void*) { --seats_; });
  if (++seats_ > limits::control_streams_max)
    return api::refused(api::ErrorCode::ws_conn_limit_exceeded,
                        "at most " + std::to_string(limits::control_streams_max) + " streams at a time");
  const std::uint64_t last = venue_.timeline.last();
  // A number that was never given is of a sandbox that was here before: there is nothing to continue. (D-834)
  const std::uint64_t after = wanted.after.value_or(last) > last ? 0 : wanted.after.value_or(last);
  return StreamOpened([this, head, after, seat = std::move(seat)](
                          std::shared_ptr<ByteStream> stream) -> std::shared_ptr<ByteStreamEvents> {
    const auto reader = std::make_shared<Reader>(*this, std::move(stream), seat, after);
    {
      const std::lock_guard lock(mutex_);
      readers_.emplace(reader.get(), reader);
      looked_ms_ = 0;
      news_.reset();  // its time has passed: who comes new gets that of now
    }
    reader->begin(head);
    return reader;
  });
}

void ControlStream::send_news() {
  const TimestampMs machine_ms = venue_.machine.now_ms();
  std::shared_ptr<const News> news;
  std::vector<WatchedState> watched;
  bool looks = false;
  {
    const std::lock_guard lock(mutex_);
    if (readers_.empty()) {
      news_.reset();
      return;
    }
    looks = machine_ms - looked_ms_ >= limits::control_stream_look_ms;
    if (looks) looked_ms_ = machine_ms;
    news = news_;
    for (const auto& [state, readers] : watched_) watched.push_back(state);
  }
  // The exchange is read without the lock.
  if (looks || news == nullptr) news = look(news.get(), watched);
  std::vector<std::shared_ptr<Reader>> readers;
  {
    const std::lock_guard lock(mutex_);
    news_ = news;
    for (const auto& [key, weak] : readers_)
      if (auto reader = weak.lock()) readers.push_back(std::move(reader));
  }
  for (const auto& reader : readers) reader->look_after(news, machine_ms);
}

std::shared_ptr<const ControlStream::News> ControlStream::look(const News* before,
                                                               std::span<const WatchedState> watched) const {
  const auto kept = [](const Shared& old, Told now) {
    return old != nullptr && old->key == now.key ? old : std::make_shared<const Told>(std::move(now));
  };
  auto news = std::make_shared<News>();
  news->status = kept(before ? before->status : nullptr, status_now());
  std::vector<Told> tickers = tickers_now();
  for (std::size_t i = 0; i < tickers.size(); ++i)
    news->tickers.push_back(kept(before ? before->tickers[i] : nullptr, std::move(tickers[i])));
  for (const WatchedState& state : watched) news->states.emplace(state, state_now(state));
  return news;
}

std::vector<ControlStream::Told> ControlStream::tickers_now() const {
  const TimestampMs now_ms = venue_.clock.now_ms();
  return venue_.views.read([&](const VenueView& view) {
    std::vector<Told> tickers;
    venue_.markets.each([&](engine::MarketIndex market, const engine::MarketSpec& spec) {
      api::Ticker ticker = ticker_record(spec, view.market(market), now_ms);
      Told told{.key = {}, .text = '"' + spec.id + "\":" + api::to_json(ticker)};
      // Passing time alone is no change.
      ticker.timestamp = 0;
      ticker.datetime.clear();
      told.key = api::to_json(ticker);
      tickers.push_back(std::move(told));
    });
    return tickers;
  });
}

ControlStream::Told ControlStream::told_of(const Result<std::string, api::ApiError>& body) {
  const int status = body ? 200 : api::status_of(body.error());
  return {.key = {},
          .text = ",\"status\":" + std::to_string(status) +
                  ",\"body\":" + (body ? *body : api::render(body.error(), api::Envelope::flat)) + "}"};
}

ControlStream::Told ControlStream::status_now() const {
  const FlowReport report = venue_.flow.report(venue_.clock.now_ms());
  std::string settled;
  JsonWriter json(settled);
  json.begin_object().key("flow").begin_object().key("bots").boolean(report.bots).key("drill");
  if (report.drill.empty())
    json.null();
  else
    json.text(report.drill);
  json.end_object().key("switches").raw(api::to_json(switches_of(venue_)));
  json.key("faults").raw(api::to_json(faults_of(venue_))).key("markets").begin_array();
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    venue_.markets.each([&](engine::MarketIndex market, const engine::MarketSpec& spec) {
      const engine::MarketFigures figures = engine.market(market, now_ms);
      json.begin_object().key("market_id").text(spec.id).key("status").text(to_string(figures.status));
      json.key("by_hand").boolean(figures.price_mode == engine::PriceMode::manual).end_object();
    });
  });
  json.end_array().end_object();
  settled.front() = ',';  // what comes before it differs from look to look
  // Passing time alone is no change.
  const control::Time time = time_of(venue_);
  const std::string next = std::to_string(time.next_funding_ms) + "/" + std::to_string(time.next_expiry_ms.value_or(0));
  return {.key = to_archive(venue_.clock.last_change()) + next + settled,
          .text = R"({"type":"status","started_ms":)" + std::to_string(venue_.started_ms) + R"(,"time":)" +
                  api::to_json(time) + settled};
}

void bind_control_stream(ControlHandlers& handlers) {
  // For a request that does not ask for a WebSocket.
  handlers.bind<control::OpenStream>([](const ControlledVenue&) { return unexpected(ErrorCode::upgrade_required); });
}

}  // namespace svc::sim
