// Where the exchange's events wait until the streams take them: the only part of the streams that the
// writer ever meets. It copies what somebody may want to hear and goes on.
//
// Bounded: if the streams fall behind by more than limits::stream_intake_events_max, everything that waits is
// forgotten, and the streams are told so.
//
// Thread-safe: one lock, held while events are copied or handed over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/follower.h"

namespace svc::sim {

struct Happened {
  Stamp stamp;
  engine::Event event;
};

class EventIntake {
 public:
  explicit EventIntake(std::size_t capacity = limits::stream_intake_events_max) : capacity_(capacity) {}

  void follow(const Stamp& stamp, std::span<const engine::Event> events);

  // Replaces `into` by what waits, oldest first. False: before it, events were forgotten.
  [[nodiscard]] bool take(std::vector<Happened>& into);

  // Everything that waits is forgotten, as if there had been too much of it.
  void forget();

  // Returns when something waits, or at the end.
  void wait(const std::stop_token& stop);

 private:
  const std::size_t capacity_;
  Ranked<LockRank::intake> mutex_;
  std::condition_variable_any arrived_;
  std::vector<Happened> waiting_;
  bool forgot_ = false;
};

}  // namespace svc::sim
