// Nonces of signed actions, shared by all processes of the user: strictly increasing per signer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/machine/paths.h"
#include "cli/machine/private_file.h"
#include "cli/terminal/failure.h"

namespace svc::limits {
inline constexpr std::int64_t lane_patience_ms = 30 * second_ms;  // for another process to have its answer
inline constexpr std::int64_t lane_patience_way_out_ms = 500;     // then a cancel leaves without a signed action
}  // namespace svc::limits

namespace svc::cli {

inline constexpr std::string_view wallet_busy_code = "wallet_busy";

// max(last + 1, now), recorded before it is returned, under a lock that other processes respect.
[[nodiscard]] Result<std::uint64_t, Failure> take_nonce(const Paths& paths, std::string_view network,
                                                        const Address& signer, TimestampMs now_ms,
                                                        std::int64_t patience_ms = lock_patience_ms);

// Held from drawing a nonce until its request was answered: the server refuses one that arrives after a higher
// one, so requests of one signer go one after the other, whichever process sends them.
// nullopt while another process holds it.
[[nodiscard]] Result<std::optional<FileLock>, Failure> try_nonce_lane(const Paths& paths, std::string_view network,
                                                                      const Address& signer);

// The one that would be taken now.
[[nodiscard]] Result<std::uint64_t, Failure> peek_nonce(const Paths& paths, std::string_view network,
                                                        const Address& signer, TimestampMs now_ms);

}  // namespace svc::cli
