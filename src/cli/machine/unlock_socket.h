// The unlock agent as a process of its own, and the way to it: a socket in the runtime folder that only its owner
// can reach.
//
// A question is two lines: JSON, and a key (empty but for "hold"). The answer is one. Each side asks the kernel who
// the other is. A lock beside the socket is held as long as the agent lives, so that there is one and no other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace svc::cli::unlock {

// One question and its answer; nullopt if nobody answers, or somebody else's process would.
[[nodiscard]] std::optional<std::string> ask(const std::filesystem::path& socket, const std::string& line,
                                             const Secret& key);

// Starts the agent if none listens, and returns when it does. It keeps its memory out of core dumps and ends
// when it holds nothing any more. It is a copy of this process: start it before a secret is read. The error is
// one line.
[[nodiscard]] Result<void, std::string> start(const std::filesystem::path& socket);

// Since the machine started, sleep included: the clock of leases.
[[nodiscard]] std::int64_t lease_now_ms();

// True if the process at the other end is of that user.
[[nodiscard]] bool is_of_user(int descriptor, uid_t user);

// No core dump of this process, and no look into it by others of the same user.
void keep_out_of_dumps();

}  // namespace svc::cli::unlock
