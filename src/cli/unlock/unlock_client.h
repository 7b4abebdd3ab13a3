// The unlock agent as commands use it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/secrets/signer.h"

namespace svc::cli::unlock {

[[nodiscard]] bool holds(Context& context, std::string_view network, std::string_view wallet);

// Exit 4 if it does not hold the wallet (any more).
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open(Context& context, std::string_view network,
                                                            const std::string& wallet);

struct Lease {
  std::int64_t ttl_ms = 0;
  std::optional<std::uint64_t> uses{};
};
// The agent, if there is none yet: before the password is asked for, because it is a copy of this process.
[[nodiscard]] Result<void, Failure> start(Context& context);
// Until when, and for how many uses: unlocked_until_ms, uses_left.
[[nodiscard]] Result<Json, Failure> hold(Context& context, std::string_view network, const std::string& wallet,
                                         const signing::PrivateKey& key, const Lease& lease);

// Rows of what is held; nullopt without an agent.
[[nodiscard]] std::optional<Json> list(Context& context);
// How many keys were dropped; all of them without a wallet.
std::int64_t lock(Context& context, std::string_view network, const std::optional<std::string>& wallet);

}  // namespace svc::cli::unlock
