#include "signing/hmac.h"

#include <nettle/hmac.h>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/secret.h"

namespace svc::signing {

// The state after the key was hashed. Signing works on a copy.
struct HmacKey::Context {
  hmac_sha256_ctx keyed;

  Context() = default;
  Context(const Context&) = default;
  Context& operator=(const Context&) = delete;
  ~Context() { wipe(&keyed, sizeof keyed); }
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

void append_line(std::string& out, std::string_view line) {
  out += line;
  out += '\n';
}

}  // namespace

std::string hmac_canonical(const RequestParts& request, TimestampMs timestamp_ms) {
  std::string text;
  text.reserve(128 + request.path.size() + request.query.size());
  append_line(text, std::to_string(timestamp_ms));
  append_line(text, upper_case(request.method));
  append_line(text, request.path);
  append_line(text, request.query);
  text += to_hex(sha256(request.body));
  return text;
}

std::string agent_canonical(const RequestParts& request, TimestampMs timestamp_ms, std::uint64_t nonce) {
  std::string text;
  text.reserve(160 + request.path.size() + request.query.size());
  append_line(text, upper_case(request.method));
  append_line(text, request.path);
  append_line(text, request.query);
  append_line(text, to_hex(sha256(request.body)));
  append_line(text, std::to_string(timestamp_ms));
  text += std::to_string(nonce);
  return text;
}

Hash32 agent_request_digest(std::string_view canonical) {
  return keccak256(canonical);
}

}  // namespace svc::signing
