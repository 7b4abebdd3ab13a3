// Login and API keys.
#pragma once

#include <optional>
#include <string>

#include "api/record.h"
#include "api/records/page.h"
#include "api/records/tier.h"
#include "base/address.h"
#include "base/secret.h"

namespace svc::api {

struct LoginRequest {
  std::string message{};
  std::string signature{};

  static constexpr FieldInfo fields[] = {
      field<&LoginRequest::message>("message", "The constant text the service expects"),
      field<&LoginRequest::signature>("signature", "0x-prefixed EIP-191 personal_sign signature of the message")};
};

struct LoginResponse {
  Secret token{};
  Address address{};

  static constexpr FieldInfo fields[] = {field<&LoginResponse::token>("token", "Session token, valid for 24 hours"),
                                         field<&LoginResponse::address>("address", "The wallet that signed")};
};

// The body may be absent altogether.
struct CreateKeyRequest {
  std::optional<std::string> label{};

  static constexpr FieldInfo fields[] = {field<&CreateKeyRequest::label>("label", "A name to remember the key by")};
};

struct CreatedKey {
  std::string key_id{};
  Secret secret{};

  static constexpr FieldInfo fields[] = {field<&CreatedKey::key_id>("key_id", "Sent as X-API-Key"),
                                         field<&CreatedKey::secret>("secret", "64 hex digits; shown this once")};
};

struct ApiKeyInfo {
  std::string key_id{};
  Tier tier = Tier::pro;
  std::optional<std::string> label{};

  static constexpr FieldInfo fields[] = {
      field<&ApiKeyInfo::key_id>("key_id", "Key id"), field<&ApiKeyInfo::tier>("tier", "Tier of the owner"),
      field<&ApiKeyInfo::label>("label", "The name given at creation").omit_when_empty()};
};

struct KeyRef {
  std::string key_id{};

  static constexpr FieldInfo fields[] = {field<&KeyRef::key_id>("key_id", "Key id").path()};
};

struct DeletedKey {
  std::string key_id{};
  bool deleted = true;

  static constexpr FieldInfo fields[] = {field<&DeletedKey::key_id>("key_id", "Key id"),
                                         field<&DeletedKey::deleted>("deleted", "Always true")};
};

}  // namespace svc::api
