#include "cli/socket_route.h"

#include <algorithm>

#include "api/http_client.h"
#include "api/url.h"
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

Result<std::unique_ptr<api::Transport>, std::string> connect_by_socket(const Route& route,
                                                                       const api::ProxyEnvironment& proxies) {
  const auto origin = api::parse_url(route.origin);
  if (!origin) return unexpected(origin.error());
  auto proxy = api::choose_proxy(*origin, route.proxy, proxies);
  if (!proxy) return unexpected("--proxy: " + proxy.error());
  api::HttpClientOptions options;
  options.origin = *origin;
  options.proxy = std::move(*proxy);
  if (route.ca) options.certificate_authorities = *route.ca;
  options.user_agent = "svc/" + std::string(program_version);
  options.connect_ms = std::min(options.connect_ms, route.timeout_ms);
  options.answer_ms = route.timeout_ms;
  return std::unique_ptr<api::Transport>(std::make_unique<api::HttpClient>(std::move(options)));
}

}  // namespace svc::cli
