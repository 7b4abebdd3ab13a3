// A stream between a command under test and the in-process sandbox.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/client_machine.h"
#include "http/codec_link.h"

namespace svc::cli {

class StreamLine final : public test::CodecLink {
 public:
  StreamLine(ClientMachine& machine, api::WsCodec codec);
  ~StreamLine() override;

  // Runs the next steps of `meanwhile` until something arrives; then time passes.
  std::optional<api::LinkEvent> next(std::int64_t wait_ms) override;

  // Breaks the connection.
  void cut();
  // Reads what the sandbox has sent.
  void read();

  std::shared_ptr<test::StreamEnd> end = std::make_shared<test::StreamEnd>();
  std::shared_ptr<sim::ByteStreamEvents> events;

 private:
  void carry(const std::string& bytes) override {
    if (events) events->received(bytes);
  }

  ClientMachine& machine_;
};

[[nodiscard]] Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_line(ClientMachine& machine,
                                                                                           const std::string& origin,
                                                                                           const std::string& target);

}  // namespace svc::cli
