// Does things later, in real time, on a thread of its own: answers that a fault holds back must not hold
// the thread that carries other people's answers.
//
// Thread-safe. The thread exists from the first use on. What is still waiting at the end is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace svc::sim {

class DelayLine {
 public:
  DelayLine();
  ~DelayLine();
  DelayLine(const DelayLine&) = delete;
  DelayLine& operator=(const DelayLine&) = delete;

  // Calls `task` on the line's thread when so much time has passed.
  void after_ms(std::int64_t ms, std::function<void()> task);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::sim
