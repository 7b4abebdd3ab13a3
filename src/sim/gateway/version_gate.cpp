#include "sim/gateway/version_gate.h"

#include "sim/gateway/http_server_response.h"
#include "sim/gateway/request_host.h"

namespace svc::sim {
namespace {

// Past the sunset the floor is where the deprecation drew its line.
api::VersionPolicy policy_at(const VersionTerms& terms, TimestampMs now_ms) {
  api::VersionPolicy policy = terms.policy;
  const bool over = terms.sunset_ms && now_ms >= *terms.sunset_ms;
  if (over && policy.deprecated_below && *policy.deprecated_below > policy.minimum)
    policy.minimum = *policy.deprecated_below;
  return policy;
}

}  // namespace

Result<VersionStanding, api::ApiError> check_version(const api::Headers& headers, const VersionTerms& terms,
                                                     TimestampMs now_ms) {
  const api::VersionPolicy policy = policy_at(terms, now_ms);
  const auto named = headers.find(api::version_header);
  switch (api::judge(named, policy)) {
    case api::VersionVerdict::silent:
      if (terms.header_required) break;
      return named ? VersionStanding::unreadable : VersionStanding::current;
    case api::VersionVerdict::served: return VersionStanding::current;
    case api::VersionVerdict::deprecated: return VersionStanding::deprecated;
    case api::VersionVerdict::refused: break;
  }
  return unexpected(version_refusal(headers, terms, now_ms));
}

api::ApiError version_refusal(const api::Headers& headers, const VersionTerms& terms, TimestampMs now_ms) {
  const api::VersionPolicy policy = policy_at(terms, now_ms);
  const auto named = headers.find(api::version_header);
  const auto version = named ? api::parse_version(*named) : std::nullopt;
  const std::string minimum = to_string(policy.minimum);
  const std::string what = version ? "API version " + to_string(*version) + " is no longer served"
                                   : "The request names no API version in " + std::string(api::version_header);
  return api::ApiError(api::ErrorCode::api_version_unsupported, what + "; the minimum is " + minimum)
      .with("min_version", minimum)
      .with("current_version", to_string(policy.current))
      .with("spec_url", public_url(terms.spec_url, headers))
      .with("docs_url", public_url(terms.docs_url, headers));
}

bool is_websocket_upgrade(const api::Headers& headers) {
  const auto upgrade = headers.find("Upgrade");
  return upgrade && api::same_header_name(*upgrade, "websocket");
}

void add_version_floor(const VersionTerms& terms, TimestampMs now_ms, api::Headers& headers) {
  headers.set(api::min_version_header, to_string(policy_at(terms, now_ms).minimum));
}

void add_deprecation(const VersionTerms& terms, api::Headers& headers) {
  if (terms.deprecated_since_ms)
    headers.set("Deprecation", '@' + std::to_string(*terms.deprecated_since_ms / second_ms));
  if (terms.sunset_ms) headers.set("Sunset", http_date(*terms.sunset_ms));
  headers.set("Link", '<' + terms.docs_url + ">; rel=\"deprecation\"");
}

}  // namespace svc::sim
