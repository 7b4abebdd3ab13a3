// Tokens and upgrades of the WebSocket streams.
#pragma once

#include <optional>
#include <string>

#include "api/record.h"
#include "base/secret.h"

namespace svc::api {

struct StreamToken {
  Secret token{};

  static constexpr FieldInfo fields[] = {
      field<&StreamToken::token>("token", "48 hex digits; 60 seconds, one connection")};
};

// Without a valid token the upgrade answers 401.
struct AccountStreamRequest {
  std::optional<std::string> token{};

  static constexpr FieldInfo fields[] = {field<&AccountStreamRequest::token>("token", "A minted token").query()};
};

// Older clients send a token, which is not needed.
struct PublicStreamRequest {
  std::optional<std::string> token{};

  static constexpr FieldInfo fields[] = {field<&PublicStreamRequest::token>("token", "Ignored").query()};
};

}  // namespace svc::api
