// A stream between a process and the exchange: the codecs of both sides and a line that can break.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/machine/environment.h"
#include "http/codec_link.h"
#include "vopr/server.h"
#include "vopr/world.h"

namespace svc::vopr {

// Shared by both ends, with the data in transit.
struct StreamWire {
  std::shared_ptr<test::StreamEnd> end = std::make_shared<test::StreamEnd>();
  std::shared_ptr<sim::ByteStreamEvents> events;  // null once the exchange knows of the end
  std::string arrived;                            // at the client
  bool is_cut = false;                            // and the client can see it
  bool is_silent = false;                         // half-open: nothing passes, and neither side notices
  TimestampMs last_arrival_ms = 0;
  World::Wait* reader = nullptr;
  Prng chance{0};
};

class StreamLink final : public test::CodecLink {
 public:
  StreamLink(World& world, Server& server, std::shared_ptr<StreamWire> wire, api::WsCodec codec);
  ~StreamLink() override;

  std::optional<api::LinkEvent> next(std::int64_t wait_ms) override;

  void read();

 private:
  void carry(const std::string& bytes) override {
    if (!wire_->is_cut && !wire_->is_silent) server_.receive(*wire_, bytes);
  }

  World& world_;
  Server& server_;
  std::shared_ptr<StreamWire> wire_;
};

[[nodiscard]] Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_link(World& world, Server& server,
                                                                                           Process& process,
                                                                                           const cli::Route& route,
                                                                                           const std::string& target);

}  // namespace svc::vopr
