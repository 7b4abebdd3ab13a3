#include "vopr/stream_link.h"

#include <algorithm>
#include <utility>

namespace svc::vopr {

StreamLink::StreamLink(World& world, Server& server, std::shared_ptr<StreamWire> wire, api::WsCodec codec)
    : CodecLink(std::move(codec)), world_(world), server_(server), wire_(std::move(wire)) {}

StreamLink::~StreamLink() {
  server_.end_stream(*wire_);
}

void StreamLink::read() {
  if (is_over()) return;
  take_in(std::exchange(wire_->arrived, {}));
  if (wire_->is_cut || is_finished()) end_with("the line broke");
}

std::optional<api::LinkEvent> StreamLink::next(std::int64_t wait_ms) {
  const TimestampMs end_ms = world_.now_ms() + std::max<std::int64_t>(wait_ms, 1);
  while (true) {
    server_.pass_time();
    read();
    if (auto event = take_event()) return event;
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
  test::Handshake asked(route.origin, target);
  auto wire = std::make_shared<StreamWire>();
  wire->chance = Prng(process.chance.next());
  std::optional<api::LinkRefusal> refusal;
  server.upgrade(asked.request(), asked.head, wire,
                 [&](const api::HttpResponse& response) { refusal = test::refusal_in(response); });
  if (refusal) return unexpected(*refusal);
  if (wire->events == nullptr) return unexpected(api::LinkRefusal{.code = "no_answer", .reason = "the line broke"});
  wire->arrived = std::exchange(wire->end->waiting, {});  // the 101
  auto link = std::make_unique<StreamLink>(world, server, std::move(wire), std::move(asked.codec));
  link->read();
  return std::unique_ptr<api::MessageLink>(std::move(link));
}

}  // namespace svc::vopr
