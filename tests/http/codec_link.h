// A stream without a socket between a client under test and the sandbox: the codecs of both sides. What carries the
// bytes, and how time passes meanwhile, is the matter of who derives from it.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "api/cpp17/ws_codec.h"
#include "api/message_codec.h"
#include "api/stream/ws_client.h"
#include "http/request_of_head.h"
#include "sim/gateway/http_server.h"

namespace svc::test {

// The sandbox's end of the stream.
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

// The client's question for a stream, and what goes on after it.
struct Handshake {
  Handshake(const std::string& origin, const std::string& target)
      : codec(api::WsCodec::client({.uri = "ws://" + origin.substr(origin.find("//") + 2) + target})),
        head(codec.take_output()) {}

  [[nodiscard]] api::HttpRequest request() const { return request_of_head(head); }

  api::WsCodec codec;
  std::string head;
};

[[nodiscard]] inline api::LinkRefusal refusal_in(const api::HttpResponse& response) {
  return api::refusal_of_upgrade("HTTP/1.1 " + std::to_string(response.status) + " x\r\nContent-Length: " +
                                 std::to_string(response.body.size()) + "\r\n\r\n" + response.body);
}

class CodecLink : public api::MessageLink {
 public:
  explicit CodecLink(api::WsCodec codec) : codec_(std::move(codec)) {}
  CodecLink(const CodecLink&) = delete;
  CodecLink& operator=(const CodecLink&) = delete;

  bool send(std::string_view text) override { return passes_on(!is_over_ && codec_.send_text(text)); }
  bool ping() override { return passes_on(!is_over_ && codec_.ping("")); }
  void close() override { passes_on(!is_over_ && codec_.close(api::ws_close::normal, "")); }

 protected:
  // To the sandbox; never empty.
  virtual void carry(const std::string& bytes) = 0;

  // What has arrived from the sandbox.
  void take_in(const std::string& bytes) {
    codec_.feed(bytes);
    for (api::WsEvent& event : codec_.take_events()) {
      if (event.kind == api::WsEvent::Kind::text) incoming_.push_back({.text = std::move(event.payload)});
      if (event.kind == api::WsEvent::Kind::pong) incoming_.push_back({.kind = api::LinkEvent::Kind::pong});
    }
    passes_on(true);
  }
  void end_with(std::string why) {
    is_over_ = true;
    incoming_.push_back({.kind = api::LinkEvent::Kind::ended, .text = std::move(why)});
  }
  [[nodiscard]] std::optional<api::LinkEvent> take_event() {
    if (incoming_.empty()) return std::nullopt;
    api::LinkEvent event = std::move(incoming_.front());
    incoming_.pop_front();
    return event;
  }
  [[nodiscard]] bool is_over() const { return is_over_; }
  // Both sides have closed it.
  [[nodiscard]] bool is_finished() const { return codec_.finished(); }

 private:
  bool passes_on(bool is_due) {
    if (!is_due) return false;
    if (const std::string output = codec_.take_output(); !output.empty()) carry(output);
    return true;
  }

  api::WsCodec codec_;
  std::deque<api::LinkEvent> incoming_;
  bool is_over_ = false;
};

}  // namespace svc::test
