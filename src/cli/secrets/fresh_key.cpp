#include "cli/secrets/fresh_key.h"

#include <array>

namespace svc::cli {

signing::PrivateKey fresh_key(const Environment& environment) {
  std::optional<signing::PrivateKey> key;
  while (!key) {  // all but one in 2^127 are keys
    std::array<std::uint8_t, 32> bytes{};
    environment.random(bytes);
    key = signing::PrivateKey::from_bytes(bytes);
    wipe(bytes.data(), bytes.size());
  }
  return std::move(*key);
}

signing::ScryptCost default_cost(std::string_view network) {
  return network == "local" ? signing::scrypt_local_only : signing::scrypt_real_money;
}

}  // namespace svc::cli
