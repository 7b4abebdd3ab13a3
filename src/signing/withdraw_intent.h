// The struct by which an account's owner withdraws (POST /withdrawals). Signed under the action domain.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/address.h"
#include "signing/hash.h"
#include "signing/uint256.h"

namespace svc::signing {

// Stands for USDX where an asset address is asked for: 20 bytes of 0xcc.
inline constexpr Address usdx_asset{{0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
                                     0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc}};

struct WithdrawIntent {
  static constexpr std::string_view type = "WithdrawIntent(uint256 amount,address asset,uint64 nonce)";

  Uint256 amount;  // 1e-6 USDX
  Address asset = usdx_asset;
  std::uint64_t nonce = 0;
};

[[nodiscard]] Hash32 struct_hash(const WithdrawIntent& intent);

}  // namespace svc::signing
