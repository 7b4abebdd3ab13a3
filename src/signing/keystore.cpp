#include "signing/keystore.h"

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/hex.h"
#include "base/limits.h"
#include "signing/json_document.h"
#include "signing/loose_json.h"

namespace svc::signing {
namespace {

using nlohmann::json;

KeystoreError error_of(SealError error) {
  switch (error) {
    case SealError::malformed: return KeystoreError::malformed;
    case SealError::unsupported: return KeystoreError::unsupported;
    case SealError::kdf_out_of_bounds: return KeystoreError::kdf_out_of_bounds;
    case SealError::wrong_key: return KeystoreError::wrong_password;
    case SealError::password_needed: return KeystoreError::wrong_password;  // not met: keystores are opened by password
    case SealError::key_needed: return KeystoreError::key_needed;
  }
  return KeystoreError::malformed;
}

}  // namespace

const char* to_string(KeystoreError error) {
  switch (error) {
    case KeystoreError::malformed: return "not a Web3 keystore file of version 3";
    case KeystoreError::unsupported: return to_string(SealError::unsupported);
    case KeystoreError::kdf_out_of_bounds: return to_string(SealError::kdf_out_of_bounds);
    case KeystoreError::wrong_password: return "wrong password, or a damaged file";
    case KeystoreError::key_needed: return to_string(SealError::key_needed);
    case KeystoreError::not_a_key: return "the file opens, but does not hold a private key";
    case KeystoreError::address_mismatch: return "the file holds the key of another address than it says";
  }
  return "";
}

std::string write_keystore(const PrivateKey& key, const Secret& password, const ScryptCost& cost,
                           const SealEntropy& entropy) {
  auto document = parse_json_document(seal(key.reveal(), password, cost, entropy));
  SVC_ASSERT(document.has_value());
  (*document)["address"] = to_hex(key.address().bytes);
  return document->dump();
}

Result<KeystoreInfo, KeystoreError> inspect_keystore(std::string_view text) {
  auto seal = inspect_seal(text);
  if (!seal) return unexpected(error_of(seal.error()));
  KeystoreInfo info{.address = std::nullopt, .seal = std::move(*seal), .id = {}};
  const auto document = parse_json_document(text);
  SVC_ASSERT(document.has_value());  // the seal was just read from it
  info.id = loose_text(*document, "id").value_or("");
  // Tools that hide the owner leave the address out, or empty.
  const json* address = loose_find(*document, "address");
  if (address && !address->is_null() && *address != "") {
    if (!address->is_string()) return unexpected(KeystoreError::malformed);
    info.address = parse_address_lenient(address->get_ref<const std::string&>());
    if (!info.address) return unexpected(KeystoreError::malformed);
  }
  return info;
}

Result<PrivateKey, KeystoreError> read_keystore(std::string_view text, const Secret& password) {
  const auto info = inspect_keystore(text);
  if (!info) return unexpected(info.error());
  const auto bytes = open(text, password);
  if (!bytes) return unexpected(error_of(bytes.error()));
  auto key = PrivateKey::from_bytes(as_bytes(bytes->reveal()));
  if (!key) return unexpected(KeystoreError::not_a_key);
  if (info->address && *info->address != key->address()) return unexpected(KeystoreError::address_mismatch);
  return std::move(*key);
}

}  // namespace svc::signing
