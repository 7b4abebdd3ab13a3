// Nonces of signed actions, shared by all of the user's processes: strictly increasing per signer.
#pragma once

#include "base/address.h"
#include "base/clock.h"
#include "cli/machine/paths.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/failure.h"

namespace svc::limits {
inline constexpr std::int64_t lane_patience_ms = 30 * second_ms;  // until another process has its answer
// After that a cancel goes without a signed action; the request of an agent, which needs a nonce, goes out of turn.
inline constexpr std::int64_t lane_patience_way_out_ms = 500;
}  // namespace svc::limits

namespace svc::cli {

inline constexpr std::string_view wallet_busy_code = "wallet_busy";

// max(last + 1, now), recorded before it is returned, under a lock that all processes share.
Result<std::uint64_t> take_nonce(const Paths& paths, std::string_view network, const Address& signer,
                                 TimestampMs now_ms, std::int64_t patience_ms = lock_patience_ms);

// To be held from drawing a nonce until the request is answered: the server refuses a nonce that arrives after a higher
// one, so the requests of one signer are sent one at a time, across processes. nullopt while another process holds it.
Result<std::optional<FileLock>> try_nonce_lane(const Paths& paths, std::string_view network, const Address& signer);

// The nonce that would be taken now.
Result<std::uint64_t> peek_nonce(const Paths& paths, std::string_view network, const Address& signer,
                                 TimestampMs now_ms);

}  // namespace svc::cli
