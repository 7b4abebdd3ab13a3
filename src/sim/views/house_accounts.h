// Accounts of the house: the bots that keep a market alive. Their addresses begin with 0xb0700000 and follow from
// their names; nobody holds a key of them. Little of their past is kept.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/address.h"

namespace svc::sim {

// Of orders, fills, activity and the like.
inline constexpr std::size_t house_rows_max = 100;

[[nodiscard]] Address house_account(std::string_view name);
[[nodiscard]] bool is_house_account(const Address& address);

}  // namespace svc::sim
