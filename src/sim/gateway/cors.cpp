#include "sim/gateway/cors.h"

namespace svc::sim {
namespace {

constexpr const char* request_headers_allowed =
    "Authorization, Content-Type, Idempotency-Key, X-API-Key, X-Acting-Account, X-Action-Nonce, X-Action-Signature, "
    "X-Action-Timestamp, X-Agent, X-Nonce, X-Signature, X-Svc-Api-Version, X-Timestamp";
constexpr const char* response_headers_exposed =
    "Deprecation, Link, Retry-After, Sunset, X-Next-Cursor, X-RateLimit-Bucket, X-RateLimit-Limit, "
    "X-RateLimit-Remaining, X-RateLimit-Reset, X-Svc-Api-Min-Version, X-Svc-Block-Reason, "
    "X-Svc-Funding-Oldest-Ms, X-Svc-Funding-Truncated, X-Svc-Unknown-Query";
constexpr const char* preflight_lifetime_s = "600";

}  // namespace

api::HttpResponse preflight_response(const std::string& allow) {
  return {.status = 204,
          .headers = {{"Allow", allow},
                      {"Access-Control-Allow-Methods", allow},
                      {"Access-Control-Allow-Headers", request_headers_allowed},
                      {"Access-Control-Max-Age", preflight_lifetime_s}},
          .body = {}};
}

void allow_origin(const api::Headers& request_headers, api::HttpResponse& response) {
  if (!request_headers.contains("Origin")) return;
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Access-Control-Expose-Headers", response_headers_exposed);
}

}  // namespace svc::sim
