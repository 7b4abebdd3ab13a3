#include "sim/gateway/version_gate.h"

#include <algorithm>
#include <boost/beast/http/rfc7230.hpp>

#include "api/header_names.h"
#include "base/assert.h"
#include "sim/gateway/http_server_loop.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {

VersionTerms with_dates(VersionTerms terms, TimestampMs now_ms) {
  if (!terms.policy.deprecated_below) return terms;
  if (!terms.deprecated_since_ms) terms.deprecated_since_ms = std::min(now_ms, terms.sunset_ms.value_or(now_ms));
  if (!terms.sunset_ms) terms.sunset_ms = std::max(now_ms, *terms.deprecated_since_ms) + version_support_ms;
  return terms;
}

api::VersionPolicy policy_at(const VersionTerms& terms, TimestampMs now_ms) {
  api::VersionPolicy policy = terms.policy;
  const bool over = terms.sunset_ms && now_ms >= *terms.sunset_ms;
  if (over && policy.deprecated_below && *policy.deprecated_below > policy.minimum)
    policy.minimum = *policy.deprecated_below;
  return policy;
}

api::ApiError refuse_version(const api::Headers& headers, const VersionTerms& terms, TimestampMs now_ms,
                             api::Headers& answer) {
  const api::VersionPolicy policy = policy_at(terms, now_ms);
  const auto named = headers.find(api::version_header);
  const auto version = named ? api::parse_version(*named) : std::nullopt;
  const std::string minimum = to_string(policy.minimum);
  answer.set(api::min_version_header, minimum);
  const std::string what = version ? "API version " + to_string(*version) + " is no longer served"
                                   : "The request names no API version in " + std::string(api::version_header);
  return api::ApiError(api::ErrorCode::api_version_unsupported, what + "; the minimum is " + minimum)
      .with("min_version", minimum)
      .with("current_version", to_string(policy.current))
      .with("spec_url", public_url(terms.spec_url, headers))
      .with("docs_url", public_url(terms.docs_url, headers));
}

bool is_websocket_upgrade(const api::Headers& headers) {
  // A list, in one field or in several. (RFC 9110, section 7.8)
  return std::ranges::any_of(headers, [](const api::Header& field) {
    return api::same_header_name(field.name, "Upgrade") &&
           boost::beast::http::token_list(field.value).exists("websocket");
  });
}

void add_deprecation(const VersionTerms& terms, api::Headers& headers) {
  SVC_ASSERT(terms.deprecated_since_ms && terms.sunset_ms);  // with_dates()
  headers.set(api::header::deprecation, '@' + std::to_string(*terms.deprecated_since_ms / second_ms));
  headers.set(api::header::sunset, http_date(*terms.sunset_ms));
  headers.set(api::header::link, '<' + terms.docs_url + ">; rel=\"deprecation\"");
}

}  // namespace svc::sim
