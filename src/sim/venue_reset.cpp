// Back to the beginning: what a sandbox of these options is when it starts, at the present time of the clock.
#include "base/assert.h"
#include "sim/gateway/handlers/refusal_translation.h"
#include "sim/venue.h"

namespace svc::sim {
namespace {

engine::OracleTick prices_of(const engine::Engine& engine, TimestampMs now_ms) {
  engine::OracleTick tick;
  for (std::size_t i = 0; i < engine.market_count(); ++i) {
    const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
    const engine::MarketFigures figures = engine.market(market, now_ms);
    if (figures.status == engine::MarketStatus::delisted || !figures.index || !figures.mark) continue;
    // What follows the index goes on doing so.
    const bool by_hand = figures.price_mode == engine::PriceMode::manual;
    tick.prices.push_back({.market = market, .index = *figures.index, .mark = by_hand ? figures.mark : std::nullopt});
  }
  return tick;
}

}  // namespace

Result<void, api::ApiError> Venue::reset(ResetScope scope) {
  SandboxOptions options = options_;
  options.state_folder.clear();
  options.dump_file.clear();
  options.record_file.clear();
  options.clock = {ClockMode::manual};
  options.clock_given = true;
  options.start_at_ms = clock_.now_ms();
  const ManualClock now(clock_.now_ms());
  auto fresh = Venue::open(std::move(options), now);
  if (!fresh) return unexpected(api::ApiError(api::ErrorCode::unprocessable, fresh.error()));
  std::vector<engine::OracleTick> prices;
  for (const Seat& seat : seats_) prices.push_back(seat.exchange->sequencer().read(prices_of));
  SVC_TRY(become((*fresh)->image()));
  if (scope == ResetScope::all) return {};
  const auto here = turnstile_.share();
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const auto applied = seats_[i].exchange->sequencer().submit(prices[i]);
    if (!applied) return unexpected(refusal_of(applied.error()));
  }
  return {};
}

}  // namespace svc::sim
