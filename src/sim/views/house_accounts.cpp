#include "sim/views/house_accounts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/prng.h"

namespace svc::sim {
namespace {

constexpr std::array<std::uint8_t, 4> prefix{0xb0, 0x70, 0x00, 0x00};

}  // namespace

Address house_account(std::string_view name) {
  Address address{};
  std::ranges::copy(prefix, address.bytes.begin());
  std::uint64_t state = hash64(name);
  for (std::size_t i = prefix.size(); i < address.bytes.size(); ++i)
    address.bytes[i] = static_cast<std::uint8_t>(splitmix64(state) >> 56);
  return address;
}

bool is_house_account(const Address& address) {
  return std::ranges::equal(prefix, std::span(address.bytes).first(prefix.size()));
}

}  // namespace svc::sim
