#pragma once

#include <optional>
#include <string>

#include "api/contract/admin.h"
#include "api/contract/scalars.h"
#include "api/operation.h"
#include "api/record.h"
#include "base/address.h"
#include "base/secret.h"

// Login and API keys.

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

// The body may be missing.
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

// Login and API keys.

namespace svc::api::ops {

struct Login {
  using Request = LoginRequest;
  using Response = LoginResponse;
  static constexpr OperationError errors[] = {ErrorCode::internal_error};
  static constexpr Operation op{.name = "login",
                                .group = "auth",
                                .method = Method::post,
                                .path = "/auth/login",
                                .summary = "Sign in with a wallet",
                                .detail =
                                    "The message is the text `Sign in to ` and the display name of the exchange, "
                                    "nothing else. The first login creates the account; the token lives for 24 hours.",
                                .auth = Auth::wallet_signature,
                                .rate = RateClass::login,
                                .errors = errors,
                                .effect = Effect::passing};
};

struct CreateKey {
  using Request = CreateKeyRequest;
  using Response = CreatedKey;
  static constexpr OperationError errors[] = {ErrorCode::too_many_keys};
  static constexpr Operation op{
      .name = "create_key",
      .group = "auth",
      .method = Method::post,
      .path = "/keys",
      .summary = "Create an API key",
      .detail =
          "The body may be left out. The secret is shown this once. The key belongs to the network of this host, and "
          "its own request ceiling, that of the owner's tier now, stays when the tier changes.",
      .auth = Auth::bearer,
      .errors = errors};
};

struct ListKeys {
  using Request = Empty;
  using Response = List<ApiKeyInfo>;
  static constexpr Operation op{.name = "list_keys",
                                .group = "auth",
                                .method = Method::get,
                                .path = "/keys",
                                .summary = "List the API keys of the serving host",
                                .detail = "Keys that other hosts minted are not known here.",
                                .auth = Auth::bearer};
};

struct DeleteKey {
  using Request = KeyRef;
  using Response = DeletedKey;
  static constexpr OperationError errors[] = {ErrorCode::not_found};
  static constexpr Operation op{.name = "delete_key",
                                .group = "auth",
                                .method = Method::del,
                                .path = "/keys/{key_id}",
                                .summary = "Delete an API key",
                                .detail = "What another network minted is not found here and goes on working there.",
                                .auth = Auth::bearer,
                                .errors = errors};
};

}  // namespace svc::api::ops
