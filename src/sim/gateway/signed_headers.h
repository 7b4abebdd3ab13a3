// The header values that signatures come with: read strictly, each on its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/http_message.h"
#include "base/clock.h"
#include "base/result.h"
#include "signing/key.h"
#include "sim/gateway/auth_refusal.h"

namespace svc::sim {

// Names of the credential headers, written here and nowhere else.
namespace header {
inline constexpr std::string_view api_key = "X-API-Key";
inline constexpr std::string_view timestamp = "X-Timestamp";
inline constexpr std::string_view signature = "X-Signature";
inline constexpr std::string_view nonce = "X-Nonce";
inline constexpr std::string_view agent = "X-Agent";
inline constexpr std::string_view authorization = "Authorization";
inline constexpr std::string_view action_signature = "X-Action-Signature";
inline constexpr std::string_view action_timestamp = "X-Action-Timestamp";
inline constexpr std::string_view action_nonce = "X-Action-Nonce";
inline constexpr std::string_view acting_account = "X-Acting-Account";
}  // namespace header

// The one value of that header.
[[nodiscard]] Result<std::string_view, AuthRefusal> required_header(const api::Headers& headers, std::string_view name);

// Unix milliseconds in base 10, no more than limits::auth_window_ms from the server's clock, if that is given.
[[nodiscard]] Result<TimestampMs, AuthRefusal> timestamp_in_window(const api::Headers& headers, std::string_view name,
                                                                   std::optional<TimestampMs> now_ms);

// Unsigned 64-bit integer in base 10.
[[nodiscard]] Result<std::uint64_t, AuthRefusal> nonce_of(const api::Headers& headers, std::string_view name);

// A recoverable signature of 65 bytes.
[[nodiscard]] Result<signing::Signature, AuthRefusal> signature_of(const api::Headers& headers, std::string_view name);

// The token of `Authorization: Bearer TOKEN`; empty if the header is absent or names another scheme.
[[nodiscard]] Result<std::string_view, AuthRefusal> bearer_token(const api::Headers& headers);

}  // namespace svc::sim
