#pragma once

#include "api/contract/admin.h"
#include "api/contract/declaration.h"
#include "base/secret.h"

// Login and API keys.

namespace svc::api {

SVC_RECORD(LoginRequest,
    (std::string, message, {}, "The constant text the service expects")
    (std::string, signature, {}, "0x-prefixed EIP-191 personal_sign signature of the message"));

SVC_RECORD(LoginResponse,
    (Secret, token, {}, "Session token, valid for 24 hours")
    (Address, address, {}, "The wallet that signed"));

// The body may be missing.
SVC_RECORD(CreateKeyRequest,
    (std::optional<std::string>, label, {}, "A name to remember the key by", .within(1, limits::label_bytes_max)));

SVC_RECORD(CreatedKey,
    (std::string, key_id, {}, "Sent as X-API-Key")
    (Secret, secret, {}, "64 hex digits; shown this once"));

SVC_RECORD(ApiKeyInfo,
    (std::string, key_id, {}, "Key id")
    (Tier, tier, = Tier::pro, "Tier of the owner")
    (std::optional<std::string>, label, {}, "The name given at creation", .omit_when_empty()));

SVC_RECORD(KeyRef, (std::string, key_id, {}, "Key id", .path()));

SVC_RECORD(DeletedKey,
    (std::string, key_id, {}, "Key id")
    (bool, deleted, = true, "Always true"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area auth{"auth"};

SVC_OPERATIONS(AuthOperations,
    (Login, LoginRequest, LoginResponse, auth, post, "login", "/auth/login", "Sign in with a wallet",
     "The message is the text `Sign in to ` and the display name of the exchange, nothing else. The first login "
     "creates the account; the token lives for 24 hours.", Auth::wallet_signature, RateClass::login,
     refuses<internal_error>, Effect::passing)
    (CreateKey, CreateKeyRequest, CreatedKey, auth, post, "create_key", "/keys", "Create an API key",
     "The body may be left out. The secret is shown this once. The key belongs to the network of this host, and "
     "its own request ceiling, that of the owner's tier now, stays when the tier changes.", Auth::bearer,
     refuses<too_many_keys>)
    (ListKeys, Empty, List<ApiKeyInfo>, auth, get, "list_keys", "/keys", "List the API keys of the serving host",
     "Keys that other hosts minted are not known here.", Auth::bearer)
    (DeleteKey, KeyRef, DeletedKey, auth, del, "delete_key", "/keys/{key_id}", "Delete an API key",
     "What another network minted is not found here and goes on working there.", Auth::bearer, refuses<not_found>));

}  // namespace svc::api::ops
