// Real time by which every answer is held back: `base_ms`, and up to `jitter_ms` more or less.
#pragma once

#include <cstdint>

namespace svc::sim {

struct AnswerLatency {
  std::int64_t base_ms = 0;
  std::int64_t jitter_ms = 0;
};

}  // namespace svc::sim
