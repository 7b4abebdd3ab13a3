// Nonces of signed actions, shared by all processes of the user: strictly increasing per signer.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"
#include "cli/files/private_file.h"

namespace svc::cli {

// max(last + 1, now), recorded before it is returned, under a lock that other processes respect.
[[nodiscard]] Result<std::uint64_t, Failure> take_nonce(const Paths& paths, std::string_view network,
                                                        const Address& signer, TimestampMs now_ms);

// Held from drawing a nonce until its request was answered: the server refuses one that arrives after a higher
// one, so requests of one signer go one after the other, whichever process sends them.
[[nodiscard]] Result<FileLock, Failure> take_nonce_lane(const Paths& paths, std::string_view network,
                                                        const Address& signer);

// The one that would be taken now.
[[nodiscard]] Result<std::uint64_t, Failure> peek_nonce(const Paths& paths, std::string_view network,
                                                        const Address& signer, TimestampMs now_ms);

}  // namespace svc::cli
