#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace svc::sim {

// Runs tasks later, in real time, on a thread of its own, started on first use. Thread-safe.
class DelayLine {
 public:
  DelayLine();
  ~DelayLine();
  DelayLine(const DelayLine&) = delete;
  DelayLine& operator=(const DelayLine&) = delete;

  void after_ms(std::int64_t ms, std::function<void()> task);
  // Drops the tasks that wait, and all that come later.
  void end();

 private:
  struct Thread;
  std::mutex mutex_;
  std::unique_ptr<Thread> thread_;  // null after the end
};

}  // namespace svc::sim
