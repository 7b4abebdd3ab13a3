#include "cli/secrets/wallet_store.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/files/private_file.h"
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
    return unexpected(internal_error("the file of wallet " + std::string(name) + " is damaged"));
  }
  return WalletInfo{.name = std::string(name),
                    .network = std::string(network),
                    .address = *info->address,
                    .kdf = info->seal.kdf + ":" + std::to_string(info->seal.cost),
                    .created_at_ms = document->integer_at(created_member)};
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
    if (!text) return unexpected(text.error());
    if (!*text) continue;
    auto wallet = describe(**text, network, file.substr(0, file.size() - wallet_suffix.size()));
    if (wallet) wallets.push_back(std::move(*wallet));
  }
  return wallets;
}

Result<WalletInfo, Failure> find_wallet(const Paths& paths, std::string_view network, std::string_view name) {
  if (const auto valid = check_wallet_name(name); !valid) return unexpected(valid.error());
  const auto text = read_private(wallet_file_of(paths, network, name));
  if (!text) return unexpected(text.error());
  if (!*text) return unexpected(unknown_wallet(network, name));
  return describe(**text, network, name);
}

Result<void, Failure> check_wallet_is_new(const Paths& paths, std::string_view network, std::string_view name,
                                          const std::optional<Address>& address) {
  const auto wallets = list_wallets(paths, network);
  if (!wallets) return unexpected(wallets.error());
  for (const WalletInfo& other : *wallets) {
    if (other.name == name || other.address == address) {
      return unexpected(Failure{.exit = ExitCode::conflict,
                                .code = "wallet_exists",
                                .message = "wallet " + other.name + " of network " + std::string(network) +
                                           " exists already and holds " + to_string(other.address)});
    }
  }
  return {};
}

Result<WalletInfo, Failure> store_wallet(Context& context, std::string_view network, std::string_view name,
                                         const signing::PrivateKey& key, const Secret& password,
                                         const signing::ScryptCost& cost) {
  if (const auto valid = check_wallet_name(name); !valid) return unexpected(valid.error());
  const auto paths = context.paths();
  if (!paths) return unexpected(paths.error());
  if (const auto fresh = check_wallet_is_new(**paths, network, name, key.address()); !fresh) {
    return unexpected(fresh.error());
  }
  auto document = parse_json(signing::write_keystore(key, password, cost, signing::fresh_seal_entropy()));
  SVC_ASSERT(document.has_value());
  document->set(created_member, context.now_ms());
  const std::string text = document->dump() + "\n";
  if (const auto written = write_private(wallet_file_of(**paths, network, name), text); !written) {
    return unexpected(written.error());
  }
  return describe(text, network, name);
}

Result<signing::PrivateKey, Failure> unlock_wallet(Context& context, std::string_view network, std::string_view name) {
  const auto paths = context.paths();
  if (!paths) return unexpected(paths.error());
  if (const auto valid = check_wallet_name(name); !valid) return unexpected(valid.error());
  const auto text = read_private(wallet_file_of(**paths, network, name));
  if (!text) return unexpected(text.error());
  if (!*text) return unexpected(unknown_wallet(network, name));
  const auto password = read_password(context, "the password of wallet " + std::string(name), false);
  if (!password) return unexpected(password.error());
  const auto key = signing::read_keystore(**text, *password);
  if (!key) {
    return unexpected(Failure{.exit = ExitCode::authentication,
                              .code = "wallet_locked",
                              .message = "wallet " + std::string(name) + " of network " + std::string(network) + ": " +
                                         signing::to_string(key.error())});
  }
  return *key;
}

Result<Secret, Failure> sealed_wallet(const Paths& paths, const WalletInfo& wallet) {
  const auto text = read_private(wallet_file_of(paths, wallet.network, wallet.name));
  if (!text) return unexpected(text.error());
  if (!*text) return unexpected(unknown_wallet(wallet.network, wallet.name));
  return Secret(std::move(**text));
}

Result<void, Failure> reseal_wallet(Context& context, const WalletInfo& wallet, const signing::PrivateKey& key,
                                    const Secret& password) {
  const auto paths = context.paths();
  if (!paths) return unexpected(paths.error());
  std::uint64_t cost = 0;
  const std::string digits = wallet.kdf.substr(wallet.kdf.find(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), cost);
  // A file of another program may be sealed otherwise; it becomes one of ours.
  const signing::ScryptCost scrypt =
      wallet.kdf.starts_with("scrypt:") && cost > 0 ? signing::ScryptCost{.n = cost} : signing::scrypt_real_money;
  auto document = parse_json(signing::write_keystore(key, password, scrypt, signing::fresh_seal_entropy()));
  SVC_ASSERT(document.has_value());
  document->set(created_member, wallet.created_at_ms);
  return write_private(wallet_file_of(**paths, wallet.network, wallet.name), document->dump() + "\n");
}

Result<void, Failure> rename_wallet(const Paths& paths, const WalletInfo& wallet, std::string_view new_name) {
  if (const auto valid = check_wallet_name(new_name); !valid) return unexpected(valid.error());
  const auto fresh = check_wallet_is_new(paths, wallet.network, new_name, std::nullopt);
  if (!fresh) return unexpected(fresh.error());
  std::error_code error;
  std::filesystem::rename(wallet_file_of(paths, wallet.network, wallet.name), wallet_file_of(paths, wallet.network, new_name), error);
  if (error) return unexpected(internal_error("cannot rename wallet " + wallet.name + ": " + error.message()));
  return {};
}

Result<void, Failure> remove_wallet(const Paths& paths, const WalletInfo& wallet) {
  const auto removed = remove_private(wallet_file_of(paths, wallet.network, wallet.name));
  if (!removed) return unexpected(removed.error());
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
