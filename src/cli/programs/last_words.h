// What a signal that ends this process says first: a request is on its way, and nobody would know of it.
#pragma once

#include <array>
#include <string>

#include <signal.h>

namespace svc::cli {

struct LastWords {
  std::string interrupted_err, interrupted_out;  // SIGINT: for standard error and standard output
  std::string terminated_err, terminated_out;    // SIGTERM, SIGHUP
};

// While it lives, SIGINT, SIGTERM and SIGHUP say these words and then end the process as they would have. A signal that
// somebody handles or ignores already is left alone. Of several the newest speaks, and they go in the reverse order.
class SaysLastWords {
 public:
  explicit SaysLastWords(LastWords words);
  ~SaysLastWords();
  SaysLastWords(const SaysLastWords&) = delete;
  SaysLastWords& operator=(const SaysLastWords&) = delete;

 private:
  static constexpr std::array<int, 3> signals_{SIGINT, SIGTERM, SIGHUP};
  LastWords words_;
  const LastWords* before_ = nullptr;
  std::array<bool, 3> taken_{};
};

}  // namespace svc::cli
