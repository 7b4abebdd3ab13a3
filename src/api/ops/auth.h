// Login and API keys.
#pragma once

#include "api/operation.h"
#include "api/records/auth.h"

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
                                .auth = Auth::wallet_signature,
                                .rate = RateClass::login,
                                .errors = errors};
};

struct CreateKey {
  using Request = CreateKeyRequest;
  using Response = CreatedKey;
  static constexpr OperationError errors[] = {ErrorCode::too_many_keys};
  static constexpr Operation op{.name = "create_key",
                                .group = "auth",
                                .method = Method::post,
                                .path = "/keys",
                                .summary = "Create an API key",
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
                                .auth = Auth::bearer,
                                .errors = errors};
};

}  // namespace svc::api::ops
