// Wallets: private keys of accounts, one Web3 v3 file each, stored per network and never used for another one.
#pragma once

#include "base/address.h"
#include "base/clock.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"
#include "signing/key.h"
#include "signing/keystore.h"

namespace svc::cli {

struct WalletInfo {
  std::string name;
  std::string network;
  Address address;
  std::string kdf;  // "scrypt:8192"
  std::optional<std::int64_t> created_at_ms;
};

// Sorted by name. Files that cannot be read as a wallet are left out; their names are still taken.
Result<std::vector<WalletInfo>> list_wallets(const Paths& paths, std::string_view network);
[[nodiscard]] std::vector<std::string> unreadable_wallets(const Paths& paths, std::string_view network,
                                                          const std::vector<WalletInfo>& readable);
// The name of the only one of these; exit 2 if there is none, or several. `by`: what tells which one is meant, such as
// " with --wallet".
Result<std::string> only_wallet(const std::vector<WalletInfo>& wallets, std::string_view network,
                                std::string_view by = {});
Result<WalletInfo> find_wallet(const Paths& paths, std::string_view network, std::string_view name);

// Refuses a name that is taken, by any kind of file, and a second wallet of the same address.
Result<void> check_wallet_is_new(const Paths& paths, std::string_view network, std::string_view name,
                                 const std::optional<Address>& address);

// Checks the same, then writes the wallet.
Result<WalletInfo> store_wallet(const Paths& paths, std::string_view network, std::string_view name,
                                const signing::PrivateKey& key, const Secret& password, const signing::ScryptCost& cost,
                                TimestampMs now_ms);

// The file's content, sealed under its password.
Result<Secret> sealed_wallet(const Paths& paths, std::string_view network, std::string_view name);
// Seals the key again, at the file's cost or that of a new wallet, whichever is higher. Exit 6 if the file is no longer
// the one from which the key was read.
Result<void> reseal_wallet(const Paths& paths, const WalletInfo& wallet, const Secret& before,
                           const signing::PrivateKey& key, const Secret& password);
// Exit 6 if the new name is taken.
Result<void> rename_wallet(const Paths& paths, const WalletInfo& wallet, std::string_view new_name);
Result<void> remove_wallet(const Paths& paths, const WalletInfo& wallet);

// The networks for which anything is stored.
[[nodiscard]] std::vector<std::string> networks_with_keys(const Paths& paths);

// A new private key, and the cost of guessing its password.

[[nodiscard]] signing::PrivateKey fresh_key(const Environment& environment);

// Cheap on local, half a second elsewhere.
[[nodiscard]] signing::ScryptCost default_cost(std::string_view network);

// Keys that everybody knows: the accounts of the development mnemonic. They sign on local only.

// One of the first twenty accounts of the mnemonic that development tools share.
[[nodiscard]] bool is_dev_address(const Address& address);

// Exit 14 for such an address on any network but local.
Result<void> refuse_dev_key(const Address& address, std::string_view network);

}  // namespace svc::cli
