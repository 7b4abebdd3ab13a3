#include "cli/socket_route.h"

#include <algorithm>

#include "api/http_client.h"
#include "api/url.h"
#include "api/version.h"
#include "api/ws_client.h"
#include "cli/program_version.h"

namespace svc::cli {
api::ProxyEnvironment proxies_of(const Environment& environment) {
  const auto either = [&](std::string_view lower_case, std::string_view upper_case) {
    const auto value = environment.variable(lower_case);
    return value ? *value : environment.variable(upper_case).value_or("");
  };
  return {.http_proxy = environment.variable("http_proxy").value_or(""),
          .https_proxy = either("https_proxy", "HTTPS_PROXY"),
          .all_proxy = either("all_proxy", "ALL_PROXY"),
          .no_proxy = either("no_proxy", "NO_PROXY")};
}

namespace {

Result<api::DialOptions, std::string> dial_options(const Route& route, const api::ProxyEnvironment& proxies) {
  api::DialOptions options;
  const auto origin = SVC_TRY(api::parse_url(route.origin));
  options.origin = origin;
  auto proxy = api::choose_proxy(origin, route.proxy, proxies);
  if (!proxy) return unexpected("--proxy: " + proxy.error());
  options.proxy = std::move(*proxy);
  if (route.ca) options.certificate_authorities = *route.ca;
  return options;
}

std::string user_agent() {
  return "svc/" + std::string(program_version);
}

}  // namespace

Result<std::unique_ptr<api::Transport>, std::string> connect_by_socket(const Route& route,
                                                                       const api::ProxyEnvironment& proxies) {
  auto dial = SVC_TRY(dial_options(route, proxies));
  api::HttpClientOptions options;
  options.origin = std::move(dial.origin);
  options.proxy = std::move(dial.proxy);
  options.certificate_authorities = std::move(dial.certificate_authorities);
  options.user_agent = user_agent();
  options.connect_ms = std::min(options.connect_ms, route.timeout_ms);
  options.answer_ms = route.timeout_ms;
  return std::unique_ptr<api::Transport>(std::make_unique<api::HttpClient>(std::move(options)));
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_link_by_socket(const Route& route,
                                                                                const std::string& target,
                                                                                const api::ProxyEnvironment& proxies) {
  auto dial = dial_options(route, proxies);
  if (!dial) return unexpected(api::LinkRefusal{.code = "bad_address", .reason = dial.error(), .permanent = true});
  // No handshake is refused for its version (API: Versioning, rule 8): it names the one that this program speaks.
  api::WsOpening opening{.dial = std::move(*dial),
                         .target = target,
                         .user_agent = user_agent(),
                         .api_version = std::string(api::client_version)};
  opening.connect_ms = std::min(opening.connect_ms, route.timeout_ms);
  opening.answer_ms = route.timeout_ms;
  return api::open_websocket(std::move(opening));
}

}  // namespace svc::cli
