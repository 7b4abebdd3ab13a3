#include "sim/services/credential_text.h"

#include <array>
#include <string>

#include "base/assert.h"
#include "signing/entropy.h"

namespace svc::sim {

std::uint64_t SecretStream::next() {
  if (source_ == SecretSource::seed) return seeded_.next();
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  signing::fill_random(bytes);
  std::uint64_t word = 0;
  for (const std::uint8_t byte : bytes) word = word << 8 | byte;
  return word;
}

Secret SecretStream::draw_hex(std::size_t bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  SVC_ASSERT(bytes % sizeof(std::uint64_t) == 0);
  std::string text;
  text.reserve(2 * bytes);
  for (std::size_t drawn = 0; drawn < bytes; drawn += sizeof(std::uint64_t)) {
    const std::uint64_t word = next();
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(word >> shift) & 0xf];
  }
  return Secret(std::move(text));
}

}  // namespace svc::sim
