// HMAC-SHA256 under a key that is used many times.
#pragma once

#include <nettle/hmac.h>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/secret.h"
#include "signing/hash.h"

namespace svc::signing {

// The key is hashed once; each signature continues from there, which costs a third of a one-shot HMAC.
//
// sign() may be called from several threads at once.
class HmacKey {
 public:
  // An API secret is hex text for the bytes of the key. nullopt if it is not hex, or empty.
  [[nodiscard]] static std::optional<HmacKey> from_hex(std::string_view secret_text);
  explicit HmacKey(std::span<const std::uint8_t> key);

  [[nodiscard]] Hash32 sign(std::string_view message) const;
  // As sent in X-Signature: 64 lower-case hex digits, no 0x.
  [[nodiscard]] std::string sign_hex(std::string_view message) const;
  // True if `signature_text` is the signature of `message` as 64 lower-case hex digits. Takes constant time.
  [[nodiscard]] bool verify(std::string_view message, std::string_view signature_text) const;

 private:
  Wiped<hmac_sha256_ctx> keyed_;  // the state after the key was hashed; signing works on a copy
};

// The signed parts of a request. Borrowed: valid while the request is.
struct RequestParts {
  std::string_view method;  // any case; signed in upper case
  std::string_view path;    // signed logical path: no host, no /v1 or /indexer prefix, no query
  std::string_view query;   // exact bytes after '?', "" if none
  std::string_view body;    // exact bytes, "" if none
};

// The signed text of a request: timestamp, METHOD, path, query, body hash; joined by LF. (API keys)
[[nodiscard]] std::string hmac_canonical(const RequestParts& request, TimestampMs timestamp_ms);
// METHOD, path, query, body hash, timestamp, nonce; joined by LF. (agent keys)
[[nodiscard]] std::string agent_canonical(const RequestParts& request, TimestampMs timestamp_ms, std::uint64_t nonce);
// What the agent key signs: keccak256 of the canonical text, without any prefix.
[[nodiscard]] Hash32 agent_request_digest(std::string_view canonical);

}  // namespace svc::signing
