// What happens to the account while somebody types: fills, liquidations, halts, a lost stream.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "cli/environment.h"
#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"
#include "cli/watch/event_json.h"

namespace svc::cli {

struct Notice {
  std::string text;  // one line; empty if only the stream's life is told
  bool loud = false;
  bool changes_account = false;
  bool lost = false;  // the stream is gone; anything else says that it is there
};

// What a line of `svc watch` says to a person.
[[nodiscard]] Notice notice_of(const Json& line, LineRoom room = {});

// Follows the account's stream on a thread of its own until destroyed. What cannot be followed, because nobody is logged
// in or the server is gone, is tried again with everything looked up anew: a sandbox may come back elsewhere.
class Notices {
 public:
  Notices(const Environment& environment, const ShellState& state, std::function<void(const Notice&)> tell);
  ~Notices();
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

 private:
  void follow();
  void follow_once();

  const Environment& environment_;
  ShellState state_;
  Runner runner_;
  std::function<void(const Notice&)> tell_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace svc::cli
