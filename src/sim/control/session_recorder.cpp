#include "sim/control/session_recorder.h"

namespace svc::sim {

Result<void, std::string> SessionRecorder::start(const engine::Engine& engine, TimestampMs now_ms) {
  if (session_) return unexpected(std::string("a session is being recorded already"));
  if (auto obstacle = scenario::Session::obstacle(engine, now_ms)) return unexpected(std::move(*obstacle));
  session_ = std::make_unique<scenario::Session>(engine, now_ms);
  pending_ms_.reset();
  return {};
}

std::unique_ptr<scenario::Session> SessionRecorder::stop(const engine::Engine& engine) {
  if (!session_) return nullptr;
  settle_pending();
  session_->end(engine);
  return std::move(session_);
}

void SessionRecorder::break_off() {
  if (session_) session_->spoil("the sandbox became another state in between");
}

SessionRecorder::Progress SessionRecorder::progress() const {
  if (!session_) return {};
  return {.recording = true, .steps = session_->steps(), .spoiled = session_->spoiled()};
}

void SessionRecorder::settle_pending() {
  if (pending_ms_) session_->pass(*pending_ms_, pending_);
  pending_ms_.reset();
}

void SessionRecorder::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  if (!session_) return;
  settle_pending();
  pending_ms_ = stamp.at_ms;
  pending_.assign(events.begin(), events.end());
}

void SessionRecorder::witness(const engine::Command& command, const engine::Outcome& outcome) {
  if (next_ != nullptr) next_->witness(command, outcome);
  if (!session_) return;
  pending_ms_.reset();
  session_->add(command, outcome, pending_);
}

}  // namespace svc::sim
