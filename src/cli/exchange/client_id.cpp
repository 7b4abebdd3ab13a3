#include "cli/exchange/client_id.h"

#include <array>

#include "base/fixed.h"

namespace svc::cli {

std::string make_ulid(const Environment& environment) {
  constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  constexpr std::size_t characters = 26;
  std::array<std::uint8_t, 10> chance{};
  environment.random(chance);
  __extension__ using Wide = unsigned __int128;
  Wide value = static_cast<std::uint64_t>(environment.clock->now_ms()) & 0xffff'ffff'ffffu;
  for (const std::uint8_t byte : chance) value = value << 8 | byte;
  std::string text(characters, '0');
  for (std::size_t i = characters; i-- > 0; value >>= 5) text[i] = digits[static_cast<std::size_t>(value & 31)];
  return text;
}

std::string make_client_id(const Environment& environment) {
  return "svc-" + make_ulid(environment);
}

}  // namespace svc::cli
