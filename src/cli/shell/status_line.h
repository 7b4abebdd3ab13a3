// The status line of a shell: the account's figures and the remaining request budget.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "cli/client/watch_loop.h"
#include "cli/shell/shell.h"
#include "cli/store/network.h"

namespace svc::cli {

struct Budget {
  std::string label;  // R, T, C, WS
  std::int64_t remaining = 0;
  std::int64_t limit = 0;
};

struct StatusFacts {
  std::optional<std::string> equity;           // USDX, digits as received
  std::optional<std::string> available;        // USDX
  std::optional<std::int64_t> margin_percent;  // initial margin over equity, rounded up
  std::optional<std::int64_t> open_orders;
  std::vector<Budget> budgets;
  std::optional<std::int64_t> skew_ms;
  std::optional<bool> cancels_on_disconnect;
  std::optional<TimestampMs> sandbox_now_ms;  // if the sandbox has a clock of its own
  std::optional<TimestampMs> read_ms;         // when the account was last read
  std::optional<TimestampMs> stream_ms;       // when the stream last sent anything
  std::optional<std::string> account;         // the acting one
};

// From the envelope of `account state`; figures that it lacks keep their values.
void take_account(StatusFacts& facts, const Json& envelope);

// At most that many columns; the least important parts are dropped first.
[[nodiscard]] std::string status_text(const StatusFacts& facts, TimestampMs now_ms, std::size_t columns);

// "local 0x71c7...976f BTC> ": red for real funds, yellow for unknown, green for play, cyan for local.
enum class Colors : std::uint8_t { on, off };
[[nodiscard]] std::string prompt_text(const Network& network, const std::optional<std::string>& account,
                                      const ShellState& state, Colors colors);

// Refreshes in the background what a shell shows of the account: the status line, and the words for completion.
//
// It runs the same commands as the user, at the same cost: about one request a second, and none while nobody types.

class AccountPoller {
 public:
  // `changed` is called on the poller's own thread.
  AccountPoller(const Environment& environment, const ShellState& state, RunLine run_line,
                std::function<void()> changed);

  // Reads now, because a command has changed something or the user is back.
  void poll_now() {
    {
      const std::lock_guard lock(mutex_);
      due_ = true;
    }
    wake_.notify_all();
  }
  // Reads and waits for it, on any thread. `rate` is the value of --rate: whether it
  // also waits for rate limits.
  void read_account(const std::string& rate = "fail");
  [[nodiscard]] Known known() const { return copy_of(known_); }
  [[nodiscard]] StatusFacts facts() const { return copy_of(facts_); }
  // The stream sent something at that time.
  void heard(TimestampMs at_ms) {
    const std::lock_guard lock(mutex_);
    facts_.stream_ms = at_ms;
  }

 private:
  template <class Member>
  [[nodiscard]] Member copy_of(const Member& member) const {
    const std::lock_guard lock(mutex_);
    return member;
  }
  void poll_loop(const std::stop_token& stop);
  // The document that the line prints; null if it prints none.
  [[nodiscard]] Json ask(const std::vector<std::string>& words, const std::string& rate = "fail") const;
  void read_markets();

  const Environment& environment_;
  ShellState state_;  // a copy: the shell's own state changes concurrently
  Runner runner_;
  std::function<void()> changed_;

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  bool due_ = true;  // this and the members below are guarded by mutex_
  Known known_;
  StatusFacts facts_;
  std::jthread thread_;  // the last member: it ends before the others
};

// Account events shown while the user types: fills, liquidations, a lost stream.

struct Notice {
  std::string text;  // one line; empty for a sign of life of the stream
  bool loud = false;
  bool changes_account = false;
  bool lost = false;  // the stream is lost; any other notice means that it is there
};

// The notice for a line of `svc watch`.
[[nodiscard]] Notice notice_of(const Json& line, const LineRoom& room = {});

// Follows the account's stream on its own thread until destroyed. If that fails, because nobody is logged in or the
// server is gone, it tries again with everything looked up anew: a sandbox may come back at another address.
class Notices {
 public:
  // Both functions are called on its thread.
  Notices(const Environment& environment, const ShellState& state, RunLine run_line, std::function<LineRoom()> room,
          std::function<void(const Notice&)> tell);
  Notices(Notices&&) = delete;  // its thread knows where it is

 private:
  void follow(const std::stop_token& stop);
  void follow_once(const std::stop_token& stop);

  ShellState state_;
  Runner runner_;
  std::function<LineRoom()> room_;
  std::function<void(const Notice&)> tell_;
  std::jthread thread_;  // as above
};

}  // namespace svc::cli
