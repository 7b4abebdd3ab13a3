// Names of the header fields of the API, as the documents spell them; on the wire they compare without case. The
// version headers are in version.h, those of one operation in its record; what each means is in header_table.h.
#pragma once

#include <string_view>

namespace svc::api::header {

// Credentials
inline constexpr std::string_view api_key = "X-API-Key";
inline constexpr std::string_view timestamp = "X-Timestamp";
inline constexpr std::string_view signature = "X-Signature";
inline constexpr std::string_view nonce = "X-Nonce";
inline constexpr std::string_view agent = "X-Agent";
inline constexpr std::string_view authorization = "Authorization";
inline constexpr std::string_view action_signature = "X-Action-Signature";
inline constexpr std::string_view action_timestamp = "X-Action-Timestamp";
inline constexpr std::string_view action_nonce = "X-Action-Nonce";
inline constexpr std::string_view acting_account = "X-Acting-Account";

// Budgets
inline constexpr std::string_view limit = "X-RateLimit-Limit";
inline constexpr std::string_view remaining = "X-RateLimit-Remaining";
inline constexpr std::string_view reset = "X-RateLimit-Reset";
inline constexpr std::string_view bucket = "X-RateLimit-Bucket";
inline constexpr std::string_view retry_after = "Retry-After";

// Notices
inline constexpr std::string_view block_reason = "X-Svc-Block-Reason";
inline constexpr std::string_view deprecation = "Deprecation";
inline constexpr std::string_view sunset = "Sunset";
inline constexpr std::string_view link = "Link";
inline constexpr std::string_view unknown_query = "X-Svc-Unknown-Query";
inline constexpr std::string_view next_cursor = "X-Next-Cursor";

}  // namespace svc::api::header
