#include "cli/secrets/wallet_store.h"

#include <algorithm>
#include <filesystem>

#include "cli/files/private_file.h"
#include "cli/secrets/fresh_key.h"
#include "cli/secrets/secret_input.h"
#include "signing/entropy.h"
#include "signing/keystore.h"

namespace svc::cli {
namespace {

constexpr std::string_view wallet_suffix = ".json";
constexpr std::string_view created_member = "created_at_ms";

std::filesystem::path wallet_file_of(const Paths& paths, std::string_view network, std::string_view name) {
  return paths.keys(network) / (std::string(name) + std::string(wallet_suffix));
}

// Of whoever adds a wallet or changes one: what is looked at is still so when it is written.
Result<FileLock, Failure> lock_wallets(const Paths& paths, std::string_view network) {
  return FileLock::take(paths.keys(network) / "wallets.lock");
}

Failure name_taken(std::string_view network, std::string_view name, const std::string& holding) {
  return {.exit = ExitCode::conflict,
          .code = "wallet_exists",
          .message = "wallet " + std::string(name) + " of network " + std::string(network) + " exists already" + holding};
}

Failure unknown_wallet(std::string_view network, std::string_view name) {
  return {.exit = ExitCode::not_found,
          .code = "wallet_not_found",
          .message = "no wallet \"" + std::string(name) + "\" is filed under network " + std::string(network),
          .actions = {"svc -n " + std::string(network) + " keystore list"}};
}

Result<WalletInfo, Failure> describe(std::string_view text, std::string_view network, std::string_view name) {
  const auto info = signing::inspect_keystore(text);
  const auto document = parse_json(text);
  if (!info || !info->address || !document) {
    return unexpected(internal_error("the file of wallet " + std::string(name) +
                                     " is damaged, or does not say its address; its name stays taken"));
  }
  return WalletInfo{.name = std::string(name),
                    .network = std::string(network),
                    .address = *info->address,
                    .kdf = info->seal.kdf + ":" + std::to_string(info->seal.cost),
                    .created_at_ms = document->integer_at(created_member)};
}

// That it is still the wallet that the caller looked at: another one may have taken its name.
Result<void, Failure> check_unchanged(const Paths& paths, const WalletInfo& wallet) {
  const auto now = SVC_TRY(find_wallet(paths, wallet.network, wallet.name));
  if (now.address == wallet.address) return {};
  return unexpected(Failure{.exit = ExitCode::conflict,
                            .code = "wallet_exists",
                            .message = "another wallet is called " + wallet.name + " by now; nothing was changed"});
}

}  // namespace

Result<void, Failure> check_wallet_name(std::string_view name) {
  constexpr std::size_t chars_max = 64;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (name.empty() || name.size() > chars_max || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), allowed)) {
    return unexpected(usage_error("\"" + std::string(name) +
                                  "\" is no name for a key: letters, digits, - and _, at most " +
                                  std::to_string(chars_max)));
  }
  return {};
}

Result<std::vector<WalletInfo>, Failure> list_wallets(const Paths& paths, std::string_view network) {
  std::vector<WalletInfo> wallets;
  for (const std::string& file : list_private(paths.keys(network))) {
    if (!file.ends_with(wallet_suffix)) continue;
    const auto text = read_private(paths.keys(network) / file);
    // One that is no file hides no other; its name is taken all the same.
    if (!text && text.error().code == file_error_code) continue;
    if (!text) return unexpected(text.error());
    if (!*text) continue;
    auto wallet = describe(**text, network, file.substr(0, file.size() - wallet_suffix.size()));
    if (wallet) wallets.push_back(std::move(*wallet));
  }
  return wallets;
}

std::vector<std::string> unreadable_wallets(const Paths& paths, std::string_view network,
                                            const std::vector<WalletInfo>& readable) {
  std::vector<std::string> names;
  for (const std::string& file : list_private(paths.keys(network))) {
    if (!file.ends_with(wallet_suffix)) continue;
    std::string name = file.substr(0, file.size() - wallet_suffix.size());
    const bool known =
        std::any_of(readable.begin(), readable.end(), [&](const WalletInfo& wallet) { return wallet.name == name; });
    if (!known) names.push_back(std::move(name));
  }
  return names;
}

Result<WalletInfo, Failure> find_wallet(const Paths& paths, std::string_view network, std::string_view name) {
  SVC_TRY(check_wallet_name(name));
  const auto text = SVC_TRY(read_private(wallet_file_of(paths, network, name)));
  if (!text) return unexpected(unknown_wallet(network, name));
  return describe(*text, network, name);
}

Result<void, Failure> check_wallet_is_new(const Paths& paths, std::string_view network, std::string_view name,
                                          const std::optional<Address>& address) {
  const auto wallets = SVC_TRY(list_wallets(paths, network));
  for (const WalletInfo& other : wallets) {
    if (other.name == name || other.address == address) {
      return unexpected(name_taken(network, other.name, " and holds " + to_string(other.address)));
    }
  }
  const auto file = wallet_file_of(paths, network, name);
  if (!is_taken(file)) return {};
  return unexpected(name_taken(network, name, ": " + file.string() + ", which cannot be read as one"));
}

Result<WalletInfo, Failure> store_wallet(Context& context, std::string_view network, std::string_view name,
                                         const signing::PrivateKey& key, const Secret& password,
                                         const signing::ScryptCost& cost) {
  SVC_TRY(check_wallet_name(name));
  const auto paths = SVC_TRY(context.paths());
  SVC_TRY(check_wallet_is_new(*paths, network, name, key.address()));
  auto document = parse_json(signing::write_keystore(key, password, cost, signing::fresh_seal_entropy()));
  SVC_ASSERT(document.has_value());
  document->set(created_member, context.now_ms());
  const std::string text = document->dump() + "\n";
  const auto lock = SVC_TRY(lock_wallets(*paths, network));
  SVC_TRY(check_wallet_is_new(*paths, network, name, key.address()));
  const auto written = SVC_TRY(write_new_private(wallet_file_of(*paths, network, name), text));
  if (!written) return unexpected(name_taken(network, name, ""));
  return describe(text, network, name);
}

Result<signing::PrivateKey, Failure> unlock_wallet(Context& context, std::string_view network, std::string_view name) {
  const auto paths = SVC_TRY(context.paths());
  SVC_TRY(check_wallet_name(name));
  const auto text = SVC_TRY(read_private(wallet_file_of(*paths, network, name)));
  if (!text) return unexpected(unknown_wallet(network, name));
  const auto password = SVC_TRY(read_password(context, "the password of wallet " + std::string(name), false));
  const auto key = signing::read_keystore(*text, password);
  if (!key) {
    return unexpected(Failure{.exit = ExitCode::authentication,
                              .code = "wallet_locked",
                              .message = "wallet " + std::string(name) + " of network " + std::string(network) + ": " +
                                         signing::to_string(key.error())});
  }
  return *key;
}

Result<Secret, Failure> sealed_wallet(const Paths& paths, const WalletInfo& wallet) {
  const auto text = SVC_TRY(read_private(wallet_file_of(paths, wallet.network, wallet.name)));
  if (!text) return unexpected(unknown_wallet(wallet.network, wallet.name));
  return Secret(std::move(*text));
}

Result<void, Failure> reseal_wallet(Context& context, const WalletInfo& wallet, const signing::PrivateKey& key,
                                    const Secret& password) {
  const auto paths = SVC_TRY(context.paths());
  const auto before = SVC_TRY(sealed_wallet(*paths, wallet));
  const auto seal = signing::inspect_seal(before.reveal());
  // A file of another program may be sealed otherwise; it becomes one of ours.
  const signing::ScryptCost least = default_cost(wallet.network);
  const signing::ScryptCost cost = seal && seal->scrypt ? signing::raised(*seal->scrypt, least) : least;
  auto document = parse_json(signing::write_keystore(key, password, cost, signing::fresh_seal_entropy()));
  SVC_ASSERT(document.has_value());
  document->set(created_member, wallet.created_at_ms);
  const auto lock = SVC_TRY(lock_wallets(*paths, wallet.network));
  if (const auto same = check_unchanged(*paths, wallet); !same) return same;
  return write_private(wallet_file_of(*paths, wallet.network, wallet.name), document->dump() + "\n");
}

Result<void, Failure> rename_wallet(const Paths& paths, const WalletInfo& wallet, std::string_view new_name) {
  SVC_TRY(check_wallet_name(new_name));
  const auto lock = SVC_TRY(lock_wallets(paths, wallet.network));
  if (const auto same = check_unchanged(paths, wallet); !same) return same;
  SVC_TRY(check_wallet_is_new(paths, wallet.network, new_name, std::nullopt));
  const auto renamed =
      rename_to_new(wallet_file_of(paths, wallet.network, wallet.name), wallet_file_of(paths, wallet.network, new_name));
  if (!renamed) return unexpected(renamed.error());
  if (!*renamed) return unexpected(name_taken(wallet.network, new_name, ""));
  return {};
}

Result<void, Failure> remove_wallet(const Paths& paths, const WalletInfo& wallet) {
  const auto lock = SVC_TRY(lock_wallets(paths, wallet.network));
  if (const auto same = check_unchanged(paths, wallet); !same) return same;
  SVC_TRY(remove_private(wallet_file_of(paths, wallet.network, wallet.name)));
  return {};
}

std::vector<std::string> networks_with_keys(const Paths& paths) {
  std::vector<std::string> networks;
  for (std::string& name : list_private(paths.keys())) {
    if (is_network_name(name)) networks.push_back(std::move(name));
  }
  return networks;
}

}  // namespace svc::cli
