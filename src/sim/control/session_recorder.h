// Records what happens in an exchange, between start() and stop(), to be written as a scenario. Costs one check of
// a flag while nothing is recorded.
#pragma once

#include "base/result.h"
#include "sim/scenario/session.h"
#include "sim/sequencer/schedule.h"
#include "sim/sequencer/sequencer.h"

namespace svc::sim {

// follow() and witness() are called on the writer's thread; the rest under Sequencer::read, where nobody writes.

class SessionRecorder final : public Follower, public CommandWitness {
 public:
  // The error is one sentence, and then nothing is recorded.
  [[nodiscard]] Result<void, std::string> start(const engine::Engine& engine, TimestampMs now_ms) {
    if (session_) return unexpected("a session is being recorded already");
    if (auto obstacle = scenario::Session::obstacle(engine, now_ms)) return unexpected(std::move(*obstacle));
    session_ = std::make_unique<scenario::Session>(engine, now_ms);
    pending_ms_.reset();
    return {};
  }
  // Ends the recording and returns it; nullptr if there was none.
  [[nodiscard]] std::unique_ptr<scenario::Session> stop(const engine::Engine& engine) {
    if (!session_) return nullptr;
    settle_pending();
    session_->end(engine);
    return std::move(session_);
  }
  // The whole state is about to be replaced.
  void break_off() {
    if (session_) session_->spoil("the sandbox became another state in between");
  }

  // What is being recorded; nullptr: nothing.
  [[nodiscard]] const scenario::Session* session() const { return session_.get(); }

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override {
    if (!session_) return;
    settle_pending();
    pending_ms_ = stamp.at_ms;
    pending_.assign(events.begin(), events.end());
  }
  void witness(const engine::Command& command, const engine::Outcome& outcome) override {
    if (!session_) return;
    pending_ms_.reset();
    session_->add(command, outcome, pending_);
  }

 private:
  // Events arrive before it is known whether somebody sent the command.
  void settle_pending() {
    if (pending_ms_) session_->pass(*pending_ms_, pending_);
    pending_ms_.reset();
  }

  std::unique_ptr<scenario::Session> session_;
  std::optional<TimestampMs> pending_ms_;
  std::vector<engine::Event> pending_;
};

}  // namespace svc::sim
