// The sandbox's only clock: real, scaled or manual. Sessions, budgets, authentication windows and engine timestamps
// all read it, so moving it moves every timer.
//
// Invariant: now_ms() never goes back, whatever the machine's clock does and whatever is requested. Only
// follow_image() sets a manual clock back to the time of an image. Where it would have to go back, a running clock runs
// half as fast instead, until the machine's clock has caught up. (D-925)
//
// Safe to use from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "base/result.h"

namespace svc::limits {
inline constexpr std::int64_t clock_lead_ms = 100;  // real time that a scaled clock runs on while what is due is done
// So much longer a clock that follows a scaled one runs on than that was heard to.
inline constexpr std::int64_t clock_unheard_ms = 500;
// The least step of a scaled clock from one such pass to the next.
inline constexpr std::int64_t clock_step_ms = 60'000;
}  // namespace svc::limits

namespace svc::sim {

enum class ClockMode : std::uint8_t {
  real,    // follows the machine's clock
  scaled,  // runs `rate` times as fast as the machine's clock, or as fast as the machine can do what is due (D-870)
  manual,  // stopped until advanced or set
};

// How time passes. `rate` is used by scaled only: 1 ppm unit is a millionth of real speed.
struct ClockPace {
  ClockMode mode = ClockMode::real;
  Ppm rate{ppm_one};
};

// "real", "manual" or "xN" with N a decimal from 0.000001 to limits::clock_rate_max.
[[nodiscard]] Result<ClockPace, std::string> parse_clock_pace(std::string_view text);
[[nodiscard]] std::string to_string(const ClockPace& pace);

// A combined change: first the jump, then the pace.
struct ClockChange {
  std::optional<std::int64_t> advance_ms{};
  std::optional<TimestampMs> set_ms{};
  std::optional<ClockPace> pace{};
};

// How a clock runs from one instant on. Stored in this form (base/archive.h).
struct ClockAnchor {
  ClockPace pace{};
  TimestampMs machine_ms = 0;  // at this time of the machine ...
  TimestampMs sandbox_ms = 0;  // ... the sandbox showed this

  // For values read from a log.
  [[nodiscard]] bool is_valid() const;
};

class SandboxClock final : public Clock {
 public:
  // `machine` must outlive this. Without a start the sandbox begins at the machine's time.
  SandboxClock(const Clock& machine, ClockPace pace, std::optional<TimestampMs> start_ms = std::nullopt);

  [[nodiscard]] TimestampMs now_ms() const override {
    const std::lock_guard lock(mutex_);
    return now_locked();
  }
  [[nodiscard]] ClockPace pace() const { return copy_under(mutex_, anchor_.pace); }

  // The anchor after the change, so that it can be stored first. Changes nothing. Errors as for move().
  [[nodiscard]] Result<ClockAnchor, std::string> after(const ClockChange& change) const {
    const std::lock_guard lock(mutex_);
    return after_locked(change);
  }
  // As of now.
  [[nodiscard]] ClockAnchor anchor() const {
    const std::lock_guard lock(mutex_);
    const TimestampMs machine_ms = this->machine_ms();
    // A real clock that waits for the machine keeps the distance that it had.
    const bool is_real = anchor_.pace.mode == ClockMode::real;
    return {
        .pace = anchor_.pace, .machine_ms = machine_ms, .sandbox_ms = is_real ? shown_at(machine_ms) : now_locked()};
  }
  // As of the last change: the same until somebody changes the clock, or it had to wait.
  [[nodiscard]] ClockAnchor last_change() const { return copy_under(mutex_, anchor_); }
  void adopt(const ClockAnchor& anchor) {
    const std::lock_guard lock(mutex_);
    anchor_ = anchor;
  }
  // The same at a node that does not lead: a stopped clock shows the leader's instant, even if this one has passed it.
  void follow(const ClockAnchor& anchor) {
    const std::lock_guard lock(mutex_);
    if (anchor.pace.mode == ClockMode::manual) latest_ms_ = anchor.sandbox_ms;
    anchor_ = anchor;
  }
  // For a node that does not lead, where the sandbox goes by the clock of the leader's machine: how far the clock of
  // this machine is ahead of it. 0: the sandbox goes by this one.
  void set_ahead(std::int64_t ahead_ms) {
    const std::lock_guard lock(mutex_);
    ahead_ms_ = ahead_ms;
  }
  // After a restart: as D-019 says, and never before `last_ms`.
  void resume(const ClockAnchor& kept, TimestampMs last_ms);

  // A scaled clock that leads may have had to wait: its last change, and what it shows. What comes late changes
  // nothing.
  void follow_wait(const ClockAnchor& last_change, TimestampMs shown_ms) {
    const std::lock_guard lock(mutex_);
    const bool is_same = last_change.pace.mode == anchor_.pace.mode && last_change.pace.rate == anchor_.pace.rate;
    if (!is_same || anchor_.pace.mode != ClockMode::scaled || last_change.sandbox_ms < anchor_.sandbox_ms) return;
    anchor_ = last_change;
    told_ms_ = std::max(told_ms_, shown_ms);
  }
  // What the leader wrote is word of its clock, too.
  void heard(TimestampMs leader_ms) {
    const std::lock_guard lock(mutex_);
    told_ms_ = std::max(told_ms_, leader_ms);
  }

  // For a node that leads from now on: what is written next is not before that.
  void never_before(TimestampMs ms) {
    const std::lock_guard lock(mutex_);
    latest_ms_ = std::max(latest_ms_, ms);
  }

  // Works at any pace, and returns the new time. Errors: a negative step, a time already past, more than
  // limits::clock_jump_ms_max at once (every hour in between is simulated), a time beyond limits::clock_ms_max.
  //
  // A new pace continues from the present instant. Real also catches up with the machine's time if that is ahead,
  // because clients sign with it. (D-261)
  [[nodiscard]] Result<TimestampMs, std::string> move(const ClockChange& change) {
    const std::lock_guard lock(mutex_);
    anchor_ = SVC_TRY(after_locked(change));
    return now_locked();
  }

  // Around doing what is due by now. A scaled clock waits if that takes longer than limits::clock_lead_ms, and goes on
  // from there: what is due next would otherwise take longer each time. (D-870) Until the next pass it moves only a
  // step: writers wait while a pass does what is due, and a long step makes a long pass. (D-1058)
  //
  // A node that follows lets its clock wait for the leader's alone; see follow_wait().
  enum class Waits : std::uint8_t { for_itself, for_leader };
  void begin_pass(Waits waits = Waits::for_itself) {
    const std::lock_guard lock(mutex_);
    pass_ms_.reset();  // one that an exception ended
    const TimestampMs now = now_locked();
    is_held_ = now >= held_at_ms();
    passed_ms_ = now;
    waits_ = waits;
    if (waits == Waits::for_itself) pass_ms_ = this->machine_ms();
  }
  void end_pass() {
    const std::lock_guard lock(mutex_);
    const std::int64_t took_ms = pass_ms_ ? this->machine_ms() - *pass_ms_ : 0;
    const bool took_long = took_ms > limits::clock_lead_ms;
    const bool is_scaled = anchor_.pace.mode == ClockMode::scaled;
    const TimestampMs now = now_locked();
    pass_ms_.reset();
    if (!is_scaled) return;
    if (took_long) {
      anchor_at(now);  // before the step gets smaller: what the clock has shown stays within it
      step_ms_ = std::max(limits::clock_step_ms, step_ms_ * limits::clock_lead_ms / took_ms);
    } else if (is_held_) {
      step_ms_ = std::min(2 * step_ms_, limits::clock_jump_ms_max);
    }
  }

  // Follows a restored image to its instant. A manual clock goes there, also back; a running one only forward,
  // because clients sign with the time. (D-022)
  void follow_image(TimestampMs instant_ms) {
    const std::lock_guard lock(mutex_);
    const TimestampMs now = now_locked();
    if (anchor_.pace.mode == ClockMode::manual) latest_ms_ = instant_ms;
    if (anchor_.pace.mode == ClockMode::manual || instant_ms > now) anchor_at(instant_ms);
  }

 private:
  // The machine's clock was set back, or a log is ahead of it.
  struct Behind {
    TimestampMs machine_ms = 0;  // when that was found ...
    TimestampMs sandbox_ms = 0;  // ... the sandbox showed this
    TimestampMs seen_ms = 0;     // the machine's time at the last look
  };

  [[nodiscard]] TimestampMs machine_ms() const { return machine_.now_ms() - ahead_ms_; }
  [[nodiscard]] TimestampMs now_locked() const;
  // By the anchor alone.
  [[nodiscard]] TimestampMs shown_at(TimestampMs machine_ms) const;
  [[nodiscard]] std::int64_t rate() const;
  // Of the machine, as far as a scaled clock follows it.
  [[nodiscard]] TimestampMs followed_ms() const {
    const TimestampMs machine_ms = this->machine_ms();
    return pass_ms_ ? std::min(machine_ms, *pass_ms_ + limits::clock_lead_ms) : machine_ms;
  }
  // What a scaled clock shows at most before the next pass.
  [[nodiscard]] TimestampMs held_at_ms() const;
  [[nodiscard]] Result<ClockAnchor, std::string> after_locked(const ClockChange& change) const;
  void anchor_at(TimestampMs sandbox_ms) {
    anchor_.machine_ms = machine_ms();
    anchor_.sandbox_ms = sandbox_ms;
    latest_ms_ = std::max(latest_ms_, sandbox_ms);
  }

  const Clock& machine_;
  mutable Ranked<LockRank::clock> mutex_;
  std::int64_t ahead_ms_ = 0;  // how far this machine's clock is ahead of that of the node that leads
  ClockAnchor anchor_;
  std::optional<TimestampMs> pass_ms_;  // of the machine: when the pass under way began
  TimestampMs passed_ms_ = 0;           // what the clock showed when the last pass began
  bool is_held_ = false;                // it had moved a whole step by then
  Waits waits_ = Waits::for_itself;
  TimestampMs told_ms_ = 0;  // what the clock of the leader showed when it was heard of last
  std::int64_t step_ms_ = limits::clock_step_ms;
  mutable TimestampMs latest_ms_ = 0;  // the highest time ever returned
  mutable std::optional<Behind> behind_;
};

}  // namespace svc::sim
