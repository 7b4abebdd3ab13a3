// Simulated activity: bots, drills, price walks.

#include "base/decimal.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

constexpr std::int64_t walk_ms_max = day_ms;

// The price after a change by that percentage, on the grid.
Result<Ticks, ApiError> shocked(const engine::MarketSpec& spec, Ticks from, const std::string& percent) {
  constexpr int decimals = 4;
  const auto change = parse_scaled(percent, decimals);
  constexpr std::int64_t whole = 100 * 10'000;
  constexpr std::int64_t change_max = 10 * whole;
  if (!change || *change <= -whole || *change > change_max)
    return bad_body("shock is a number of per cent above -100 and at most 1000, with up to 4 decimals");
  const std::int64_t to = mul_div(from.value, whole + *change, whole, Rounding::half_up);
  if (to < 1 || Ticks{to} > spec.price_max)
    return refused(ErrorCode::invalid_price, "the price would leave what " + spec.id + " can have");
  return Ticks{to};
}

Answer<control::GetFlow> show_flow(const ControlledVenue& venue) {
  const FlowReport report = venue.flow.report(venue.clock.now_ms());
  control::FlowState state{.bots = report.bots};
  if (!report.drill.empty()) {
    state.drill = report.drill;
    state.drill_ends_ms = report.drill_ends_ms;
  }
  for (const Drill& drill : drills()) state.drills.push_back({std::string(drill.name), std::string(drill.summary)});
  if (report.tape) state.tape = control::TapeState{report.tape->played, report.tape->lines};
  if (const TapeRecorder* tape = venue.recorder)
    state.record = control::TapeRecord{tape->lines(), tape->problem() != nullptr};
  venue.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    for (const FlowReport::Bot& bot : report.cast)
      state.accounts.push_back({bot.name, "bot", bot.account, usdx_text(engine.account(bot.account).equity)});
  });
  return state;
}

Result<void, ApiError> set_bots(const ControlledVenue& venue, bool on) {
  std::vector<Unit> units;
  venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    venue.markets.each([&](engine::MarketIndex market, const engine::MarketSpec&) {
      if (!on || engine.market(market, now_ms).price_mode != engine::PriceMode::manual) return;
      units.push_back({.body = order_to_flow(StopWalk{market})});
      units.push_back({.body = CommandBody(engine::SetPriceMode{.market = market, .mode = engine::PriceMode::median})});
    });
  });
  units.push_back({.body = order_to_flow(SwitchBots{on})});
  if (const auto applied = venue.sequencer.submit_together(std::move(units)); !applied)
    return unexpected(refusal_of(applied.error()));
  return {};
}

// Why the drill cannot start; empty if it can.
std::string hindrance_of(const ControlledVenue& venue, const Drill& drill) {
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const std::size_t needed = drill.has_cast ? 2 : 0;
    for (std::size_t i = 0; i < needed; ++i) {
      const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
      if (i >= engine.market_count()) return std::string("the drill needs two markets");
      const engine::MarketFigures figures = engine.market(market, now_ms);
      // At less, its gaps leave the accounts of the drill with money, and they take the positions over.
      constexpr std::int64_t leverage_needed = 25;
      if (engine::leverage_ceiling(engine.spec(market)) < leverage_needed)
        return engine.spec(market).id + " allows no leverage of " + std::to_string(leverage_needed) +
               ": nobody would be insolvent, and nothing would halt";
      if (figures.status != engine::MarketStatus::active) return engine.spec(market).id + " is not open";
      if (figures.price_mode == engine::PriceMode::manual)
        return "the price of " + engine.spec(market).id + " was set by hand; switching the bots on again gives it back";
    }
    if (!drill.conditions.oracle) {
      bool ages = false;
      venue.markets.each([&](engine::MarketIndex market, const engine::MarketSpec& spec) {
        ages = ages || (spec.oracle_stale_after_ms != 0 &&
                        engine.market(market, now_ms).price_mode != engine::PriceMode::manual);
      });
      if (!ages)
        return std::string(
            "no market goes stale here: prices never do that were set by hand, or where the sandbox began "
            "without bots");
    }
    return std::string();
  });
}

Result<void, ApiError> start_drill(const ControlledVenue& venue, const std::string& name) {
  const Drill* drill = find_drill(name);
  if (drill == nullptr) return bad_body("the drills are " + drill_list() + ", not \"" + name + "\"");
  if (!venue.flow.bots()) return not_possible("a drill needs the bots: switch them on first (svc local flow bots)");
  const std::string hindrance = hindrance_of(venue, *drill);
  if (!hindrance.empty()) return not_possible(hindrance);
  SVC_TRY(apply_control(venue, order_to_flow(StartDrill{std::string(drill->name)})));
  return {};
}

// When this answers, leaving bots have left the book; starting bots resume control of prices set by hand.
Answer<control::ChangeFlow> change_flow(const ControlledVenue& venue, const control::FlowChange& wanted) {
  if (wanted.bots.has_value() == wanted.drill.has_value()) return bad_body("one of bots and drill is needed");
  SVC_TRY(wanted.drill ? start_drill(venue, *wanted.drill) : set_bots(venue, *wanted.bots));
  // Cancels the orders of leaving bots and funds new ones before the answer.
  venue.sequencer.pass_time();
  return show_flow(venue);
}

Answer<control::WalkPrice> walk_price(const ControlledVenue& venue, const control::WalkTerms& terms) {
  const auto market = SVC_TRY(market_named(venue.markets, terms.market_id));
  if (terms.to.has_value() == terms.shock.has_value()) return bad_body("one of to and shock is needed");
  if (terms.over_ms < second_ms || terms.over_ms > walk_ms_max)
    return bad_body("over_ms is from 1000 to " + std::to_string(walk_ms_max));
  SVC_TRY(check_open(venue, market));
  const engine::MarketSpec& spec = venue.markets.spec(market);
  const auto [from, now_ms] = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now) {
    return std::pair(engine.market(market, now).index.value_or(Ticks{}), now);
  });
  const auto to = SVC_TRY(terms.shock ? shocked(spec, from, terms.shock->text) : price_of(spec, *terms.to));
  const Walk walk{.from = from, .to = to, .begin_ms = now_ms, .end_ms = now_ms + terms.over_ms};
  SVC_TRY(apply_control(venue, order_to_flow(StartWalk{.market = market, .walk = walk})));
  return control::PriceWalk{spec.id, price_text(spec, walk.from), price_text(spec, walk.to), walk.begin_ms,
                            walk.end_ms};
}

}  // namespace

void bind_control_flow(ControlHandlers& handlers) {
  handlers.bind_all(show_flow, change_flow, walk_price);
}

}  // namespace svc::sim
