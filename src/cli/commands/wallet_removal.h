// Removing a wallet from this machine, by `keystore delete` and together with an agent's rights.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/client/context.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {

// A change that cannot be undone is confirmed by typing the wallet's name, or with --yes.
Result<void, Failure> confirm_by_name(Context& context, const WalletInfo& wallet, const std::string& what);

// Exit 6 if the wallet is logged in: its session refers to it by its name.
Result<void, Failure> check_not_logged_in(Context& context, const Paths& paths, const WalletInfo& wallet);

// The checks before a wallet is removed: it is not logged in, and its loss is confirmed.
Result<void, Failure> confirm_removal(Context& context, const Paths& paths, const WalletInfo& wallet);

// Removes the file, the unlocked key and what is known here of it as an agent.
Result<void, Failure> remove_from_machine(Context& context, const Paths& paths, const WalletInfo& wallet);

}  // namespace svc::cli
