#include "sim/control/control_surface.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "api/error_catalog.h"
#include "api/operation.h"
#include "base/decimal.h"
#include "base/hex.h"
#include "base/limits.h"
#include "sim/control/request_lines.h"
#include "sim/gateway/base_path.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/refusal_translation.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

constexpr std::string_view control_base = "/_svc";

ApiError bad_body(std::string why) { return ApiError(ErrorCode::invalid_json, std::move(why)); }
ApiError bad_parameter(std::string why) { return ApiError(ErrorCode::invalid_parameter, std::move(why)); }

api::HttpResponse respond(int status, std::string body) {
  api::HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  response.body = std::move(body);
  response.body += '\n';
  return response;
}

api::HttpResponse refuse(const ApiError& error) {
  return respond(api::status_of(error), api::render(error, api::Envelope::flat));
}

std::string hash_text(std::uint64_t hash) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(hash >> (56 - 8 * i));
  return to_hex_0x(bytes);
}

// A counter in the query; the default if it is absent.
Result<std::uint64_t, ApiError> counter(std::string_view query, std::string_view name, std::uint64_t otherwise) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    const std::string_view digits = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
      return unexpected(bad_parameter(std::string(name) + " must be a whole number"));
    return value;
  }
  return otherwise;
}

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
  if (!pace)
    return unexpected(bad_body("rate is a number from 0.000001 to " + std::to_string(limits::clock_rate_max)));
  return *pace;
}

Result<Usdx, ApiError> amount_of(const ControlBody& body) {
  const auto text = body.decimal("amount");
  if (!text) return unexpected(bad_body(text.error()));
  return positive_amount(api::DecimalText(*text));
}

bool fits(std::string_view pattern, std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) return false;
  return path.substr(star, path.size() - before.size() - after.size()).find('/') == std::string_view::npos;
}

// A price of the market; refused with what was expected.
Result<Ticks, ApiError> price_of(const engine::MarketSpec& spec, const std::string& text) {
  const auto decimal = parse_decimal(text);
  const auto price = decimal ? engine::measure_price(spec, *decimal) : engine::MeasuredPrice{};
  if (price.grid == engine::Grid::off)
    return unexpected(ApiError(ErrorCode::invalid_tick_size, "price " + text + " of " + spec.id +
                                                                 " is not a multiple of the tick " +
                                                                 format_decimal(spec.tick_size)));
  if (price.grid != engine::Grid::on || price.value <= Ticks{} || price.value > spec.price_max)
    return unexpected(ApiError(ErrorCode::invalid_price, "price " + text + " of " + spec.id + " is not between 0 and " +
                                                             engine::format_price(spec, spec.price_max)));
  return price.value;
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

struct ControlSurface::Route {
  std::string_view method;
  std::string_view path;  // below /_svc; '*' stands for one segment
  Answer (ControlSurface::*answer)(const api::HttpRequest&);
};

const ControlSurface::Route ControlSurface::routes[] = {
    {"GET", "/status", &ControlSurface::status},
    {"GET", "/time", &ControlSurface::time},
    {"POST", "/time", &ControlSurface::move_time},
    {"POST", "/prices", &ControlSurface::set_prices},
    {"POST", "/fund", &ControlSurface::fund},
    {"POST", "/insurance", &ControlSurface::fund_insurance},
    {"POST", "/markets/*/halt", &ControlSurface::halt},
    {"POST", "/markets/*/resume", &ControlSurface::resume},
    {"POST", "/markets/*/settle", &ControlSurface::settle},
    {"GET", "/requests", &ControlSurface::requests},
    {"GET", "/invariants", &ControlSurface::invariants},
};

ControlSurface::ControlSurface(ControlledVenue venue, ControlAccess access)
    : venue_(std::move(venue)), access_(std::move(access)), started_ms_(venue_.machine.now_ms()) {}

bool ControlSurface::owns(std::string_view path) { return path == control_base || lies_under(path, control_base); }

api::HttpResponse ControlSurface::handle(const api::HttpRequest& request, std::string_view peer_address) {
  if (!access_.admits(request.headers, peer_address))
    return refuse(ApiError(ErrorCode::forbidden, "the control surface answers programs on this machine only"));
  const std::string_view path = request.path().substr(std::min(request.path().size(), control_base.size()));
  std::string allow;
  for (const Route& route : routes) {
    if (!fits(route.path, path)) continue;
    if (route.method == request.method) {
      auto answer = (this->*route.answer)(request);
      return answer ? respond(200, std::move(*answer)) : refuse(answer.error());
    }
    allow += (allow.empty() ? "" : ", ") + std::string(route.method);
  }
  if (allow.empty())
    return refuse(ApiError(ErrorCode::not_found, "the control surface has no " + std::string(request.path())));
  auto response = refuse(ApiError(ErrorCode::method_not_allowed, "this path takes " + allow));
  response.headers.add("Allow", allow);
  return response;
}

ControlSurface::Answer ControlSurface::status(const api::HttpRequest&) {
  const ReadyReport report = venue_.report();
  const ClockPace pace = venue_.clock.pace();
  Json document{{"name", report.name},
                {"url", report.url()},
                {"ws", report.ws()},
                {"control", report.control()},
                {"pid", report.pid},
                {"network", report.network},
                {"deployment", report.deployment},
                {"domain_name", report.domain_name},
                {"seed", report.seed}};
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    document["clock"] = {{"mode", to_string(pace.mode)},
                         {"rate", Json::parse(format_scaled(pace.mode == ClockMode::manual ? 0 : pace.rate.value, 6))},
                         {"now_ms", now_ms}};
    document["uptime_ms"] = venue_.machine.now_ms() - started_ms_;
    document["sequence"] = engine.sequence().value;
    document["state_hash"] = hash_text(engine.state_hash());
  });
  document["accounts"] = Json::parse(to_json(report.accounts));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ControlSurface::Answer ControlSurface::time(const api::HttpRequest&) {
  const ClockPace pace = venue_.clock.pace();
  Json document;
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    document = {{"now_ms", now_ms}, {"sequence", engine.sequence().value}};
  });
  document["mode"] = to_string(pace.mode);
  document["rate"] = Json::parse(format_scaled(pace.mode == ClockMode::manual ? 0 : pace.rate.value, 6));
  return document.dump();
}

ControlSurface::Answer ControlSurface::move_time(const api::HttpRequest& request) {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"mode", "rate", "advance_ms", "set_ms"}); !known)
    return unexpected(bad_body(known.error()));
  if (body->has("advance_ms") && body->has("set_ms"))
    return unexpected(bad_body("advance_ms and set_ms exclude each other"));
  if (!body->has("mode") && !body->has("advance_ms") && !body->has("set_ms"))
    return unexpected(bad_body("one of mode, advance_ms and set_ms is needed"));
  if (!body->has("mode") && body->has("rate")) return unexpected(bad_body("rate goes with mode scaled only"));

  // Everything is read before anything changes.
  std::optional<ClockPace> pace;
  if (body->has("mode")) {
    const auto wanted = pace_of(*body);
    if (!wanted) return unexpected(wanted.error());
    pace = *wanted;
  }
  for (const std::string_view name : {"advance_ms", "set_ms"}) {
    if (!body->has(name)) continue;
    const auto value = body->integer(name);
    if (!value) return unexpected(bad_body(value.error()));
    const auto moved = name == "advance_ms" ? venue_.clock.advance(*value) : venue_.clock.set(*value);
    if (!moved) return unexpected(bad_body(moved.error()));
  }
  if (pace) venue_.clock.set_pace(*pace);
  venue_.sequencer.pass_time();
  return time(request);
}

ControlSurface::Answer ControlSurface::set_prices(const api::HttpRequest& request) {
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
    const auto price = price_of(spec, *text);
    if (!price) return unexpected(price.error());
    tick.prices.push_back({.market = *market, .index = *price, .mark = *price});
    prices[id] = engine::format_price(spec, *price);
  }
  const auto applied = apply(venue_.sequencer, std::move(tick));
  if (!applied) return unexpected(applied.error());
  Json document = moment(*applied);
  document["prices"] = std::move(prices);
  return document.dump();
}

ControlSurface::Answer ControlSurface::fund(const api::HttpRequest& request) {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"account", "amount"}); !known) return unexpected(bad_body(known.error()));
  const auto text = body->text("account");
  if (!text) return unexpected(bad_body(text.error()));
  const auto account = parse_address(*text);
  if (!account) return unexpected(bad_body("account must be 0x and 40 hex digits"));
  const auto amount = amount_of(*body);
  if (!amount) return unexpected(amount.error());
  const auto applied =
      apply(venue_.sequencer,
            engine::Deposit{.account = *account, .amount = *amount, .kind = engine::FundsKind::operator_grant});
  if (!applied) return unexpected(applied.error());
  Json document = moment(*applied);
  document["account"] = to_string(*account);
  document["amount"] = format_usdx(*amount);
  document["balance"] = format_usdx(applied->outcome.balance);
  return document.dump();
}

ControlSurface::Answer ControlSurface::fund_insurance(const api::HttpRequest& request) {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"amount"}); !known) return unexpected(bad_body(known.error()));
  const auto amount = amount_of(*body);
  if (!amount) return unexpected(amount.error());
  const auto applied = apply(venue_.sequencer, engine::FundInsurance{.amount = *amount});
  if (!applied) return unexpected(applied.error());
  Json document = moment(*applied);
  document["amount"] = format_usdx(*amount);
  document["insurance_fund"] = venue_.sequencer.read(
      [](const engine::Engine& engine, TimestampMs) { return format_usdx(engine.venue().insurance_fund); });
  return document.dump();
}

Result<engine::MarketIndex, ApiError> ControlSurface::market_of(const api::HttpRequest& request) const {
  // "/_svc/markets/BTC-USDX-PERP/halt": the routes saw to its shape.
  std::string_view id = request.path();
  id.remove_suffix(id.size() - id.rfind('/'));
  id.remove_prefix(id.rfind('/') + 1);
  const auto market = venue_.markets.find(id);
  if (!market) return unexpected(ApiError(ErrorCode::unknown_market, "no market " + std::string(id)));
  return *market;
}

ControlSurface::Answer ControlSurface::market_command(engine::MarketIndex market, CommandBody command) {
  const auto applied = apply(venue_.sequencer, std::move(command));
  if (!applied) return unexpected(applied.error());
  Json document = moment(*applied);
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

ControlSurface::Answer ControlSurface::halt(const api::HttpRequest& request) {
  const auto market = market_of(request);
  if (!market) return unexpected(market.error());
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"reason"}); !known) return unexpected(bad_body(known.error()));
  const auto reason = body->text("reason");
  if (!reason) return unexpected(bad_body(reason.error()));
  if (reason->empty() || reason->size() > limits::halt_reason_chars_max)
    return unexpected(bad_body("reason takes 1 to " + std::to_string(limits::halt_reason_chars_max) + " bytes"));
  return market_command(*market, engine::HaltMarket{.market = *market, .reason = *reason});
}

ControlSurface::Answer ControlSurface::resume(const api::HttpRequest& request) {
  const auto market = market_of(request);
  if (!market) return unexpected(market.error());
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"inject"}); !known) return unexpected(bad_body(known.error()));
  engine::ResumeMarket command{.market = *market, .inject = {}};
  if (body->has("inject")) {
    const auto text = body->decimal("inject");
    if (!text) return unexpected(bad_body(text.error()));
    const auto amount = positive_amount(api::DecimalText(*text));
    if (!amount) return unexpected(amount.error());
    command.inject = *amount;
  }
  return market_command(*market, command);
}

ControlSurface::Answer ControlSurface::settle(const api::HttpRequest& request) {
  const auto market = market_of(request);
  if (!market) return unexpected(market.error());
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"price"}); !known) return unexpected(bad_body(known.error()));
  const auto text = body->decimal("price");
  if (!text) return unexpected(bad_body(text.error()));
  const auto price = price_of(venue_.markets.spec(*market), *text);
  if (!price) return unexpected(price.error());
  return market_command(*market, engine::SettleMarket{.market = *market, .price = *price});
}

ControlSurface::Answer ControlSurface::requests(const api::HttpRequest& request) {
  const auto after = counter(request.query(), "after", 0);
  if (!after) return unexpected(after.error());
  const auto limit = counter(request.query(), "limit", limits::request_log_max);
  if (!limit) return unexpected(limit.error());
  const auto entries = venue_.requests.since(*after);
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(*limit, entries.size()));
  std::string document = "{\"requests\":[";
  for (std::size_t i = entries.size() - count; i < entries.size(); ++i) {
    if (document.back() == '}') document += ',';
    document += json_line(entries[i]);
  }
  return document + "]}";
}

ControlSurface::Answer ControlSurface::invariants(const api::HttpRequest&) {
  return venue_.sequencer.read([](const engine::Engine& engine, TimestampMs) {
    return Json{{"sequence", engine.sequence().value}, {"violations", engine.violations()}}.dump();
  });
}

}  // namespace svc::sim
