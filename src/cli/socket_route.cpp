#include "cli/socket_route.h"

#include <cstdlib>

#include "api/http_client.h"
#include "api/proxy.h"
#include "api/url.h"
#include "cli/program_version.h"

namespace svc::cli {
namespace {

std::string variable(const char* lower_case, const char* upper_case) {
  for (const char* name : {lower_case, upper_case}) {
    const char* value = name == nullptr ? nullptr : std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

api::ProxyEnvironment proxy_environment() {
  return {.http_proxy = variable("http_proxy", nullptr),  // never in upper case: see proxy.h
          .https_proxy = variable("https_proxy", "HTTPS_PROXY"),
          .all_proxy = variable("all_proxy", "ALL_PROXY"),
          .no_proxy = variable("no_proxy", "NO_PROXY")};
}

}  // namespace

Result<std::unique_ptr<api::Transport>, std::string> connect_by_socket(const Route& route) {
  const auto origin = api::parse_url(route.origin);
  if (!origin) return unexpected(origin.error());
  auto proxy = api::choose_proxy(*origin, route.proxy, proxy_environment());
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
