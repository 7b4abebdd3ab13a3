// Header fields of the API: their names as the documents spell them, which compare without case on the wire, and what
// each means. The version headers are in version.h, the names of those of one operation in its record.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/version.h"

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
inline constexpr std::string_view upgrade = "Upgrade";

}  // namespace svc::api::header

// For `svc explain`, for the OpenAPI document, and for what pages of other origins may send and read.

namespace svc::api {

enum class SentBy : std::uint8_t { client, server };

struct HeaderInfo {
  std::string_view name;
  SentBy by;
  std::string_view meaning;
  std::string_view schema = {};  // of a header that answers of many operations share
};

namespace header_schema {
inline constexpr std::string_view text = R"({"type":"string"})";
inline constexpr std::string_view count = R"({"type":"integer","minimum":0})";
inline constexpr std::string_view bucket = R"({"type":"string","enum":["key","owner","order","cancel","ip","login"]})";
inline constexpr std::string_view seconds = R"({"type":"integer","minimum":1})";
}  // namespace header_schema

inline constexpr HeaderInfo header_table[] = {
    {header::api_key, SentBy::client, "Id of the HMAC key that signed the request"},
    {header::timestamp, SentBy::client,
     "Unix milliseconds when the request was signed; refused beyond 30 s from the server's clock"},
    {header::signature, SentBy::client, "Signature of the request: HMAC in hex, or that of an agent or owner key"},
    {header::agent, SentBy::client, "Address of the agent key that signed the request"},
    {header::nonce, SentBy::client, "Number used once by the key that signed; kept in a file shared by all processes"},
    {header::authorization, SentBy::client, "Bearer token of a session, or the operator's secret"},
    {header::action_signature, SentBy::client, "EIP-712 signature of the action, beside the credential"},
    {header::action_timestamp, SentBy::client, "timestampMs of the signed action, within 30 s of the server's clock"},
    {header::action_nonce, SentBy::client, "Nonce of the signed action"},
    {header::acting_account, SentBy::client, "Account of the signed action where it is not the credential's own"},
    {version_header, SentBy::client,
     "Version of the interface this client was written against; below the server's minimum the answer is 426"},
    {"Idempotency-Key", SentBy::client,
     "Names a bridge withdrawal, so that the same request may be sent again; another amount is a conflict"},
    {"If-None-Match", SentBy::client, "The ETag of what the client has: 304 without a body if that is still current"},
    {"User-Agent", SentBy::client, "Which program asks"},
    {"X-Account-Id", SentBy::client, "Retired: the account goes into the signed body; the answer is 426"},
    {header::limit, SentBy::server, "Tokens per second of the bucket that was charged, and its capacity",
     header_schema::count},
    {header::remaining, SentBy::server, "Whole tokens left in it; a request may cost several", header_schema::count},
    {header::reset, SentBy::server, "With a 429: when it is full again, Unix seconds", header_schema::count},
    {header::bucket, SentBy::server, "With a 429: the bucket that refused: key, owner, order, cancel, ip or login",
     header_schema::bucket},
    {header::retry_after, SentBy::server, "Seconds until the same request can pass", header_schema::seconds},
    {header::next_cursor, SentBy::server, "Where the next page begins; svc reads it with --all"},
    {"X-Svc-Funding-Oldest-Ms", SentBy::server, "How far back the rows of a market's funding reach"},
    {"X-Svc-Funding-Truncated", SentBy::server, "Whether older rows of a market's funding were dropped"},
    {min_version_header, SentBy::server, "With a 426: the oldest version that is served", header_schema::text},
    {header::deprecation, SentBy::server,
     "Since when the version in use is deprecated (RFC 9745); it is served as before until Sunset",
     header_schema::text},
    {header::sunset, SentBy::server, "From when on the version in use is refused with 426 (RFC 8594)",
     header_schema::text},
    {header::link, SentBy::server, "With rel=deprecation: where to read about a retirement", header_schema::text},
    {header::block_reason, SentBy::server, "The code of a refusal at the caller's location, equal to the body's",
     header_schema::text},
    {header::unknown_query, SentBy::server,
     "Names of query parameters that the operation does not take: they were ignored", header_schema::text},
    {"Allow", SentBy::server, "With a 405: the methods that the path has"},
    {header::upgrade, SentBy::server, "With a 426 of a stream: the request has to be a WebSocket handshake",
     header_schema::text},
    {"ETag", SentBy::server, "Version of the interface description or of a file of the console"},
    {"Date", SentBy::server, "The server's clock; the difference from ours is measured by it"},
};

}  // namespace svc::api
