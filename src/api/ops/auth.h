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
                                .detail =
                                    "The message is the text `Sign in to ` and the display name of the exchange, "
                                    "nothing else. The first login creates the account; the token lives for 24 hours.",
                                .auth = Auth::wallet_signature,
                                .rate = RateClass::login,
                                .errors = errors};
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
