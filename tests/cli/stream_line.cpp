#include "cli/stream_line.h"

#include <algorithm>

namespace svc::cli {

StreamLine::StreamLine(ClientMachine& machine, api::WsCodec codec) : CodecLink(std::move(codec)), machine_(machine) {
  machine_.streams.push_back(this);
}

StreamLine::~StreamLine() {
  std::erase(machine_.streams, this);
  if (events) events->closed();
}

void StreamLine::cut() {
  if (is_over()) return;
  if (auto gone = std::exchange(events, nullptr)) gone->closed();
  end_with("the connection was cut");
}

void StreamLine::read() {
  if (is_over()) return;
  take_in(std::exchange(end->waiting, {}));
  if (end->is_closed || is_finished()) cut();
}

std::optional<api::LinkEvent> StreamLine::next(std::int64_t wait_ms) {
  for (;;) {
    machine_.sandbox.pass_time();
    read();
    if (auto event = take_event()) return event;
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
  test::Handshake asked(origin, target);
  auto line = std::make_unique<StreamLine>(machine, std::move(asked.codec));
  ++machine.streams_opened;
  std::optional<api::LinkRefusal> refusal;
  machine.sandbox.upgrade(asked.request(), asked.head,
                          {.refuse = [&](const api::HttpResponse& response) { refusal = test::refusal_in(response); },
                           .accept = [&](const sim::StreamOpened& opened) { line->events = opened(line->end); }});
  if (refusal) return unexpected(*refusal);
  line->read();  // the 101 response
  return std::unique_ptr<api::MessageLink>(std::move(line));
}

}  // namespace svc::cli
