// Removing a wallet from this machine: alone, or together with an agent's rights.
#pragma once

#include "cli/client/context.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {

// Exit 6 if the wallet is logged in. The user confirms the loss by typing the wallet's name, or with --yes; a dry run
// asks nothing.
Result<void> confirm_removal(Context& context, const WalletInfo& wallet);

// Removes the file, the unlocked key and what is known here of it as an agent.
Result<void> remove_from_machine(Context& context, const WalletInfo& wallet);

}  // namespace svc::cli
