#include "signing/hmac.h"

#include "base/assert.h"
#include "base/encoding.h"
#include "base/text.h"

namespace svc::signing {

std::optional<HmacKey> HmacKey::from_hex(std::string_view secret_text) {
  auto key = svc::from_hex(secret_text);
  if (!key || key->empty()) return std::nullopt;
  HmacKey result(*key);
  wipe(key->data(), key->size());
  return result;
}

HmacKey::HmacKey(std::span<const std::uint8_t> key) {
  SVC_ASSERT(!key.empty());
  hmac_sha256_set_key(&keyed_, key.size(), key.data());
}

Hash32 HmacKey::sign(std::string_view message) const {
  const auto bytes = as_bytes(message);
  auto hash = keyed_;
  Hash32 code;
  hmac_sha256_update(&hash, bytes.size(), bytes.data());
  hmac_sha256_digest(&hash, code.size(), code.data());
  return code;
}

std::string HmacKey::sign_hex(std::string_view message) const {
  return to_hex(sign(message));
}

bool HmacKey::verify(std::string_view message, std::string_view signature_text) const {
  return equal_constant_time(sign_hex(message), signature_text);
}

namespace {

using Lines = std::initializer_list<std::string_view>;

// Most reads have no body.
std::string body_digest(std::string_view body) {
  static const std::string of_nothing = to_hex(sha256(std::string_view{}));
  return body.empty() ? of_nothing : to_hex(sha256(body));
}

}  // namespace

std::string hmac_canonical(const RequestParts& request, TimestampMs timestamp_ms) {
  return joined(Lines{std::to_string(timestamp_ms), upper_case(request.method), request.path, request.query,
                      body_digest(request.body)},
                {}, "\n");
}

std::string agent_canonical(const RequestParts& request, TimestampMs timestamp_ms, std::uint64_t nonce) {
  return joined(Lines{upper_case(request.method), request.path, request.query, body_digest(request.body),
                      std::to_string(timestamp_ms), std::to_string(nonce)},
                {}, "\n");
}

Hash32 agent_request_digest(std::string_view canonical) {
  return keccak256(canonical);
}

}  // namespace svc::signing
