#include "sim/sequencer/schedule.h"

#include <algorithm>

#include "base/assert.h"

namespace svc::sim {
namespace {

constexpr TimestampMs boundary_after(TimestampMs at_ms, std::int64_t period_ms) {
  return (at_ms / period_ms + 1) * period_ms;
}

}  // namespace

Schedule::Schedule(const engine::Engine& engine, TimestampMs start_ms)
    : sample_ms_(engine.spec({}).funding_sample_ms),
      settle_ms_(engine.spec({}).funding_interval_ms),
      next_sample_ms_(boundary_after(start_ms, sample_ms_)),
      next_settle_ms_(boundary_after(start_ms, settle_ms_)) {
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    const engine::MarketSpec& spec = engine.spec({static_cast<std::uint16_t>(i)});
    SVC_ASSERT(spec.funding_sample_ms == sample_ms_ && spec.funding_interval_ms == settle_ms_);
  }
}

std::optional<Schedule::Due> Schedule::next(const engine::Engine& engine, TimestampMs now_ms) const {
  const TimestampMs timer = engine.next_timer_ms().value_or(now_ms + 1);
  const TimestampMs at_ms = std::min({timer, next_sample_ms_, next_settle_ms_});
  if (at_ms > now_ms) return std::nullopt;
  if (at_ms == timer) return Due{at_ms, engine::PassTime{}};
  if (at_ms == next_sample_ms_) return Due{at_ms, engine::SampleFunding{}};
  return Due{at_ms, engine::SettleFunding{}};
}

bool Schedule::fits(TimestampMs last_ms) const {
  const auto is_next = [&](TimestampMs next_ms, std::int64_t period_ms) {
    return next_ms % period_ms == 0 && next_ms >= last_ms && next_ms - last_ms <= period_ms;
  };
  return is_next(next_sample_ms_, sample_ms_) && is_next(next_settle_ms_, settle_ms_);
}

void Schedule::done(const Due& due) {
  if (std::holds_alternative<engine::SampleFunding>(due.body)) next_sample_ms_ += sample_ms_;
  if (std::holds_alternative<engine::SettleFunding>(due.body)) next_settle_ms_ += settle_ms_;
}

}  // namespace svc::sim
