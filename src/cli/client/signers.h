// Finds whoever signs for a wallet: its key in this process, the unlock agent that holds it, or a program or service
// outside. What those sign is checked before anybody relies on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/client/context.h"
#include "cli/store/signer.h"
#include "signing/key.h"

namespace svc::cli {

// The wallet of that name, or what --signer says instead of a name: exec:CMD, or http://HOST[:PORT] for JSON-RPC.
// Asks the unlock agent first, then for the password. Development keys are refused but on local.
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open_signer(Context& context, std::string_view network,
                                                                   const std::string& wallet);

// True if it signs without asking anybody for a password.
[[nodiscard]] bool signs_unasked(Context& context, std::string_view network, const std::string& wallet);

// Signers outside: a program that is asked on its standard input (exec:CMD), or a JSON-RPC service such as a
// wallet's (http://HOST[:PORT]). docs/signers.md describes both.

// Asks for the address. Exit 4 if the signer cannot be reached or answers something else.
[[nodiscard]] Result<std::unique_ptr<Signer>, Failure> open_external_signer(Context& context, const std::string& spec);

}  // namespace svc::cli

// The unlock agent as commands use it.

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
