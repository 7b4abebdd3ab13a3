// The chain at the other end of the bridge, as a sandbox has one: its blocks come by the sandbox's clock, at
// every full block time, so that a jump of the clock confirms as much as waiting would. (D-290)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/network.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/fixed.h"
#include "base/limits.h"

namespace svc::sim {

struct ChainTerms {
  std::string name;  // empty: that of the network, chain_of()
  std::uint64_t chain_id = 0;
  std::int64_t block_ms = 12'000;            // 1 to limits::chain_block_ms_max
  std::uint32_t deposit_confirmations = 12;  // 0: final at once; at most limits::chain_confirmations_max
  std::uint32_t withdrawal_confirmations = 12;
  Usdx min_deposit{usdx_one};
  Usdx min_withdrawal{usdx_one};
  Usdx withdrawal_fee{};  // below min_withdrawal; what the chain keeps of a bridge withdrawal
};

// The terms with the name and id of the chain that a network is bridged to.
[[nodiscard]] ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms);

// When a transaction seen at `seen_ms` has that many blocks on it, and how many it has by `now_ms`.
[[nodiscard]] TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations, std::int64_t block_ms);
[[nodiscard]] std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms);

// 20 and 32 bytes that nobody chose: contracts, deposit addresses and transactions of a chain that exists in
// this process only. Equal texts give equal ones.
[[nodiscard]] Address made_up_address(std::string_view text);
[[nodiscard]] std::string made_up_hash(std::string_view text);

}  // namespace svc::sim
