// Headers of the API and their meanings, for `svc explain`.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/header_names.h"
#include "api/version.h"

namespace svc::cli {

enum class SentBy : std::uint8_t { client, server };

struct HeaderInfo {
  std::string_view name;
  SentBy by;
  std::string_view meaning;
};

inline constexpr HeaderInfo header_catalog[] = {
    {"X-API-Key", SentBy::client, "id of the HMAC key that signed the request"},
    {"X-Timestamp", SentBy::client,
     "Unix milliseconds when the request was signed; refused beyond 30 s from the server's clock"},
    {"X-Signature", SentBy::client, "signature of the request: HMAC in hex, or that of an agent or owner key"},
    {api::header::agent, SentBy::client, "address of the agent key that signed the request"},
    {"X-Nonce", SentBy::client, "number used once by the key that signed; kept in a file shared by all processes"},
    {"Authorization", SentBy::client, "bearer token of a session, or the operator's secret"},
    {"X-Action-Signature", SentBy::client, "EIP-712 signature of the action, beside the credential"},
    {"X-Action-Timestamp", SentBy::client, "timestampMs of the signed action, within 30 s of the server's clock"},
    {"X-Action-Nonce", SentBy::client, "nonce of the signed action"},
    {"X-Acting-Account", SentBy::client, "account of the signed action where it is not the credential's own"},
    {api::version_header, SentBy::client,
     "version of the interface this client was written against; below the "
     "server's minimum the answer is 426"},
    {"Idempotency-Key", SentBy::client,
     "names a bridge withdrawal, so that the same request may be sent again; another amount is a conflict"},
    {"X-Account-Id", SentBy::client, "retired: the account goes into the signed body; the answer is 426"},
    {"X-RateLimit-Limit", SentBy::server, "requests of cost one that the budget holds when full"},
    {"X-RateLimit-Remaining", SentBy::server, "requests of cost one left in the budget; a heavy request takes several"},
    {"X-RateLimit-Reset", SentBy::server, "with a 429: Unix seconds when there will be room again"},
    {"X-RateLimit-Bucket", SentBy::server,
     "with a 429: the budget that ran out: key, owner, order, cancel, ip or login"},
    {"Retry-After", SentBy::server, "seconds to wait before the same request can succeed"},
    {"X-Next-Cursor", SentBy::server, "where the next page begins; svc reads it with --all"},
    {api::min_version_header, SentBy::server, "with a 426: the oldest version that is served"},
    {"Deprecation", SentBy::server, "the version in use is to be retired; it is served as before until Sunset"},
    {"Sunset", SentBy::server, "the date after which the version in use is refused with 426"},
    {"Link", SentBy::server, "with rel=deprecation: where the guidance about a retirement is"},
    {api::header::block_reason, SentBy::server, "why a write was refused at the caller's location"},
    {api::header::unknown_query, SentBy::server,
     "query parameters that the operation does not have; they were ignored"},
    {"Allow", SentBy::server, "with a 405: the methods that the path has"},
    {"Upgrade", SentBy::server, "with a 426 of a stream: the request has to be a WebSocket handshake"},
    {"ETag", SentBy::server, "version of the interface description or of a file of the console"},
    {"Date", SentBy::server, "the server's clock; the difference from ours is measured by it"},
};

}  // namespace svc::cli
