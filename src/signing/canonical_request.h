// The text of a request that its sender signs. The two schemes order the same facts differently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "signing/hash.h"

namespace svc::signing {

// A request as far as it is signed. Borrowed: valid while the request is.
struct RequestParts {
  std::string_view method;  // any case; signed in upper case
  std::string_view path;    // signed logical path: no host, no /v1 or /indexer prefix, no query
  std::string_view query;   // exact bytes after '?', "" if none
  std::string_view body;    // exact bytes, "" if none
};

// timestamp, METHOD, path, query, body hash; joined by LF. (API keys)
[[nodiscard]] std::string hmac_canonical(const RequestParts& request, TimestampMs timestamp_ms);

// METHOD, path, query, body hash, timestamp, nonce; joined by LF. (agent keys)
[[nodiscard]] std::string agent_canonical(const RequestParts& request, TimestampMs timestamp_ms, std::uint64_t nonce);

// What the agent key signs: keccak256 of the canonical text, without any prefix.
[[nodiscard]] Hash32 agent_request_digest(std::string_view canonical);

}  // namespace svc::signing
