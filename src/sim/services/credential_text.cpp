#include "sim/services/credential_text.h"

#include <string>

#include "base/assert.h"

namespace svc::sim {

Secret draw_hex(Prng& stream, std::size_t bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  SVC_ASSERT(bytes % sizeof(std::uint64_t) == 0);
  std::string text;
  text.reserve(2 * bytes);
  for (std::size_t drawn = 0; drawn < bytes; drawn += sizeof(std::uint64_t)) {
    const std::uint64_t word = stream.next();
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(word >> shift) & 0xf];
  }
  return Secret(std::move(text));
}

}  // namespace svc::sim
