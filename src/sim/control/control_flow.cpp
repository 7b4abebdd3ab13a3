#include "sim/control/control_flow.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "sim/control/control_body.h"
#include "sim/control/control_commands.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

constexpr std::int64_t walk_ms_max = day_ms;

// The price after a change of so many per cent, on the grid.
Result<Ticks, ApiError> shocked(const engine::MarketSpec& spec, Ticks from, const std::string& percent) {
  constexpr int decimals = 4;
  const auto change = parse_scaled(percent, decimals);
  constexpr std::int64_t whole = 100 * 10'000;
  constexpr std::int64_t change_max = 10 * whole;
  if (!change || *change <= -whole || *change > change_max)
    return unexpected(bad_body("shock is a number of per cent above -100 and at most 1000, with up to 4 decimals"));
  const std::int64_t to = mul_div(from.value, whole + *change, whole, Rounding::half_up);
  if (to < 1 || Ticks{to} > spec.price_max)
    return unexpected(ApiError(ErrorCode::invalid_price, "the price would leave what " + spec.id + " can have"));
  return Ticks{to};
}

}  // namespace

ControlAnswer ControlFlow::show(const api::HttpRequest&) const {
  const FlowReport report = venue_.flow.report(venue_.clock.now_ms());
  Json document{{"bots", report.bots}, {"drill", nullptr}, {"drill_ends_ms", nullptr}};
  if (!report.drill.empty()) {
    document["drill"] = report.drill;
    document["drill_ends_ms"] = report.drill_ends_ms;
  }
  document["drills"] = Json::array();
  for (const Drill& drill : drills()) document["drills"].push_back({{"name", drill.name}, {"summary", drill.summary}});
  if (report.tape) document["tape"] = {{"played", report.tape->played}, {"lines", report.tape->lines}};
  if (const TapeRecorder* recorder = venue_.recorder; recorder != nullptr)
    document["record"] = {{"lines", recorder->progress().lines}, {"failed", recorder->progress().failed}};
  document["accounts"] = Json::array();
  venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    for (const FlowReport::Bot& bot : report.cast)
      document["accounts"].push_back({{"name", bot.name},
                                      {"kind", "bot"},
                                      {"account", to_string(bot.account)},
                                      {"equity", format_usdx(engine.account(bot.account).equity)}});
  });
  return document.dump();
}

Result<void, ApiError> ControlFlow::set_bots(bool on) const {
  std::vector<engine::MarketIndex> by_hand;
  if (on) {
    venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
      for (std::size_t i = 0; i < engine.market_count(); ++i) {
        const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
        if (engine.market(market, now_ms).price_mode == engine::PriceMode::manual) by_hand.push_back(market);
      }
    });
  }
  for (const engine::MarketIndex market : by_hand) {
    if (!venue_.sequencer.keep(venue_.flow.stop_walk(market))) return unexpected(refusal_of(WriteRefusal::not_logged));
    const auto applied =
        venue_.sequencer.submit(engine::SetPriceMode{.market = market, .mode = engine::PriceMode::median});
    if (!applied) return unexpected(refusal_of(applied.error()));
  }
  if (!venue_.sequencer.keep(venue_.flow.set_bots(on, venue_.clock.now_ms())))
    return unexpected(refusal_of(WriteRefusal::not_logged));
  return {};
}

Result<void, ApiError> ControlFlow::start_drill(std::string_view name) const {
  const Drill* drill = find_drill(name);
  if (drill == nullptr)
    return unexpected(bad_body("the drills are " + drill_list() + ", not \"" + std::string(name) + "\""));
  if (!venue_.flow.bots())
    return unexpected(ApiError(ErrorCode::unprocessable, "a drill needs the bots: switch them on first"));
  const auto hindrance = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const std::size_t needed = drill->has_cast ? 2 : 0;
    for (std::size_t i = 0; i < needed; ++i) {
      const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
      if (i >= engine.market_count()) return std::string("the drill needs two markets");
      const engine::MarketFigures figures = engine.market(market, now_ms);
      if (figures.status != engine::MarketStatus::active) return engine.spec(market).id + " is not open";
      if (figures.price_mode == engine::PriceMode::manual)
        return "the price of " + engine.spec(market).id + " was set by hand; switching the bots on again gives it back";
    }
    return std::string();
  });
  if (!hindrance.empty()) return unexpected(ApiError(ErrorCode::unprocessable, hindrance));
  if (!venue_.sequencer.keep(venue_.flow.start_drill(*drill, venue_.clock.now_ms())))
    return unexpected(refusal_of(WriteRefusal::not_logged));
  return {};
}

ControlAnswer ControlFlow::change(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"bots", "drill"}); !known) return unexpected(bad_body(known.error()));
  if (body->has("bots") == body->has("drill")) return unexpected(bad_body("one of bots and drill is needed"));
  if (body->has("drill")) {
    const auto name = body->text("drill");
    if (!name) return unexpected(bad_body(name.error()));
    SVC_TRY(start_drill(*name));
  } else {
    const auto bots = body->flag("bots");
    if (!bots) return unexpected(bad_body(bots.error()));
    SVC_TRY(set_bots(*bots));
  }
  // Who goes is gone when this is answered, and who comes is funded.
  venue_.sequencer.pass_time();
  return show(request);
}

ControlAnswer ControlFlow::walk(const api::HttpRequest& request) const {
  std::string_view id = request.path();
  id.remove_suffix(id.size() - id.rfind('/'));
  id.remove_prefix(id.rfind('/') + 1);
  const auto market = venue_.markets.find(id);
  if (!market) return unexpected(ApiError(ErrorCode::unknown_market, "no market " + std::string(id)));
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(bad_body(body.error()));
  if (const auto known = body->only({"to", "shock", "over_ms"}); !known) return unexpected(bad_body(known.error()));
  if (body->has("to") == body->has("shock")) return unexpected(bad_body("one of to and shock is needed"));
  const auto over_ms = body->integer("over_ms");
  if (!over_ms) return unexpected(bad_body(over_ms.error()));
  if (*over_ms < second_ms || *over_ms > walk_ms_max)
    return unexpected(bad_body("over_ms is from 1000 to " + std::to_string(walk_ms_max)));
  const engine::MarketSpec& spec = venue_.markets.spec(*market);
  const auto [from, now_ms] = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now) {
    return std::pair(engine.market(*market, now).index.value_or(Ticks{}), now);
  });
  const bool relative = body->has("shock");
  const auto text = body->decimal(relative ? "shock" : "to");
  if (!text) return unexpected(bad_body(text.error()));
  const auto to = SVC_TRY(relative ? shocked(spec, from, *text) : price_of(spec, *text));
  const Walk walk{.from = from, .to = to, .begin_ms = now_ms, .end_ms = now_ms + *over_ms};
  if (!venue_.sequencer.keep(venue_.flow.start_walk(*market, walk)))
    return unexpected(refusal_of(WriteRefusal::not_logged));
  return Json{{"market_id", spec.id},
              {"from", engine::format_price(spec, walk.from)},
              {"to", engine::format_price(spec, walk.to)},
              {"begin_ms", walk.begin_ms},
              {"end_ms", walk.end_ms}}
      .dump();
}

}  // namespace svc::sim
