// Which API versions are let in, and what those hear that will not be for much longer. (API: Versioning)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/error_catalog.h"
#include "api/http_message.h"
#include "api/version.h"
#include "base/clock.h"
#include "base/result.h"

namespace svc::sim {

struct VersionTerms {
  api::VersionPolicy policy = {};
  std::optional<TimestampMs> deprecated_since_ms = {};  // of versions below policy.deprecated_below
  std::optional<TimestampMs> sunset_ms = {};            // from then on they are refused (D-237)
  // The end of the grace: a request that names no version, or none that can be read, is refused as well.
  bool header_required = false;
  // Paths of this server, told as whole URLs, or URLs.
  std::string spec_url = "/openapi.json";
  std::string docs_url = "/llms.txt";
};

enum class VersionStanding : std::uint8_t {
  current,
  deprecated,
  unreadable,  // taken for absent
};

// How long a version is served after its successor, at least. (API: Versioning, rule 5)
inline constexpr std::int64_t version_support_ms = 14 * day_ms;

// The terms with the dates that a deprecation needs and was not given: since `now_ms`, and for as long as versions
// are supported. (D-726)
[[nodiscard]] VersionTerms with_dates(VersionTerms terms, TimestampMs now_ms);

// What holds at that time: past the sunset the floor is where the deprecation drew its line. (D-237)
[[nodiscard]] api::VersionPolicy policy_at(const VersionTerms& terms, TimestampMs now_ms);

// The version a request names, against the terms; the error is the 426 with its body. A request that
// names none, or one that cannot be read, passes while the grace lasts.
[[nodiscard]] Result<VersionStanding, api::ApiError> check_version(const api::Headers& headers,
                                                                   const VersionTerms& terms, TimestampMs now_ms);

// The 426 itself.
[[nodiscard]] api::ApiError version_refusal(const api::Headers& headers, const VersionTerms& terms, TimestampMs now_ms);

// A handshake that asks for a WebSocket is never blocked.
[[nodiscard]] bool is_websocket_upgrade(const api::Headers& headers);

// X-Svc-Api-Min-Version of a 426.
void add_version_floor(const VersionTerms& terms, TimestampMs now_ms, api::Headers& headers);

// Deprecation (RFC 9745), Sunset (RFC 8594) and Link of an answer to a deprecated version.
void add_deprecation(const VersionTerms& terms, api::Headers& headers);

}  // namespace svc::sim
