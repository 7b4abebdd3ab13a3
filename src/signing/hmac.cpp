#include "signing/hmac.h"

#include <nettle/hmac.h>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/secret.h"
#include "base/text.h"

namespace svc::signing {

// The state after the key was hashed. Signing works on a copy.
struct HmacKey::Context {
  Wiped<hmac_sha256_ctx> keyed;
};

std::optional<HmacKey> HmacKey::from_hex(std::string_view secret_text) {
  auto key = svc::from_hex(secret_text);
  if (!key || key->empty()) return std::nullopt;
  HmacKey result(*key);
  wipe(key->data(), key->size());
  return result;
}

HmacKey::HmacKey(std::span<const std::uint8_t> key) : context_(std::make_unique<Context>()) {
  SVC_ASSERT(!key.empty());
  hmac_sha256_set_key(&context_->keyed, key.size(), key.data());
}

HmacKey::HmacKey(HmacKey&&) noexcept = default;
HmacKey& HmacKey::operator=(HmacKey&&) noexcept = default;
HmacKey::~HmacKey() = default;

Hash32 HmacKey::sign(std::string_view message) const {
  const auto bytes = as_bytes(message);
  Context context(*context_);
  Hash32 code;
  hmac_sha256_update(&context.keyed, bytes.size(), bytes.data());
  hmac_sha256_digest(&context.keyed, code.size(), code.data());
  return code;
}

std::string HmacKey::sign_hex(std::string_view message) const {
  return to_hex(sign(message));
}

bool HmacKey::verify(std::string_view message, std::string_view signature_text) const {
  return equal_constant_time(sign_hex(message), signature_text);
}

namespace {

std::string joined_by_lf(std::initializer_list<std::string_view> texts) {
  return joined(texts, {}, "\n");
}

// Most reads have no body.
std::string body_digest(std::string_view body) {
  static const std::string of_nothing = to_hex(sha256(std::string_view{}));
  return body.empty() ? of_nothing : to_hex(sha256(body));
}

}  // namespace

std::string hmac_canonical(const RequestParts& request, TimestampMs timestamp_ms) {
  return joined_by_lf({std::to_string(timestamp_ms), upper_case(request.method), request.path, request.query,
                       body_digest(request.body)});
}

std::string agent_canonical(const RequestParts& request, TimestampMs timestamp_ms, std::uint64_t nonce) {
  return joined_by_lf({upper_case(request.method), request.path, request.query, body_digest(request.body),
                       std::to_string(timestamp_ms), std::to_string(nonce)});
}

Hash32 agent_request_digest(std::string_view canonical) {
  return keccak256(canonical);
}

}  // namespace svc::signing
