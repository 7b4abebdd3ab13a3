#include "vopr/stream_link.h"

#include <algorithm>
#include <utility>

#include "api/stream/ws_client.h"
#include "http/request_of_head.h"
#include "sim/gateway/http_server.h"

namespace svc::vopr {

StreamLink::StreamLink(World& world, Server& server, std::shared_ptr<StreamWire> wire, api::WsCodec codec)
    : world_(world), server_(server), wire_(std::move(wire)), codec_(std::move(codec)) {}

StreamLink::~StreamLink() {
  server_.end_stream(*wire_);
}

void StreamLink::pass_on() {
  const std::string output = codec_.take_output();
  if (!output.empty() && !wire_->is_cut && !wire_->is_silent) server_.receive(*wire_, output);
}

bool StreamLink::send(std::string_view text) {
  if (is_over_ || !codec_.send_text(text)) return false;
  pass_on();
  return true;
}

bool StreamLink::ping() {
  if (is_over_ || !codec_.ping("")) return false;
  pass_on();
  return true;
}

void StreamLink::close() {
  if (!is_over_ && codec_.close(api::ws_close::normal, "")) pass_on();
}

void StreamLink::read() {
  if (is_over_) return;
  codec_.feed(std::exchange(wire_->arrived, {}));
  for (api::WsEvent& event : codec_.take_events()) {
    if (event.kind == api::WsEvent::Kind::text) incoming_.push_back({.text = std::move(event.payload)});
    if (event.kind == api::WsEvent::Kind::pong) incoming_.push_back({.kind = api::LinkEvent::Kind::pong});
  }
  pass_on();
  if (!wire_->is_cut && !codec_.finished()) return;
  is_over_ = true;
  incoming_.push_back({.kind = api::LinkEvent::Kind::ended, .text = "the line broke"});
}

std::optional<api::LinkEvent> StreamLink::next(std::int64_t wait_ms) {
  const TimestampMs end_ms = world_.now_ms() + std::max<std::int64_t>(wait_ms, 1);
  while (true) {
    server_.pass_time();
    read();
    if (!incoming_.empty()) {
      api::LinkEvent event = std::move(incoming_.front());
      incoming_.pop_front();
      return event;
    }
    if (world_.now_ms() >= end_ms) return std::nullopt;
    World::Wait wait;
    wire_->reader = &wait;
    const auto leave = [this] { wire_->reader = nullptr; };
    try {
      (void)world_.wait(wait, end_ms - world_.now_ms());
    } catch (...) {
      leave();
      throw;
    }
    leave();
  }
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_stream_link(World& world, Server& server,
                                                                             Process& process, const cli::Route& route,
                                                                             const std::string& target) {
  process.pass_point();
  world.sleep(process.chance.between(1, 40));
  if (!server.is_up() || world.happens(Fault::connection_refused, process.chance))
    return unexpected(api::LinkRefusal{.code = "no_answer", .reason = "connection refused"});
  const std::string host = route.origin.substr(route.origin.find("//") + 2);
  api::WsCodec codec = api::WsCodec::client({.uri = "ws://" + host + target});
  const std::string head = codec.take_output();
  auto wire = std::make_shared<StreamWire>();
  wire->chance = Prng(process.chance.next());
  std::optional<api::LinkRefusal> refusal;
  server.upgrade(test::request_of_head(head), head, wire, [&](const api::HttpResponse& response) {
    refusal = api::refusal_of_upgrade("HTTP/1.1 " + std::to_string(response.status) + " x\r\nContent-Length: " +
                                      std::to_string(response.body.size()) + "\r\n\r\n" + response.body);
  });
  if (refusal) return unexpected(*refusal);
  if (wire->events == nullptr) return unexpected(api::LinkRefusal{.code = "no_answer", .reason = "the line broke"});
  wire->arrived = std::exchange(wire->end->waiting, {});  // the 101
  auto link = std::make_unique<StreamLink>(world, server, std::move(wire), std::move(codec));
  link->read();
  return std::unique_ptr<api::MessageLink>(std::move(link));
}

}  // namespace svc::vopr
