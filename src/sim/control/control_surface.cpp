#include "sim/control/control_surface.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "api/operation.h"
#include "sim/gateway/base_path.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;

constexpr std::string_view control_base = "/_svc";

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

bool fits(std::string_view pattern, std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) return false;
  return path.substr(star, path.size() - before.size() - after.size()).find('/') == std::string_view::npos;
}

}  // namespace

struct ControlSurface::Route {
  std::string_view method;
  std::string_view path;  // below /_svc; '*' stands for one segment
  std::function<ControlAnswer(const ControlSurface&, const api::HttpRequest&)> answer;
  bool takes_turnstile = false;  // itself: it may replace everything
};

const std::vector<ControlSurface::Route>& ControlSurface::routes() {
  const auto tell = [](auto method) {
    return [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.reports_.*method)(request); };
  };
  const auto act = [](auto method) {
    return
        [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.commands_.*method)(request); };
  };
  const auto spoil = [](auto method) {
    return [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.faults_.*method)(request); };
  };
  const auto live = [](auto method) {
    return [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.flow_.*method)(request); };
  };
  const auto pay = [](auto method) {
    return [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.money_.*method)(request); };
  };
  const auto keep = [](auto method) {
    return
        [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.snapshots_.*method)(request); };
  };
  const auto record = [](auto method) {
    return
        [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.recording_.*method)(request); };
  };
  const auto stage = [](auto method) {
    return [method](const ControlSurface& s, const api::HttpRequest& request) { return (s.staging_.*method)(request); };
  };
  static const std::vector<Route> table{
      {"GET", "/status", tell(&ControlReports::status)},
      {"GET", "/time", tell(&ControlReports::time)},
      {"POST", "/time",
       [](const ControlSurface& s, const api::HttpRequest& request) -> ControlAnswer {
         SVC_TRY(s.commands_.move_time(request));
         return s.reports_.time(request);
       }},
      {"POST", "/prices", act(&ControlCommands::set_prices)},
      {"POST", "/fund", act(&ControlCommands::fund)},
      {"POST", "/insurance", act(&ControlCommands::fund_insurance)},
      {"POST", "/markets/*/halt", act(&ControlCommands::halt)},
      {"POST", "/markets/*/resume", act(&ControlCommands::resume)},
      {"POST", "/markets/*/settle", act(&ControlCommands::settle)},
      {"POST", "/bridge/deposits", pay(&ControlMoney::send_deposit)},
      {"POST", "/bridge/*/settle", pay(&ControlMoney::settle)},
      {"POST", "/bridge/*/fail", pay(&ControlMoney::fail)},
      {"GET", "/switches", pay(&ControlMoney::switches)},
      {"POST", "/switches", pay(&ControlMoney::turn_switches)},
      {"POST", "/accounts/*/freeze", pay(&ControlMoney::freeze)},
      {"POST", "/accounts/*/unfreeze", pay(&ControlMoney::unfreeze)},
      {"POST", "/faults", spoil(&ControlFaults::add)},
      {"GET", "/faults", spoil(&ControlFaults::list)},
      {"DELETE", "/faults", spoil(&ControlFaults::clear)},
      {"DELETE", "/faults/*", spoil(&ControlFaults::remove)},
      {"GET", "/flow", live(&ControlFlow::show)},
      {"POST", "/flow", live(&ControlFlow::change)},
      {"POST", "/prices/*/walk", live(&ControlFlow::walk)},
      {"POST", "/markets/*/trade", stage(&ControlStaging::trade)},
      {"POST", "/orders/*/fill", stage(&ControlStaging::fill)},
      {"POST", "/accounts/*/liquidate", stage(&ControlStaging::liquidate)},
      {"POST", "/accounts/*/deleverage", stage(&ControlStaging::deleverage)},
      {"POST", "/reset", keep(&ControlSnapshots::reset), true},
      {"GET", "/recording", record(&ControlRecording::show)},
      {"POST", "/recording/start", record(&ControlRecording::start)},
      {"POST", "/recording/stop", record(&ControlRecording::stop)},
      {"GET", "/coverage", tell(&ControlReports::coverage)},
      {"POST", "/coverage", tell(&ControlReports::tag_coverage)},
      {"POST", "/snapshots", keep(&ControlSnapshots::take), true},
      {"GET", "/snapshots", keep(&ControlSnapshots::list), true},
      {"POST", "/snapshots/*/revert", keep(&ControlSnapshots::revert), true},
      {"DELETE", "/snapshots/*", keep(&ControlSnapshots::remove), true},
      {"GET", "/state", keep(&ControlSnapshots::dump), true},
      {"PUT", "/state", keep(&ControlSnapshots::load), true},
      {"GET", "/requests", tell(&ControlReports::requests)},
      {"GET", "/invariants", tell(&ControlReports::invariants)},
  };
  return table;
}

ControlSurface::ControlSurface(const ControlledVenue& venue, ControlAccess access)
    : reports_(venue),
      commands_(venue),
      faults_(venue),
      flow_(venue),
      money_(venue),
      recording_(venue),
      staging_(venue),
      snapshots_(venue),
      turnstile_(venue.turnstile),
      after_streams_(venue.after_streams),
      access_(std::move(access)) {}

bool ControlSurface::owns(std::string_view path) {
  return path == control_base || lies_under(path, control_base);
}

void ControlSurface::handle(const api::HttpRequest& request, std::string_view peer_address, const SendReply& reply) const {
  auto response = answer(request, peer_address);
  const bool waits = response.status == 200 && request.method == "POST" && request.path() == "/_svc/time" &&
                     ControlCommands::waits_for_streams(request);
  if (!waits) return reply(std::move(response));
  after_streams_([reply, response = std::move(response)](bool delivered) {
    reply(delivered ? response
                    : refuse(ApiError(ErrorCode::service_unavailable,
                                      "the clock was changed, but the reader of a stream has not taken everything yet")));
  });
}

api::HttpResponse ControlSurface::answer(const api::HttpRequest& request, std::string_view peer_address) const {
  if (!access_.admits(request.headers, peer_address))
    return refuse(ApiError(ErrorCode::forbidden, "the control surface answers programs on this machine only"));
  const std::string_view path = request.path().substr(std::min(request.path().size(), control_base.size()));
  std::string allow;
  for (const Route& route : routes()) {
    if (!fits(route.path, path)) continue;
    if (route.method == request.method) {
      const auto here = route.takes_turnstile ? Turnstile::Shared() : turnstile_.share();
      auto answer = route.answer(*this, request);
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

}  // namespace svc::sim
