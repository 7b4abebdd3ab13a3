#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace svc::sim {

// Runs tasks later, in real time, on a thread of its own, started on first use. Tasks still waiting at the end are
// dropped. Thread-safe.
class DelayLine {
 public:
  DelayLine();
  ~DelayLine();
  DelayLine(const DelayLine&) = delete;
  DelayLine& operator=(const DelayLine&) = delete;

  void after_ms(std::int64_t ms, std::function<void()> task);

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace svc::sim
