// The formats of the venue's credentials, and how they are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/random.h"
#include "base/secret.h"

namespace svc::sim {

inline constexpr std::size_t session_token_bytes = 32;  // 64 hex digits
inline constexpr std::size_t stream_token_bytes = 24;   // 48 hex digits
inline constexpr std::size_t key_secret_bytes = 32;     // 64 hex digits, the HMAC key when decoded
inline constexpr std::size_t key_id_bytes = 8;          // 16 hex digits after the prefix
inline constexpr std::string_view key_id_prefix = "svc_";

enum class SecretSource : std::uint8_t {
  seed,    // drawn by the single writer; equal runs give equal secrets: they protect nothing real (D-222)
  system,  // unpredictable: drawn before the command that brings them to the writer (D-661)
};

// What a command has to bring: `bytes` unpredictable bytes as lower-case hex; nullopt if the writer draws them.
[[nodiscard]] std::optional<Secret> drawn_before(SecretSource source, std::size_t bytes);

class SecretStream {
 public:
  explicit SecretStream(Prng seeded) : seeded_(seeded) {}

  // `bytes` random bytes as lower-case hex; a multiple of 8.
  [[nodiscard]] Secret draw_hex(std::size_t bytes);
  // The same for a credential of that account, at most 32. Two sandboxes of one seed give different accounts different
  // secrets, so that a client that mistakes one for the other does not act for somebody else.
  [[nodiscard]] Secret draw_hex(std::size_t bytes, const Address& account);

  template <class Archive>
  void archive(Archive& archive) {
    archive(seeded_);
  }

 private:
  Prng seeded_;
};

}  // namespace svc::sim
