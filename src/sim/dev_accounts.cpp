#include "sim/dev_accounts.h"

#include "base/assert.h"
#include "signing/mnemonic.h"

namespace svc::sim {

std::vector<DevAccount> dev_accounts(std::size_t count, Usdx balance) {
  std::vector<DevAccount> accounts;
  if (count == 0) return accounts;
  const auto seed = signing::mnemonic_seed(dev_mnemonic);
  SVC_ASSERT(seed.has_value());
  accounts.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    const auto key = signing::derive_account(*seed, static_cast<std::uint32_t>(index));
    SVC_ASSERT(key.has_value());
    accounts.push_back({.index = index,
                        .address = key->address(),
                        .private_key = std::string(key->to_hex().reveal()),
                        .balance = balance});
  }
  return accounts;
}

}  // namespace svc::sim
