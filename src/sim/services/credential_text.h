// The shapes of credentials that the venue hands out, and how they are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/prng.h"
#include "base/secret.h"

namespace svc::sim {

inline constexpr std::size_t session_token_bytes = 32;  // 64 hex digits
inline constexpr std::size_t stream_token_bytes = 24;   // 48 hex digits
inline constexpr std::size_t key_secret_bytes = 32;     // 64 hex digits, the HMAC key when decoded
inline constexpr std::size_t key_id_bytes = 8;          // 16 hex digits after the prefix
inline constexpr std::string_view key_id_prefix = "svc_";

enum class SecretSource : std::uint8_t {
  seed,    // equal runs hand out equal ones: they protect nothing real (D-222)
  system,  // nobody can tell them beforehand (D-661)
};

// Where the secrets of one purpose come from.
class SecretStream {
 public:
  SecretStream(Prng seeded, SecretSource source = SecretSource::seed) : seeded_(seeded), source_(source) {}

  // `bytes` random bytes as lower-case hex; a multiple of 8.
  [[nodiscard]] Secret draw_hex(std::size_t bytes);

  // Where the seeded stream stands; the source is its owner's.
  template <class Archive>
  void archive(Archive& archive) {
    archive(seeded_);
  }

 private:
  [[nodiscard]] std::uint64_t next();

  Prng seeded_;
  SecretSource source_;
};

}  // namespace svc::sim
