// The shapes of credentials that the venue hands out, and how they are drawn.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/prng.h"
#include "base/secret.h"

namespace svc::sim {

inline constexpr std::size_t session_token_bytes = 32;  // 64 hex digits
inline constexpr std::size_t stream_token_bytes = 24;   // 48 hex digits
inline constexpr std::size_t key_secret_bytes = 32;     // 64 hex digits, the HMAC key when decoded
inline constexpr std::size_t key_id_bytes = 8;          // 16 hex digits after the prefix
inline constexpr std::string_view key_id_prefix = "svc_";

// `bytes` random bytes as lower-case hex; a multiple of 8.
[[nodiscard]] Secret draw_hex(Prng& stream, std::size_t bytes);

}  // namespace svc::sim
