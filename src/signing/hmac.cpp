#include "signing/hmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <mutex>

#include "base/assert.h"
#include "base/hex.h"
#include "base/secret.h"

namespace svc::signing {

// The context is keyed once; a new init without a key rewinds it to just after the key. A mutex guards
// it, because a key belongs to one caller, whose requests seldom overlap.
struct HmacKey::Context {
  EVP_MAC_CTX* keyed = nullptr;
  std::mutex mutex;

  ~Context() { EVP_MAC_CTX_free(keyed); }
};

std::optional<HmacKey> HmacKey::from_hex(std::string_view secret_text) {
  auto key = svc::from_hex(secret_text);
  if (!key || key->empty()) return std::nullopt;
  HmacKey result(*key);
  wipe(key->data(), key->size());
  return result;
}

HmacKey::HmacKey(std::span<const std::uint8_t> key) : context_(std::make_unique<Context>()) {
  static EVP_MAC* algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  SVC_ASSERT(algorithm != nullptr && !key.empty());
  context_->keyed = EVP_MAC_CTX_new(algorithm);
  char digest_name[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest_name, 0),
                                   OSSL_PARAM_construct_end()};
  SVC_ASSERT(EVP_MAC_init(context_->keyed, key.data(), key.size(), parameters) == 1);
}

HmacKey::HmacKey(HmacKey&&) noexcept = default;
HmacKey& HmacKey::operator=(HmacKey&&) noexcept = default;
HmacKey::~HmacKey() = default;

Hash32 HmacKey::sign(std::string_view message) const {
  const auto bytes = as_bytes(message);
  Hash32 code;
  std::size_t size = 0;
  const std::lock_guard lock(context_->mutex);
  SVC_ASSERT(EVP_MAC_init(context_->keyed, nullptr, 0, nullptr) == 1);
  SVC_ASSERT(EVP_MAC_update(context_->keyed, bytes.data(), bytes.size()) == 1);
  SVC_ASSERT(EVP_MAC_final(context_->keyed, code.data(), &size, code.size()) == 1 && size == code.size());
  return code;
}

std::string HmacKey::sign_hex(std::string_view message) const {
  return to_hex(sign(message));
}

bool HmacKey::verify(std::string_view message, std::string_view signature_text) const {
  return equal_constant_time(sign_hex(message), signature_text);
}

}  // namespace svc::signing
