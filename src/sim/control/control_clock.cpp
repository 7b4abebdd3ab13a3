// Changes of time, prices, play money and markets.
#include <algorithm>

#include "base/decimal.h"
#include "base/limits.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

// "scaled" needs a rate, the other modes take none.
Result<ClockPace, ApiError> pace_of(control::ClockMode mode, const std::optional<control::TypedDecimal>& rate) {
  if (mode != control::ClockMode::scaled) {
    if (rate) return bad_body("rate goes with mode scaled only");
    return *parse_clock_pace(api::to_string(mode));
  }
  const auto pace = rate ? parse_clock_pace("x" + rate->text) : parse_clock_pace("");
  if (!pace) return bad_body("rate is a number from 0.000001 to " + std::to_string(limits::clock_rate_max));
  return *pace;
}

Answer<control::MoveTime> move_time(const ControlledVenue& venue, const control::TimeChange& wanted) {
  if (wanted.advance_ms && wanted.set_ms) return bad_body("advance_ms and set_ms exclude each other");
  if (!wanted.mode && !wanted.advance_ms && !wanted.set_ms)
    return bad_body("one of mode, advance_ms and set_ms is needed");
  if (!wanted.mode && wanted.rate) return bad_body("rate goes with mode scaled only");
  ClockChange change{.advance_ms = wanted.advance_ms, .set_ms = wanted.set_ms};
  if (wanted.mode) change.pace = SVC_TRY(pace_of(*wanted.mode, wanted.rate));
  SVC_TRY(venue.move_clock(change));
  return time_of(venue);
}

Answer<control::SetPrices> set_prices(const ControlledVenue& venue, const control::Prices& wanted) {
  if (wanted.by_market.empty()) return bad_body("at least one market is needed");
  engine::OracleTick tick;
  control::PricesSet set;
  for (const auto& [id, typed] : wanted.by_market) {
    const auto market = SVC_TRY(market_named(venue.markets, id));
    const engine::MarketSpec& spec = venue.markets.spec(market);
    const auto price = SVC_TRY(price_of(spec, typed));
    tick.prices.push_back({.market = market, .index = price, .mark = price});
  }
  static_cast<control::Moment&>(set) = moment_of(SVC_TRY(set_by_hand(venue, tick)));
  for (const auto& [market, index, mark] : tick.prices) {
    const engine::MarketSpec& spec = venue.markets.spec(market);
    const Ticks present = figures_of(venue, market).mark.value_or(index);
    set.prices.emplace_back(spec.id, price_text(spec, present));
  }
  return set;
}

Answer<control::Fund> fund(const ControlledVenue& venue, const control::Grant& grant) {
  const auto amount = SVC_TRY(amount_of(grant.amount));
  const auto applied = SVC_TRY(apply_control(
      venue, engine::Deposit{.account = grant.account, .amount = amount, .kind = engine::FundsKind::operator_grant}));
  return control::Granted{moment_of(applied), grant.account, usdx_text(amount), usdx_text(applied.outcome.balance)};
}

Answer<control::FundInsurance> fund_insurance(const ControlledVenue& venue, const control::InsuranceGrant& grant) {
  const auto amount = SVC_TRY(amount_of(grant.amount));
  const auto applied = SVC_TRY(apply_control(venue, engine::FundInsurance{.amount = amount}));
  const auto fund = venue.sequencer.read(
      [](const engine::Engine& engine, TimestampMs) { return format_usdx(engine.venue().insurance_fund); });
  return control::InsuranceGranted{moment_of(applied), usdx_text(amount), DecimalText(fund)};
}

Result<control::MarketMoved, ApiError> move_market(const ControlledVenue& venue, engine::MarketIndex market,
                                                   CommandBody command) {
  const auto applied = SVC_TRY(apply_control(venue, std::move(command)));
  const std::string status(to_string(figures_of(venue, market).status));
  return control::MarketMoved{moment_of(applied), venue.markets.spec(market).id, status};
}

Answer<control::HaltMarket> halt(const ControlledVenue& venue, const control::HaltTerms& terms) {
  const auto market = SVC_TRY(market_named(venue.markets, terms.market_id));
  if (terms.reason.empty() || terms.reason.size() > limits::halt_reason_chars_max)
    return bad_body("reason takes 1 to " + std::to_string(limits::halt_reason_chars_max) + " bytes");
  return move_market(venue, market, engine::HaltMarket{.market = market, .reason = terms.reason});
}

// A market that an operator may resume or settle.
Result<engine::MarketIndex, ApiError> market_of_operator(const ControlledVenue& venue, const std::string& id) {
  if (!venue.operator_exits)
    return refused(ErrorCode::forbidden, "started with --no-operator: a halted market stays halted");
  const auto market = SVC_TRY(market_named(venue.markets, id));
  if (figures_of(venue, market).status == engine::MarketStatus::delisted)
    return refused(ErrorCode::market_not_halted, "the market is delisted, for good");
  return market;
}

Answer<control::ResumeMarket> resume(const ControlledVenue& venue, const control::ResumeTerms& terms) {
  const auto market = SVC_TRY(market_of_operator(venue, terms.market_id));
  engine::ResumeMarket command{.market = market, .inject = {}};
  if (terms.inject) command.inject = SVC_TRY(amount_of(*terms.inject));
  return move_market(venue, market, command);
}

Answer<control::SettleMarket> settle(const ControlledVenue& venue, const control::SettleTerms& terms) {
  const auto market = SVC_TRY(market_of_operator(venue, terms.market_id));
  const auto price = SVC_TRY(price_of(venue.markets.spec(market), terms.price));
  return move_market(venue, market, engine::SettleMarket{.market = market, .price = price});
}

}  // namespace

void bind_control_clock(ControlHandlers& handlers) {
  handlers.bind<control::GetTime>(time_of);
  handlers.bind_all(move_time, set_prices, fund, fund_insurance, halt, resume, settle);
}

Result<Applied, ApiError> apply_control(const ControlledVenue& venue, UnitBody command) {
  auto applied = venue.sequencer.submit(std::move(command));
  if (!applied) return unexpected(refusal_of(applied.error()));
  if (!applied->outcome.ok()) return unexpected(refusal_of(applied->outcome.reject));
  if (!applied->value) return unexpected(std::move(applied->value.error()));
  return std::move(*applied);
}

Result<void, ApiError> check_open(const ControlledVenue& venue, engine::MarketIndex market) {
  const engine::MarketStatus status = figures_of(venue, market).status;
  if (status == engine::MarketStatus::active) return {};
  const std::string state = status == engine::MarketStatus::delisted ? " is delisted" : " is halted";
  return refused(ErrorCode::market_halted, venue.markets.spec(market).id + state + ": its prices stand still");
}

Result<Applied, ApiError> set_by_hand(const ControlledVenue& venue, engine::OracleTick tick, std::vector<Unit> units) {
  for (const engine::OracleTick::Price& price : tick.prices)
    units.push_back({.body = order_to_flow(StopWalk{price.market})});
  units.push_back({.body = CommandBody(std::move(tick))});
  auto applied = venue.sequencer.submit_together(std::move(units));
  if (!applied) return unexpected(refusal_of(applied.error()));
  if (!applied->back().outcome.ok()) return unexpected(refusal_of(applied->back().outcome.reject));
  return std::move(applied->back());
}

engine::MarketFigures figures_of(const ControlledVenue& venue, engine::MarketIndex market) {
  return venue.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs now_ms) { return engine.market(market, now_ms); });
}

control::Moment moment_of(const Applied& applied) {
  return {.now_ms = applied.at_ms, .sequence = applied.outcome.sequence.value};
}

control::Moment moment_now(const ControlledVenue& venue) {
  return venue.sequencer.read([](const engine::Engine& engine, TimestampMs now_ms) {
    return control::Moment{.now_ms = now_ms, .sequence = engine.sequence().value};
  });
}

control::Time time_of(const ControlledVenue& venue) {
  control::Time time;
  venue.sequencer.read([&](const engine::Engine& engine, TimestampMs lived_ms) {
    const TimestampMs now_ms = clock_now(venue, lived_ms);
    time.now_ms = now_ms;
    time.sequence = engine.sequence().value;
    time.next_funding_ms = now_ms - now_ms % hour_ms + hour_ms;  // funding is at every full hour (UTC)
    const auto state = venue.network.services.look();
    for (const auto& end :
         {state->sessions.next_end_ms(now_ms), state->agents.next_end_ms(now_ms), engine.next_timer_ms()})
      if (end && (!time.next_expiry_ms || *end < *time.next_expiry_ms)) time.next_expiry_ms = end;
  });
  const control::ClockPace pace = clock_of(venue, time.now_ms);
  time.mode = pace.mode;
  time.rate = pace.rate;
  return time;
}

TimestampMs clock_now(const ControlledVenue& venue, TimestampMs lived_ms) {
  return std::max(lived_ms, venue.clock.now_ms());
}

control::ClockPace clock_of(const ControlledVenue& venue, TimestampMs now_ms) {
  const ClockPace pace = venue.clock.pace();
  const std::int64_t rate_ppm = pace.mode == ClockMode::manual ? 0 : pace.rate.value;
  return {.mode = static_cast<control::ClockMode>(pace.mode),
          .rate = api::NumberText(format_scaled(rate_ppm, 6)),
          .now_ms = now_ms};
}

Result<Ticks, ApiError> price_of(const engine::MarketSpec& spec, const control::TypedDecimal& typed) {
  const auto decimal = parse_decimal(typed.text);
  const auto price = decimal ? engine::measure_price(spec, *decimal) : engine::MeasuredPrice{};
  if (price.grid == engine::Grid::off)
    return refused(
        ErrorCode::invalid_tick_size,
        "price " + typed.text + " of " + spec.id + " is not a multiple of the tick " + format_decimal(spec.tick_size));
  if (price.grid != engine::Grid::on || price.value <= Ticks{} || price.value > spec.price_max)
    return refused(ErrorCode::invalid_price, "price " + typed.text + " of " + spec.id + " is not between 0 and " +
                                                 engine::format_price(spec, spec.price_max));
  return price.value;
}

Result<Usdx, ApiError> amount_of(const control::TypedDecimal& typed) {
  return positive_amount(DecimalText(typed.text));
}

}  // namespace svc::sim
