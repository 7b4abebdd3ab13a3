#include "sim/services/secret_stream.h"

#include <span>
#include <vector>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/integer_text.h"
#include "signing/keystore.h"

namespace svc::sim {

std::optional<Secret> drawn_before(SecretSource source, std::size_t bytes) {
  if (source == SecretSource::seed) return std::nullopt;
  std::vector<std::uint8_t> drawn(bytes);
  signing::fill_random(drawn);
  return Secret(to_hex(drawn));
}

Secret SecretStream::draw_hex(std::size_t bytes) {
  SVC_ASSERT(bytes % sizeof(std::uint64_t) == 0);
  std::string text;
  text.reserve(2 * bytes);
  for (std::size_t drawn = 0; drawn < bytes; drawn += sizeof(std::uint64_t)) {
    text += hex_of(seeded_.next());
  }
  return Secret(std::move(text));
}

Secret SecretStream::draw_hex(std::size_t bytes, const Address& account) {
  const signing::Hash32 mixed = signing::sha256(std::string(draw_hex(bytes).reveal()) + to_string(account));
  SVC_ASSERT(bytes <= mixed.size());
  return Secret(to_hex(std::span(mixed).first(bytes)));
}

}  // namespace svc::sim
