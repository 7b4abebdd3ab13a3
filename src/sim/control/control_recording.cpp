#include "sim/control/control_recording.h"

#include <nlohmann/json.hpp>

#include "sim/control/control_body.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;
using Json = nlohmann::ordered_json;

constexpr std::size_t title_chars_max = 200;

ApiError no_recording(std::string why) {
  return ApiError(ErrorCode::unprocessable, std::move(why));
}

}  // namespace

ControlAnswer ControlRecording::show(const api::HttpRequest&) const {
  return venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    const SessionRecorder::Progress progress = venue_.sessions.progress();
    return Json{{"now_ms", now_ms},
                {"sequence", engine.sequence().value},
                {"recording", progress.recording},
                {"steps", progress.steps},
                {"spoiled", progress.spoiled ? Json(*progress.spoiled) : Json()}}
        .dump();
  });
}

Result<void, std::string> ControlRecording::possible() const {
  if (venue_.flow.bots()) return unexpected(std::string("the bots trade: stop them, or start with --flow none"));
  if (venue_.flow.report(venue_.clock.now_ms()).tape) return unexpected(std::string("a tape is being played"));
  return venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) -> Result<void, std::string> {
    if (venue_.sessions.progress().recording) return unexpected(std::string("a session is being recorded already"));
    if (auto obstacle = scenario::Session::obstacle(engine, now_ms))
      return unexpected(*obstacle + "; svc local reset begins anew");
    return {};
  });
}

Result<void, ApiError> ControlRecording::fix_prices() const {
  const engine::OracleTick tick = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    engine::OracleTick here;
    for (std::size_t i = 0; i < engine.market_count(); ++i) {
      const engine::MarketIndex market{static_cast<std::uint16_t>(i)};
      if (const auto mark = engine.market(market, now_ms).mark)
        here.prices.push_back({.market = market, .index = *mark, .mark = *mark});
    }
    return here;
  });
  for (const engine::OracleTick::Price& price : tick.prices)
    if (!venue_.sequencer.keep(venue_.flow.stop_walk(price.market)))
      return unexpected(refusal_of(WriteRefusal::not_logged));
  const auto applied = venue_.sequencer.submit(tick);
  if (!applied) return unexpected(refusal_of(applied.error()));
  if (!applied->outcome.ok()) return unexpected(refusal_of(applied->outcome.reject));
  return {};
}

ControlAnswer ControlRecording::start(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(ApiError(ErrorCode::invalid_json, body.error()));
  if (const auto known = body->only({}); !known) return unexpected(ApiError(ErrorCode::invalid_json, known.error()));
  if (const auto can = possible(); !can) return unexpected(no_recording(can.error()));
  SVC_TRY(fix_prices());
  const auto started = venue_.sequencer.read(
      [&](const engine::Engine& engine, TimestampMs now_ms) { return venue_.sessions.start(engine, now_ms); });
  if (!started) return unexpected(no_recording(started.error()));
  return show(request);
}

ControlAnswer ControlRecording::stop(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(ApiError(ErrorCode::invalid_json, body.error()));
  if (const auto known = body->only({"title"}); !known)
    return unexpected(ApiError(ErrorCode::invalid_json, known.error()));
  std::string title = "a recorded session";
  if (body->has("title")) {
    const auto text = body->text("title");
    if (!text) return unexpected(ApiError(ErrorCode::invalid_json, text.error()));
    if (text->empty() || text->size() > title_chars_max || text->find_first_of("\r\n#") != std::string::npos)
      return unexpected(ApiError(ErrorCode::invalid_json, "title takes one line of 1 to " +
                                                              std::to_string(title_chars_max) + " bytes without #"));
    title = *text;
  }
  const auto session =
      venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs) { return venue_.sessions.stop(engine); });
  if (!session) return unexpected(no_recording("no session is being recorded"));
  const auto told = session->tell(title);
  if (!told) return unexpected(no_recording("the session is no scenario: " + told.error()));
  Json accounts = Json::array();
  for (const auto& [name, address] : told->names) accounts.push_back({{"name", name}, {"account", to_string(address)}});
  return Json{{"steps", session->steps()},
              {"accounts", std::move(accounts)},
              {"differences", told->differences},
              {"scenario", told->text}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<void, std::string> SessionRecorder::start(const engine::Engine& engine, TimestampMs now_ms) {
  if (session_) return unexpected(std::string("a session is being recorded already"));
  if (auto obstacle = scenario::Session::obstacle(engine, now_ms)) return unexpected(std::move(*obstacle));
  session_ = std::make_unique<scenario::Session>(engine, now_ms);
  pending_ms_.reset();
  return {};
}

std::unique_ptr<scenario::Session> SessionRecorder::stop(const engine::Engine& engine) {
  if (!session_) return nullptr;
  settle_pending();
  session_->end(engine);
  return std::move(session_);
}

void SessionRecorder::break_off() {
  if (session_) session_->spoil("the sandbox became another state in between");
}

SessionRecorder::Progress SessionRecorder::progress() const {
  if (!session_) return {};
  return {.recording = true, .steps = session_->steps(), .spoiled = session_->spoiled()};
}

void SessionRecorder::settle_pending() {
  if (pending_ms_) session_->pass(*pending_ms_, pending_);
  pending_ms_.reset();
}

void SessionRecorder::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  if (!session_) return;
  settle_pending();
  pending_ms_ = stamp.at_ms;
  pending_.assign(events.begin(), events.end());
}

void SessionRecorder::witness(const engine::Command& command, const engine::Outcome& outcome) {
  if (next_ != nullptr) next_->witness(command, outcome);
  if (!session_) return;
  pending_ms_.reset();
  session_->add(command, outcome, pending_);
}

}  // namespace svc::sim
