// A stream between a process and the exchange: the codecs of both sides and a line that can break.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "api/cpp17/ws_codec.h"
#include "api/message_codec.h"
#include "cli/machine/environment.h"
#include "sim/gateway/http_server.h"
#include "vopr/server.h"
#include "vopr/world.h"

namespace svc::vopr {

// The exchange's end of the stream.
class StreamEnd final : public sim::ByteStream {
 public:
  using sim::ByteStream::send;
  void send(sim::SharedBytes bytes) override { waiting.append(*bytes); }
  [[nodiscard]] std::size_t queued_bytes() const override { return 0; }
  void post(std::function<void()> task) override { task(); }
  void close() override { is_closed = true; }
  void abort() override { is_closed = true; }

  std::string waiting;
  bool is_closed = false;
};

// Shared by both ends, with the data in transit.
struct StreamWire {
  std::shared_ptr<StreamEnd> end = std::make_shared<StreamEnd>();
  std::shared_ptr<sim::ByteStreamEvents> events;  // null once the exchange knows of the end
  std::string arrived;                            // at the client
  bool is_cut = false;                            // and the client can see it
  bool is_silent = false;                         // half-open: nothing passes, and neither side notices
  TimestampMs last_arrival_ms = 0;
  World::Wait* reader = nullptr;
  Prng chance{0};
};

class StreamLink final : public api::MessageLink {
 public:
  StreamLink(World& world, Server& server, std::shared_ptr<StreamWire> wire, api::WsCodec codec);
  ~StreamLink() override;
  StreamLink(const StreamLink&) = delete;
  StreamLink& operator=(const StreamLink&) = delete;

  bool send(std::string_view text) override;
  bool ping() override;
  void close() override;
  std::optional<api::LinkEvent> next(std::int64_t wait_ms) override;

  void read();

 private:
  void pass_on();

  World& world_;
  Server& server_;
  std::shared_ptr<StreamWire> wire_;
  api::WsCodec codec_;
  std::deque<api::LinkEvent> incoming_;
  bool is_over_ = false;
};

[[nodiscard]] Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_link(World& world, Server& server,
                                                                                           Process& process,
                                                                                           const cli::Route& route,
                                                                                           const std::string& target);

}  // namespace svc::vopr
