#include "sim/services/chain_terms.h"

#include <algorithm>

#include "base/assert.h"
#include "base/hex.h"
#include "signing/hash.h"

namespace svc::sim {
namespace {

struct NamedChain {
  std::string_view name;
  std::uint64_t id;
};

NamedChain chain_of(api::NetworkId network) {
  switch (network) {
    case api::NetworkId::mainnet: return {"ethereum", 1};
    case api::NetworkId::testnet: return {"sepolia", 11'155'111};
    case api::NetworkId::local: return {"devchain", 31'337};
  }
  SVC_ASSERT(false);
}

}  // namespace

ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms) {
  SVC_ASSERT(terms.block_ms >= 1 && terms.block_ms <= limits::chain_block_ms_max);
  SVC_ASSERT(std::max(terms.deposit_confirmations, terms.withdrawal_confirmations) <= limits::chain_confirmations_max);
  SVC_ASSERT(terms.withdrawal_fee >= Usdx{} && terms.withdrawal_fee < terms.min_withdrawal);
  if (!terms.name.empty()) return terms;
  const NamedChain chain = chain_of(network);
  terms.name = chain.name;
  terms.chain_id = chain.id;
  return terms;
}

TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations, std::int64_t block_ms) {
  return confirmations == 0 ? seen_ms : (seen_ms / block_ms + confirmations) * block_ms;
}

std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms) {
  return std::max<std::int64_t>(0, now_ms / block_ms - seen_ms / block_ms);
}

Address made_up_address(std::string_view text) {
  const signing::Hash32 hash = signing::keccak256(text);
  Address address;
  std::copy(hash.end() - static_cast<std::ptrdiff_t>(address.bytes.size()), hash.end(), address.bytes.begin());
  return address;
}

std::string made_up_hash(std::string_view text) {
  return to_hex_0x(signing::keccak256(text));
}

}  // namespace svc::sim
