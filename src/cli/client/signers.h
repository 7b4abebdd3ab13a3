// Finds the signer of a wallet: its key in this process, the unlock agent, or an external program or service. The
// signatures of the latter are checked before use.
#pragma once

#include <memory>

#include "cli/client/context.h"
#include "cli/client/key_input.h"
#include "cli/store/signer.h"
#include "signing/key.h"

namespace svc::cli {

// The wallet of that name, or an external signer as --signer gives it: a program that reads requests on its standard
// input (exec:CMD), or a JSON-RPC service such as a wallet's (http://HOST[:PORT]); docs/signers.md describes both. Exit
// 4 if that cannot be reached or its answer is malformed. For a wallet it asks the unlock agent first, unless `held` is
// what the agent answered already, then for the password. Development keys are refused except on local.
Result<std::unique_ptr<Signer>> open_signer(Context& context, std::string_view network, const std::string& wallet,
                                            PasswordFrom from = PasswordFrom::anywhere,
                                            std::unique_ptr<Signer> held = nullptr);

// Whether a wallet signs without asking for a password.
struct WithoutPassword {
  bool may_sign = false;
  std::unique_ptr<Signer> held{};  // if the unlock agent had to be asked, and holds the wallet
};
[[nodiscard]] WithoutPassword without_password(Context& context, std::string_view network, const std::string& wallet);

}  // namespace svc::cli

// The unlock agent as commands use it.

namespace svc::cli::unlock {

// nullptr if it does not hold the wallet. A signature is exit 4 when it no longer does.
[[nodiscard]] std::unique_ptr<Signer> open(Context& context, std::string_view network, const std::string& wallet);

struct Lease {
  std::int64_t ttl_ms = 0;
  std::optional<std::uint64_t> uses{};
};
// Starts the agent if there is none. To be called before the password is read, because the agent is a copy of this
// process.
Result<void> start(Context& context);
// Returns how long and for how many uses the key is held: unlocked_until_ms, uses_left.
Result<Json> hold(Context& context, std::string_view network, const std::string& wallet, const signing::PrivateKey& key,
                  const Lease& lease);

// Both fail if an agent is there and does not answer: it may hold keys still.
// What the agent holds, as rows.
Result<Json> list(Context& context);
// Returns how many keys were dropped; without a wallet all are.
Result<std::int64_t> drop_keys(Context& context, std::string_view network, const std::optional<std::string>& wallet);

}  // namespace svc::cli::unlock
