#include "sim/control/control_stream.h"

#include "api/cpp17/ws_codec.h"
#include "api/json_text.h"
#include "base/archive.h"
#include "sim/control/control_handlers.h"

namespace svc::sim {

// One connection. Everything but look_after() runs on its I/O thread.
class ControlStream::Reader final : public ByteStreamEvents, public std::enable_shared_from_this<Reader> {
 public:
  Reader(ControlStream& owner, std::shared_ptr<ByteStream> stream, std::shared_ptr<void> seat, std::uint64_t after)
      : owner_(owner),
        stream_(std::move(stream)),
        codec_(api::WsCodec::server({.server_name = "svc"})),
        seat_(std::move(seat)),
        watch_(std::in_place, owner.venue_.timeline),
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
    watch_.reset();
    seat_.reset();
    codec_.eof();
    owner_.leave(*this);
  }

  // Any thread. At most one look waits, however slow the I/O thread is.
  void look_after(std::shared_ptr<const Status> status, TimestampMs machine_ms) {
    const TimestampMs heard_ms = heard_ms_.load(std::memory_order_relaxed);
    if (machine_ms - heard_ms >= limits::stream_silence_ms_max) return stream_->abort();
    const bool pings =
        machine_ms - std::max(heard_ms, pinged_ms_.load(std::memory_order_relaxed)) >= limits::stream_ping_ms;
    if (waiting_.exchange(true)) return;
    if (pings) pinged_ms_.store(machine_ms, std::memory_order_relaxed);
    stream_->post([weak = weak_from_this(), status = std::move(status), pings] {
      const auto self = weak.lock();
      if (!self) return;
      self->waiting_.store(false);
      if (pings && self->codec_.ping("")) self->stream_->send(self->codec_.take_output());
      self->send_news(status);
    });
  }

 private:
  // Messages of the peer mean nothing here; the codec answers pings and the close.
  void work_off() {
    (void)codec_.take_events();
    if (std::string output = codec_.take_output(); !output.empty()) stream_->send(std::move(output));
    if (codec_.finished()) stream_->close();
    // Pongs are no news: only this bound stops a peer that asks for them and never reads.
    if (stream_->queued_bytes() > 2 * limits::control_stream_queue_bytes_max) stream_->abort();
  }

  [[nodiscard]] bool has_room() const { return stream_->queued_bytes() <= limits::control_stream_queue_bytes_max; }

  void send_text(std::string_view text) {
    if (codec_.send_text(text)) stream_->send(codec_.take_output());
  }

  void send_news(const std::shared_ptr<const Status>& status) {
    if (!codec_.open()) return;
    if (status != nullptr && status != status_ && has_room()) {
      status_ = status;
      send_text(status->frame);
    }
    const Timeline& timeline = owner_.venue_.timeline;
    while (timeline.last() > position_ && has_room()) {
      const auto page = timeline.page({}, position_, std::nullopt, limits::control_stream_entries_max);
      if (page.entries.empty()) return;
      const std::uint64_t lost = page.entries.front().number - position_ - 1;
      if (lost > 0) send_text(R"({"type":"gap","lost":)" + std::to_string(lost) + "}");
      std::string frame;
      api::JsonWriter json(frame);
      json.begin_object().key("type").text("timeline").key("entries").begin_array();
      for (const auto& entry : page.entries) json.raw(api::to_json(entry));
      json.end_array().end_object();
      send_text(frame);
      position_ = page.entries.back().number;
    }
  }

  ControlStream& owner_;
  const std::shared_ptr<ByteStream> stream_;
  api::WsCodec codec_;
  std::shared_ptr<void> seat_;
  std::optional<Timeline::Watch> watch_;
  std::uint64_t position_;                // number of the last entry sent
  std::shared_ptr<const Status> status_;  // the last one sent
  std::atomic<bool> waiting_{false};
  std::atomic<TimestampMs> heard_ms_;
  std::atomic<TimestampMs> pinged_ms_;
};

Result<StreamOpened, api::ApiError> ControlStream::open(const api::HttpRequest& request, const std::string& head) {
  const auto wanted = SVC_TRY(api::decode_request<control::OpenStream>(
      {.path_parameters = {}, .query = request.query(), .headers = &request.headers, .body = {}}, control_bodies));
  // Free again when the connection is gone, or was never made.
  std::shared_ptr<void> seat(nullptr, [this](void*) { --seats_; });
  if (++seats_ > limits::control_streams_max)
    return unexpected(api::ApiError(api::ErrorCode::ws_conn_limit_exceeded,
                                    "at most " + std::to_string(limits::control_streams_max) + " streams at a time"));
  const std::uint64_t last = venue_.timeline.last();
  const std::uint64_t after = std::min(wanted.after.value_or(last), last);
  return StreamOpened([this, head, after, seat = std::move(seat)](
                          std::shared_ptr<ByteStream> stream) -> std::shared_ptr<ByteStreamEvents> {
    const auto reader = std::make_shared<Reader>(*this, std::move(stream), seat, after);
    {
      const std::lock_guard lock(mutex_);
      readers_.emplace(reader.get(), reader);
      looked_ms_ = 0;
      status_.reset();  // its time has passed: who comes new gets one of now
    }
    reader->begin(head);
    return reader;
  });
}

void ControlStream::leave(const Reader& reader) {
  const std::lock_guard lock(mutex_);
  readers_.erase(&reader);
}

void ControlStream::send_news() {
  const TimestampMs machine_ms = venue_.machine.now_ms();
  bool looks = false;
  {
    const std::lock_guard lock(mutex_);
    if (readers_.empty()) {
      status_.reset();
      return;
    }
    looks = machine_ms - looked_ms_ >= limits::control_stream_status_ms;
    if (looks) looked_ms_ = machine_ms;
  }
  // The exchange is read without the lock.
  auto now = looks ? std::make_shared<const Status>(status_now()) : nullptr;
  std::vector<std::shared_ptr<Reader>> readers;
  std::shared_ptr<const Status> status;
  {
    const std::lock_guard lock(mutex_);
    if (now && (!status_ || status_->key != now->key)) status_ = std::move(now);
    status = status_;
    for (const auto& [key, weak] : readers_)
      if (auto reader = weak.lock()) readers.push_back(std::move(reader));
  }
  for (const auto& reader : readers) reader->look_after(status, machine_ms);
}

ControlStream::Status ControlStream::status_now() const {
  const FlowReport report = venue_.flow.report(venue_.clock.now_ms());
  std::string flow;
  api::JsonWriter glance(flow);
  glance.begin_object().key("bots").boolean(report.bots).key("drill");
  if (report.drill.empty())
    glance.null();
  else
    glance.text(report.drill);
  glance.end_object();
  std::string markets;
  api::JsonWriter list(markets);
  list.begin_array();
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    venue_.markets.each([&](engine::MarketIndex market, const engine::MarketSpec& spec) {
      const engine::MarketFigures figures = engine.market(market, now_ms);
      list.begin_object().key("market_id").text(spec.id).key("status").text(to_string(figures.status));
      list.key("by_hand").boolean(figures.price_mode == engine::PriceMode::manual).end_object();
    });
  });
  list.end_array();
  const std::string settled = ",\"flow\":" + flow + ",\"switches\":" + api::to_json(switches_of(venue_)) +
                              ",\"faults\":" + api::to_json(faults_of(venue_)) + ",\"markets\":" + markets + "}";
  // Passing time alone is no change.
  const control::Time time = time_of(venue_);
  const std::string next = std::to_string(time.next_funding_ms) + "/" + std::to_string(time.next_expiry_ms.value_or(0));
  return {.key = to_archive(venue_.clock.last_change()) + next + settled,
          .frame = R"({"type":"status","time":)" + api::to_json(time) + settled};
}

namespace {

// For a request that does not ask for a WebSocket.
Answer<control::OpenStream> refuse_plain(const ControlledVenue&, const control::StreamStart&) {
  return unexpected(api::ApiError(api::ErrorCode::upgrade_required));
}

}  // namespace

void bind_control_stream(ControlHandlers& handlers) {
  handlers.bind<control::OpenStream>(refuse_plain);
}

}  // namespace svc::sim
