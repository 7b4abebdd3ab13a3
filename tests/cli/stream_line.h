// A stream between a command under test and the in-process sandbox: the codecs of both sides, without a socket.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "api/cpp17/ws_codec.h"
#include "api/message_codec.h"
#include "base/result.h"
#include "cli/client_machine.h"
#include "sim/gateway/http_server.h"

namespace svc::cli {

class StreamLine final : public api::MessageLink {
 public:
  StreamLine(ClientMachine& machine, api::WsCodec codec);
  ~StreamLine() override;
  StreamLine(const StreamLine&) = delete;
  StreamLine& operator=(const StreamLine&) = delete;

  // The sandbox's end of the stream.
  class Bytes final : public sim::ByteStream {
   public:
    using sim::ByteStream::send;
    void send(sim::SharedBytes bytes) override { waiting.append(*bytes); }
    [[nodiscard]] std::size_t queued_bytes() const override { return 0; }
    void post(std::function<void()> task) override { task(); }
    void close() override { ended = true; }
    void abort() override { ended = true; }

    std::string waiting;
    bool ended = false;
  };

  bool send(std::string_view text) override;
  bool ping() override;
  void close() override;
  // Runs the next steps of `meanwhile` until something arrives; then time passes.
  std::optional<api::LinkEvent> next(std::int64_t wait_ms) override;

  // Breaks the connection.
  void cut();

  std::shared_ptr<Bytes> bytes = std::make_shared<Bytes>();
  std::shared_ptr<sim::ByteStreamEvents> events;

  // Reads what the sandbox has sent.
  void read();

 private:
  void pass_on();

  ClientMachine& machine_;
  api::WsCodec codec_;
  std::deque<api::LinkEvent> incoming_;
  bool ended_ = false;
};

[[nodiscard]] Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_line(ClientMachine& machine,
                                                                                           const std::string& origin,
                                                                                           const std::string& target);

}  // namespace svc::cli
