#include "cli/stream_line.h"

#include <algorithm>

#include "api/stream/ws_client.h"
#include "http/request_of_head.h"
#include "sim/gateway/http_server.h"

namespace svc::cli {

StreamLine::StreamLine(ClientMachine& machine, api::WsCodec codec) : machine_(machine), codec_(std::move(codec)) {
  machine_.streams.push_back(this);
}

StreamLine::~StreamLine() {
  std::erase(machine_.streams, this);
  if (events) events->closed();
}

void StreamLine::pass_on() {
  if (const std::string output = codec_.take_output(); !output.empty() && events) events->received(output);
}

bool StreamLine::send(std::string_view text) {
  if (ended_ || !codec_.send_text(text)) return false;
  pass_on();
  return true;
}

bool StreamLine::ping() {
  if (ended_ || !codec_.ping("")) return false;
  pass_on();
  return true;
}

void StreamLine::close() {
  if (!ended_ && codec_.close(api::ws_close::normal, "")) pass_on();
}

void StreamLine::cut() {
  if (std::exchange(ended_, true)) return;
  if (auto gone = std::exchange(events, nullptr)) gone->closed();
  incoming_.push_back({.kind = api::LinkEvent::Kind::ended, .text = "the connection was cut"});
}

void StreamLine::read() {
  if (ended_) return;
  codec_.feed(std::exchange(bytes->waiting, {}));
  for (api::WsEvent& event : codec_.take_events()) {
    if (event.kind == api::WsEvent::Kind::text) incoming_.push_back({.text = std::move(event.payload)});
    if (event.kind == api::WsEvent::Kind::pong) incoming_.push_back({.kind = api::LinkEvent::Kind::pong});
  }
  pass_on();
  if (bytes->ended || codec_.finished()) cut();
}

std::optional<api::LinkEvent> StreamLine::next(std::int64_t wait_ms) {
  for (;;) {
    machine_.sandbox.pass_time();
    read();
    if (!incoming_.empty()) {
      api::LinkEvent event = std::move(incoming_.front());
      incoming_.pop_front();
      return event;
    }
    if (machine_.meanwhile.empty()) {
      machine_.clock.advance(wait_ms);
      return std::nullopt;
    }
    const auto step = std::move(machine_.meanwhile.front());
    machine_.meanwhile.pop_front();
    step();
  }
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_line(ClientMachine& machine,
                                                                             const std::string& origin,
                                                                             const std::string& target) {
  const std::string host = origin.substr(origin.find("//") + 2);
  api::WsCodec codec = api::WsCodec::client({.uri = "ws://" + host + target});
  const std::string head = codec.take_output();
  auto line = std::make_unique<StreamLine>(machine, std::move(codec));
  ++machine.streams_opened;
  std::optional<api::LinkRefusal> refusal;
  machine.sandbox.upgrade(
      test::request_of_head(head), head,
      {.refuse =
           [&](const api::HttpResponse& response) {
             refusal = api::refusal_of_upgrade("HTTP/1.1 " + std::to_string(response.status) +
                                               " x\r\nContent-Length: " + std::to_string(response.body.size()) +
                                               "\r\n\r\n" + response.body);
           },
       .accept = [&](const sim::StreamOpened& opened) { line->events = opened(line->bytes); }});
  if (refusal) return unexpected(*refusal);
  line->read();  // the 101 response
  return std::unique_ptr<api::MessageLink>(std::move(line));
}

}  // namespace svc::cli
