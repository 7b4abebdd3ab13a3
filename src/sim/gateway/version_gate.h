// Which API versions are accepted, and the notices for deprecated ones. (API: Versioning)
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/error_catalog.h"
#include "api/http/http_message.h"
#include "api/version.h"
#include "base/clock.h"

namespace svc::sim {

struct VersionTerms {
  api::VersionPolicy policy = {};
  std::optional<TimestampMs> deprecated_since_ms = {};  // of versions below policy.deprecated_below
  std::optional<TimestampMs> sunset_ms = {};            // later requests are refused (D-237)
  // After the grace period: a request with no version or an unreadable one is refused as well. Until then it passes.
  bool header_required = false;
  // URLs, or paths of this server to be sent as full URLs.
  std::string spec_url = "/openapi.json";
  std::string docs_url = "/llms.txt";
};

// Minimum support of a version after its successor. (API: Versioning, rule 5)
inline constexpr std::int64_t version_support_ms = 14 * day_ms;

// With dates for a deprecation without: it begins at `now_ms` and lasts for the support period. (D-726)
[[nodiscard]] VersionTerms with_dates(VersionTerms terms, TimestampMs now_ms);

// The policy at that time: after the sunset, deprecated versions are below the minimum. (D-237)
[[nodiscard]] api::VersionPolicy policy_at(const VersionTerms& terms, TimestampMs now_ms);

// The 426 of a version that is no longer served, or of a request without one; the answer's header names the minimum.
[[nodiscard]] api::ApiError refuse_version(const api::Headers& headers, const VersionTerms& terms, TimestampMs now_ms,
                                           api::Headers& answer);

// A handshake that asks for a WebSocket is never blocked.
[[nodiscard]] bool is_websocket_upgrade(const api::Headers& headers);

// Deprecation (RFC 9745), Sunset (RFC 8594) and Link of an answer to a deprecated version.
void add_deprecation(const VersionTerms& terms, api::Headers& headers);

}  // namespace svc::sim
