#include "sim/sequencer/sandbox_clock.h"

#include <algorithm>

#include "base/limits.h"
#include "sim/sequencer/unit.h"

namespace svc::sim {

Result<ClockPace, std::string> parse_clock_pace(std::string_view text) {
  if (text == "real") return ClockPace{ClockMode::real};
  if (text == "manual") return ClockPace{ClockMode::manual};
  const std::string expected = "the clock is real, manual or xN (N from 0.000001 to " +
                               std::to_string(limits::clock_rate_max) + "), not \"" + std::string(text) + "\"";
  if (!text.starts_with('x')) return unexpected(expected);
  const auto rate = parse_scaled(text.substr(1), 6);
  if (!rate || *rate < 1 || *rate > limits::clock_rate_max * ppm_one) return unexpected(expected);
  return ClockPace{ClockMode::scaled, Ppm{*rate}};
}

std::string to_string(const ClockPace& pace) {
  if (pace.mode == ClockMode::scaled) return "x" + format_scaled(pace.rate.value, 6);
  return pace.mode == ClockMode::real ? "real" : "manual";
}

namespace {

TimestampMs run_on(TimestampMs from_ms, std::int64_t elapsed_ms, std::int64_t rate_ppm) {
  const i128 passed = div_round(static_cast<i128>(elapsed_ms) * rate_ppm, ppm_one, Rounding::down);
  return narrow(std::min<i128>(from_ms + passed, limits::clock_ms_max));
}

}  // namespace

bool ClockAnchor::is_valid() const {
  const bool runs =
      pace.mode != ClockMode::scaled || (pace.rate.value >= 1 && pace.rate.value <= limits::clock_rate_max * ppm_one);
  return runs && is_log_time(machine_ms) && is_log_time(sandbox_ms);
}

SandboxClock::SandboxClock(const Clock& machine, ClockPace pace, std::optional<TimestampMs> start_ms)
    : machine_(machine), anchor_{.pace = pace} {
  anchor_at(start_ms.value_or(machine_ms()));
}

Result<ClockAnchor, std::string> SandboxClock::after_locked(const ClockChange& change) const {
  const TimestampMs now = now_locked();
  TimestampMs target = now;
  if (change.advance_ms) {
    if (*change.advance_ms < 0) return unexpected(std::string("time cannot go back: advance_ms must not be negative"));
    const bool fits = *change.advance_ms <= limits::clock_ms_max - now;
    target = fits ? now + *change.advance_ms : limits::clock_ms_max + 1;
  }
  if (change.set_ms) {
    target = *change.set_ms;
    if (target < now)
      return unexpected("time cannot go back: set_ms must not be before now (" + std::to_string(now) + ")");
  }
  const ClockPace pace = change.pace.value_or(anchor_.pace);
  const TimestampMs machine_ms = pace.mode == ClockMode::scaled ? followed_ms() : this->machine_ms();
  if (change.pace && pace.mode == ClockMode::real) target = std::max(target, machine_ms);
  if (target > limits::clock_ms_max) return unexpected(std::string("time would pass the year 9999"));
  if (target - now > limits::clock_jump_ms_max)
    return unexpected("time moves at most " + std::to_string(limits::clock_jump_ms_max / day_ms) + " days at once");
  return ClockAnchor{.pace = pace, .machine_ms = machine_ms, .sandbox_ms = target};
}

void SandboxClock::resume(const ClockAnchor& kept, TimestampMs last_ms) {
  const std::lock_guard lock(mutex_);
  latest_ms_ = last_ms;
  anchor_ = kept;
  if (kept.pace.mode != ClockMode::real)
    anchor_ = {.pace = kept.pace, .machine_ms = machine_ms(), .sandbox_ms = std::max(kept.sandbox_ms, last_ms)};
}

TimestampMs SandboxClock::now_locked() const {
  const bool is_scaled = anchor_.pace.mode == ClockMode::scaled;
  const TimestampMs machine_ms = is_scaled ? followed_ms() : this->machine_ms();
  const TimestampMs most_ms = is_scaled ? held_at_ms() : limits::clock_ms_max;
  TimestampMs now = std::min(shown_at(machine_ms), most_ms);
  if (now >= latest_ms_ || anchor_.pace.mode == ClockMode::manual) {
    behind_.reset();
  } else {
    // A larger step forward is a correction of the machine's clock, not time that passed.
    constexpr std::int64_t step_ms = minute_ms;
    if (!behind_ || machine_ms < behind_->seen_ms || machine_ms > behind_->seen_ms + step_ms)
      behind_ = Behind{.machine_ms = machine_ms, .sandbox_ms = latest_ms_, .seen_ms = machine_ms};
    behind_->seen_ms = machine_ms;
    now = std::max(now, std::min(run_on(behind_->sandbox_ms, machine_ms - behind_->machine_ms, rate() / 2), most_ms));
  }
  latest_ms_ = std::max(latest_ms_, now);
  return latest_ms_;
}

TimestampMs SandboxClock::held_at_ms() const {
  if (waits_ == Waits::for_itself) return std::max(passed_ms_, anchor_.sandbox_ms) + step_ms_;
  return run_on(std::max(told_ms_, anchor_.sandbox_ms), limits::clock_unheard_ms, rate());
}

TimestampMs SandboxClock::shown_at(TimestampMs machine_ms) const {
  return run_on(anchor_.sandbox_ms, machine_ms - anchor_.machine_ms, rate());
}

std::int64_t SandboxClock::rate() const {
  switch (anchor_.pace.mode) {
    case ClockMode::manual: return 0;
    case ClockMode::scaled: return anchor_.pace.rate.value;
    case ClockMode::real: break;
  }
  return ppm_one;
}

}  // namespace svc::sim
