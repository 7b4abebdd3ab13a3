#include "sim/control/control_surface.h"

#include <algorithm>

#include "base/encoding.h"
#include "sim/control/console_page.h"
#include "sim/gateway/version_gate.h"

namespace svc::sim {
namespace {

using api::AnsweredBy;

// The Host is a loopback name or absent.
bool names_this_machine(const api::Headers& headers) {
  if (!headers.contains("Host")) return true;
  const std::string host = host_name(headers);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const std::string_view name = host;
  const bool bracketed = name.starts_with('[') && name.ends_with(']');
  return is_loopback_address(bracketed ? name.substr(1, name.size() - 2) : name);
}

// A proxy in front of a sandbox that takes a token may add TLS.
constexpr std::string_view plain_schemes[] = {"http://"};
constexpr std::string_view all_schemes[] = {"http://", "https://"};

// Another page than the console had its browser send this. "none": the user typed the address. (D-821)
bool is_from_other_page(const api::Headers& headers, std::span<const std::string_view> schemes) {
  using State = SingleHeader::State;
  const SingleHeader site = single_header(headers, "Sec-Fetch-Site");
  if (site.state != State::absent && site.value != "none" && site.value != "same-origin") return true;
  const SingleHeader origin = single_header(headers, "Origin");
  if (origin.state == State::absent) return false;
  const SingleHeader host = single_header(headers, "Host");
  const auto is_own = [&](std::string_view scheme) { return origin.value == std::string(scheme).append(host.value); };
  return host.state != State::present || std::ranges::none_of(schemes, is_own);
}

// What follows the name of the scheme in Authorization; empty: another scheme, or none.
std::string_view credential_of(const api::Headers& headers, std::string_view scheme) {
  const auto authorization = headers.find("Authorization");
  if (!authorization || !api::same_header_name(authorization->substr(0, scheme.size()), scheme)) return {};
  return authorization->substr(scheme.size());
}

// Of HTTP Basic, whatever the user name.
std::string password_of(const api::Headers& headers) {
  const auto pair = parse_base64(credential_of(headers, "Basic "));
  const auto colon = pair ? pair->find(':') : std::string::npos;
  return colon == std::string::npos ? std::string() : pair->substr(colon + 1);
}

api::HttpResponse respond(int status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"},
                      {"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}},
          .body = std::move(body += '\n')};
}

// With the header that says what would do; `allow` are the methods of the path.
api::HttpResponse refuse(const ApiError& error, std::string_view allow = {}) {
  auto response = respond(api::status_of(error), api::render(error, api::Envelope::flat));
  if (error.code == ErrorCode::unauthorized)
    response.headers.add("WWW-Authenticate", "Basic realm=\"svc\", charset=\"UTF-8\"");
  if (error.code == ErrorCode::method_not_allowed) response.headers.add("Allow", allow);
  if (error.code == ErrorCode::upgrade_required) response.headers.add("Upgrade", "websocket");
  return response;
}

}  // namespace

// A GET must change nothing: over plain HTTP beyond this machine, browsers do not say which page sent it.
bool ControlAccess::admits(const api::Headers& headers, std::string_view peer_address) const {
  if (!token.empty()) {
    if (equal_constant_time(credential_of(headers, "Bearer "), token.reveal())) return true;
    if (takes_password(headers) && equal_constant_time(password_of(headers), token.reveal())) return true;
  }
  if (is_from_other_page(headers, plain_schemes) || !is_loopback_address(peer_address) || !names_this_machine(headers))
    return false;
  // Behind a proxy every peer is the proxy; the header names the caller. Without the header there is no proxy.
  if (client_ip_header.empty() || !headers.contains(client_ip_header)) return true;
  const auto client = client_address(headers, peer_address, client_ip_header);
  return client && is_loopback_address(*client);
}

bool ControlAccess::takes_password(const api::Headers& headers) const {
  return !token.empty() && !is_from_other_page(headers, all_schemes);
}

ControlSurface::ControlSurface(ControlledVenue venue, ControlAccess access)
    : handlers_(std::move(venue)),
      access_(std::move(access)),
      stream_(handlers_.venue(), [this](const WatchedState& state) { return read(state); }) {
  for (const auto bind :
       {bind_control_clock, bind_control_faults, bind_control_flow, bind_control_money, bind_control_reports,
        bind_control_requests, bind_control_snapshots, bind_control_staging, bind_control_stream})
    bind(handlers_);
  for (const api::OperationEntry& entry : control::all_operations()) router_.add(*entry.operation);
}

void ControlSurface::handle(const api::HttpRequest& request, std::string_view peer_address,
                            const SendReply& reply) const {
  const bool admitted = access_.admits(request.headers, peer_address);
  if (is_console(request.path()) && !admitted && access_.takes_password(request.headers))
    return reply(refuse(ErrorCode::unauthorized));
  if (!admitted)
    return reply(refuse(ApiError(ErrorCode::forbidden, "the control surface answers programs on this machine only")));
  if (is_console(request.path())) {
    auto page = console_response(request);
    return reply(page ? std::move(*page) : refuse(page.error(), console_methods));
  }
  const auto route = router_.match(request.method, request.path());
  if (!route)
    return reply(refuse(ApiError(ErrorCode::not_found, "the control surface has no " + std::string(request.path()))));
  if (route->operation == nullptr) {
    return reply(refuse(ApiError(ErrorCode::method_not_allowed, "this path takes " + route->allow), route->allow));
  }
  const ControlHandlers::Handler& handler = handlers_.of(*route->operation);
  const bool waits = handler.waits && handler.waits(api::parts_of(request, route->parameters));
  if (route->operation->answered_by != AnsweredBy::any_node) {
    if (auto told = handlers_.venue().pass_on(request)) {
      const bool is_done = told->status == route->operation->success;
      return send(std::move(*told), waits && is_done, reply);
    }
  }
  auto answered = [&] {
    const bool alone = route->operation->answered_by == AnsweredBy::writer_alone;
    const auto here = alone ? Turnstile::Shared() : handlers_.venue().turnstile.share();
    return handler.answer(api::parts_of(request, route->parameters));
  }();
  if (!answered) return reply(refuse(answered.error()));
  if (answered->later)  // told in the timeline as the request that it sends
    return answered->later(
        [reply, status = route->operation->success](std::string body) { reply(respond(status, std::move(body))); });
  auto response = respond(route->operation->success, std::move(answered->body));
  if (route->operation->is_write()) {
    const ControlledVenue& venue = handlers_.venue();
    venue.timeline.control_used(*route->operation, request, route->parameters, response, venue.clock.now_ms());
  }
  send(std::move(response), waits, reply);
}

void ControlSurface::send(api::HttpResponse response, bool after_streams, const SendReply& reply) const {
  if (!after_streams) return reply(std::move(response));
  handlers_.venue().after_streams([reply, response = std::move(response)](bool delivered) {
    reply(delivered
              ? api::HttpResponse(response)
              : refuse(ApiError(ErrorCode::service_unavailable,
                                "the clock was changed, but the reader of a stream has not taken everything yet")));
  });
}

void ControlSurface::upgrade(const api::HttpRequest& request, const std::string& head, std::string_view peer_address,
                             const Upgrade& upgrade) {
  const auto route = router_.match(request.method, request.path());
  const bool opens = route && route->operation != nullptr && route->operation->opens_stream() &&
                     is_websocket_upgrade(request.headers) && access_.admits(request.headers, peer_address);
  if (!opens) return handle(request, peer_address, upgrade.refuse);
  auto opened = stream_.open(request, head);
  if (!opened) return upgrade.refuse(refuse(opened.error()));
  upgrade.accept(std::move(*opened));
}

// Under the shared turnstile.
Result<std::string, ApiError> ControlSurface::read(const WatchedState& state) const {
  const api::HttpRequest request{.method = "GET", .target = state.target, .headers = {}, .body = {}};
  if (!owns(request.path())) return read_as(handlers_.venue(), request, state.account);
  const auto route = router_.match(request.method, request.path());
  if (!route || route->operation == nullptr || route->operation->answered_by == AnsweredBy::writer_alone)
    return not_found("nothing to watch at " + std::string(request.path()));
  auto reply = SVC_TRY(handlers_.of(*route->operation).answer(api::parts_of(request, route->parameters)));
  return std::move(reply.body);
}

}  // namespace svc::sim
