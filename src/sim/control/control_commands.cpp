#include "sim/control/control_commands.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/decimal.h"
#include "base/limits.h"
#include "sim/control/control_body.h"
#include "sim/gateway/handlers/funds.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

// "scaled" needs a rate, the other modes take none.
Result<ClockPace, ApiError> pace_of(const ControlBody& body) {
  const auto mode = body.text("mode");
  if (!mode) return unexpected(bad_body(mode.error()));
  if (*mode != "scaled") {
    if (body.has("rate")) return unexpected(bad_body("rate goes with mode scaled only"));
    if (*mode != "real" && *mode != "manual")
      return unexpected(bad_body("mode is real, manual or scaled, not \"" + *mode + "\""));
    return *parse_clock_pace(*mode);
  }
  const auto rate = body.decimal("rate");
  if (!rate) return unexpected(bad_body(rate.error()));
  auto pace = parse_clock_pace("x" + *rate);
  if (!pace) return unexpected(bad_body("rate is a number from 0.000001 to " + std::to_string(limits::clock_rate_max)));
  return *pace;
}

Result<Usdx, ApiError> amount_of(const ControlBody& body) {
  const auto text = body.decimal("amount");
  if (!text) return unexpected(bad_body(text.error()));
  return positive_amount(api::DecimalText(*text));
}

Result<Applied, ApiError> apply(Sequencer& sequencer, CommandBody command) {
  auto applied = sequencer.submit(std::move(command));
  if (!applied) return unexpected(refusal_of(applied.error()));
  if (!applied->outcome.ok()) return unexpected(refusal_of(applied->outcome.reject));
  return std::move(*applied);
}

Json moment(const Applied& applied) {
  return {{"now_ms", applied.at_ms}, {"sequence", applied.outcome.sequence.value}};
}

}  // namespace

Result<void, ApiError> ControlCommands::move_time(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"mode", "rate", "advance_ms", "set_ms", "wait_streams"}); !known)
    return unexpected(bad_body(known.error()));
  if (body->has("advance_ms") && body->has("set_ms"))
    return unexpected(bad_body("advance_ms and set_ms exclude each other"));
  if (!body->has("mode") && !body->has("advance_ms") && !body->has("set_ms"))
    return unexpected(bad_body("one of mode, advance_ms and set_ms is needed"));
  if (!body->has("mode") && body->has("rate")) return unexpected(bad_body("rate goes with mode scaled only"));

  // Everything is read before anything changes.
  ClockChange change;
  if (body->has("mode")) {
    const auto wanted = SVC_TRY(pace_of(*body));
    change.pace = wanted;
  }
  for (const std::string_view name : {"advance_ms", "set_ms"}) {
    if (!body->has(name)) continue;
    const auto value = body->integer(name);
    if (!value) return unexpected(bad_body(value.error()));
    (name == "advance_ms" ? change.advance_ms : change.set_ms) = *value;
  }
  if (body->has("wait_streams"))
    if (const auto waits = body->flag("wait_streams"); !waits) return unexpected(bad_body(waits.error()));
  return venue_.move_clock(change);
}

bool ControlCommands::waits_for_streams(const api::HttpRequest& request) {
  const auto body = ControlBody::parse(request.body);
  if (!body || !body->has("wait_streams")) return false;
  const auto waits = body->flag("wait_streams");
  return waits && *waits;
}

ControlAnswer ControlCommands::set_prices(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (body->members().empty()) return unexpected(bad_body("at least one market is needed"));
  engine::OracleTick tick;
  Json prices;
  for (const auto& [id, value] : body->members()) {
    const auto market = venue_.markets.find(id);
    if (!market) return unexpected(ApiError(ErrorCode::unknown_market, "no market " + id));
    const engine::MarketSpec& spec = venue_.markets.spec(*market);
    const auto text = body->decimal(id);
    if (!text) return unexpected(bad_body(text.error()));
    const auto price = SVC_TRY(price_of(spec, *text));
    tick.prices.push_back({.market = *market, .index = price, .mark = price});
    prices[id] = engine::format_price(spec, price);
  }
  for (const engine::OracleTick::Price& price : tick.prices)
    if (!venue_.sequencer.keep(venue_.flow.stop_walk(price.market)))
      return unexpected(refusal_of(WriteRefusal::not_logged));
  const auto applied = SVC_TRY(apply(venue_.sequencer, std::move(tick)));
  Json document = moment(applied);
  document["prices"] = std::move(prices);
  return document.dump();
}

ControlAnswer ControlCommands::fund(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"account", "amount"}); !known) return unexpected(bad_body(known.error()));
  const auto text = body->text("account");
  if (!text) return unexpected(bad_body(text.error()));
  const auto account = parse_address(*text);
  if (!account) return unexpected(bad_body("account must be 0x and 40 hex digits"));
  const auto amount = SVC_TRY(amount_of(*body));
  const auto applied =
      SVC_TRY(apply(venue_.sequencer,
                    engine::Deposit{.account = *account, .amount = amount, .kind = engine::FundsKind::operator_grant}));
  Json document = moment(applied);
  document["account"] = to_string(*account);
  document["amount"] = format_usdx(amount);
  document["balance"] = format_usdx(applied.outcome.balance);
  return document.dump();
}

ControlAnswer ControlCommands::fund_insurance(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"amount"}); !known) return unexpected(bad_body(known.error()));
  const auto amount = SVC_TRY(amount_of(*body));
  const auto applied = SVC_TRY(apply(venue_.sequencer, engine::FundInsurance{.amount = amount}));
  Json document = moment(applied);
  document["amount"] = format_usdx(amount);
  document["insurance_fund"] = venue_.sequencer.read(
      [](const engine::Engine& engine, TimestampMs) { return format_usdx(engine.venue().insurance_fund); });
  return document.dump();
}

Result<engine::MarketIndex, ApiError> ControlCommands::market_of(const api::HttpRequest& request) const {
  // "/_svc/markets/BTC-USDX-PERP/halt": the routes saw to its shape.
  std::string_view id = request.path();
  id.remove_suffix(id.size() - id.rfind('/'));
  id.remove_prefix(id.rfind('/') + 1);
  const auto market = venue_.markets.find(id);
  if (!market) return unexpected(ApiError(ErrorCode::unknown_market, "no market " + std::string(id)));
  return *market;
}

ControlAnswer ControlCommands::market_command(engine::MarketIndex market, CommandBody command) const {
  const auto applied = SVC_TRY(apply(venue_.sequencer, std::move(command)));
  Json document = moment(applied);
  document["market_id"] = venue_.markets.spec(market).id;
  document["status"] = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    switch (engine.market(market, now_ms).status) {
      case engine::MarketStatus::active: return "active";
      case engine::MarketStatus::halted: return "halted";
      case engine::MarketStatus::delisted: return "delisted";
    }
    return "";
  });
  return document.dump();
}

Result<void, ApiError> ControlCommands::operator_exit_allowed() const {
  if (venue_.operator_exits) return {};
  return unexpected(ApiError(ErrorCode::forbidden, "started with --no-operator: a halted market stays halted"));
}

ControlAnswer ControlCommands::halt(const api::HttpRequest& request) const {
  const auto market = SVC_TRY(market_of(request));
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"reason"}); !known) return unexpected(bad_body(known.error()));
  const auto reason = body->text("reason");
  if (!reason) return unexpected(bad_body(reason.error()));
  if (reason->empty() || reason->size() > limits::halt_reason_chars_max)
    return unexpected(bad_body("reason takes 1 to " + std::to_string(limits::halt_reason_chars_max) + " bytes"));
  return market_command(market, engine::HaltMarket{.market = market, .reason = *reason});
}

ControlAnswer ControlCommands::resume(const api::HttpRequest& request) const {
  SVC_TRY(operator_exit_allowed());
  const auto market = SVC_TRY(market_of(request));
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"inject"}); !known) return unexpected(bad_body(known.error()));
  engine::ResumeMarket command{.market = market, .inject = {}};
  if (body->has("inject")) {
    const auto text = body->decimal("inject");
    if (!text) return unexpected(bad_body(text.error()));
    const auto amount = SVC_TRY(positive_amount(api::DecimalText(*text)));
    command.inject = amount;
  }
  return market_command(market, command);
}

ControlAnswer ControlCommands::settle(const api::HttpRequest& request) const {
  SVC_TRY(operator_exit_allowed());
  const auto market = SVC_TRY(market_of(request));
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"price"}); !known) return unexpected(bad_body(known.error()));
  const auto text = body->decimal("price");
  if (!text) return unexpected(bad_body(text.error()));
  const auto price = SVC_TRY(price_of(venue_.markets.spec(market), *text));
  return market_command(market, engine::SettleMarket{.market = market, .price = price});
}

using api::ApiError;
using api::ErrorCode;

Result<Ticks, ApiError> price_of(const engine::MarketSpec& spec, const std::string& text) {
  const auto decimal = parse_decimal(text);
  const auto price = decimal ? engine::measure_price(spec, *decimal) : engine::MeasuredPrice{};
  if (price.grid == engine::Grid::off)
    return unexpected(ApiError(
        ErrorCode::invalid_tick_size,
        "price " + text + " of " + spec.id + " is not a multiple of the tick " + format_decimal(spec.tick_size)));
  if (price.grid != engine::Grid::on || price.value <= Ticks{} || price.value > spec.price_max)
    return unexpected(ApiError(ErrorCode::invalid_price, "price " + text + " of " + spec.id + " is not between 0 and " +
                                                             engine::format_price(spec, spec.price_max)));
  return price.value;
}

}  // namespace svc::sim
