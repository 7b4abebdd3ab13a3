#include "cli/store/wallet_store.h"

#include <sys/stat.h>

#include <filesystem>

#include "cli/arguments/globals.h"
#include "cli/machine/private_file.h"
#include "cli/store/network.h"

namespace svc::cli {
namespace {

constexpr std::string_view created_member = "created_at_ms";

std::filesystem::path wallet_file_of(const Paths& paths, std::string_view network, std::string_view name) {
  return document_in(paths.keys(network), name);
}

// To be held while adding or changing a wallet, so that what was checked still holds when it is written.
Result<FileLock> lock_wallets(const Paths& paths, std::string_view network) {
  return lock_beside(paths.keys(network) / "wallets");
}

Failure name_taken(std::string_view network, std::string_view name, std::string_view holding = {}) {
  return failed("wallet_exists", "wallet ", name, " of network ", network, " exists already", holding);
}

Result<WalletInfo> describe(std::string_view text, std::string_view network, std::string_view name) {
  const auto info = signing::inspect_keystore(text);
  if (!info || !info->address) {
    return internal_error("the file of wallet ", name,
                          " is damaged, or does not say its address; its name stays taken");
  }
  return WalletInfo{.name = std::string(name),
                    .network = std::string(network),
                    .address = *info->address,
                    .kdf = info->seal.kdf + ":" + std::to_string(info->seal.cost),
                    .created_at_ms = json_or_null(text).integer_at(created_member)};
}

std::string sealed_text(const signing::PrivateKey& key, const Secret& password, const signing::ScryptCost& cost,
                        std::optional<TimestampMs> created_at_ms) {
  Json document = *parse_json(signing::write_keystore(key, password, cost, signing::fresh_seal_entropy()));
  return document.set(created_member, created_at_ms).dump() + "\n";
}

// Checks that it is still the same wallet: another one may have taken its name.
Result<void> check_unchanged(const Paths& paths, const WalletInfo& wallet) {
  const auto now = SVC_TRY(find_wallet(paths, wallet.network, wallet.name));
  if (now.address == wallet.address) return {};
  return failed("wallet_exists", "another wallet is called ", wallet.name, " by now; nothing was changed");
}

// Whether both are names of one file: of a link, and where case does not count, there is one name alone.
bool is_one_file(const std::filesystem::path& name, const std::filesystem::path& other) {
  struct stat one {};
  struct stat two {};
  if (::lstat(name.c_str(), &one) != 0 || ::lstat(other.c_str(), &two) != 0 || !S_ISREG(one.st_mode)) return false;
  return one.st_dev == two.st_dev && one.st_ino == two.st_ino && one.st_nlink == 2;
}

// A table: every signed command checks it, and deriving them takes longer than the command. A test compares them.
constexpr std::array<std::string_view, 20> dev_addresses{
    "f39fd6e51aad88f6f4ce6ab8827279cfffb92266", "70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "3c44cdddb6a900fa2b585dd299e03d12fa4293bc", "90f79bf6eb2c4f870365e785982e1f101e93b906",
    "15d34aaf54267db7d7c367839aaf71a00a2c6a65", "9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
    "976ea74026e726554db657fa54763abd0c3a0aa9", "14dc79964da2c08b23698b3d3cc7ca32193d9955",
    "23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f", "a0ee7a142d267c1f36714e4a8f75612f20a79720",
    "bcd4042de499d14e55001ccbb24a551f3b954096", "71be63f3384f5fb98995898a86b02fb2426c5788",
    "fabb0ac9d68b0b445fb7357272ff202c5651694a", "1cbd3b2770909d4e10f157cabc84c7264073c9ec",
    "df3e18d64bc6a983f673ab319ccae4f1a57c7097", "cd3b766ccdd6ae721141f452c550ca635964ce71",
    "2546bcd3c84621e976d8185a91a922ae77ecec30", "bda5747bfd65f08deb54cb465eb87d40e51b197e",
    "dd2fd4581271e230360230f9337d5c0430bf44c0", "8626f6940e2eb28930efb4cef49b2d1f2c9c1199",
};

}  // namespace

Result<std::vector<WalletInfo>> list_wallets(const Paths& paths, std::string_view network) {
  std::vector<WalletInfo> wallets;
  for (const std::string& name : SVC_TRY(list_documents(paths.keys(network)))) {
    const auto text = read_private(wallet_file_of(paths, network, name));
    // Something unreadable must not hide the other wallets; its name is taken all the same.
    if (!text && text.error().code == file_error_code) continue;
    SVC_TRY(text);
    if (!*text) continue;
    auto wallet = describe(**text, network, name);
    if (wallet) wallets.push_back(std::move(*wallet));
  }
  return wallets;
}

std::vector<std::string> unreadable_wallets(const Paths& paths, std::string_view network,
                                            const std::vector<WalletInfo>& readable) {
  auto listed = list_documents(paths.keys(network));
  std::vector<std::string> names = listed ? std::move(*listed) : std::vector<std::string>();
  std::erase_if(names, [&](const std::string& name) { return is_among(name, readable, &WalletInfo::name); });
  return names;
}

Result<std::string> only_wallet(const std::vector<WalletInfo>& wallets, std::string_view network, std::string_view by) {
  if (wallets.size() == 1) return wallets.front().name;
  const std::string keystore = concat("svc -n ", network, " keystore ");
  return unexpected(wallets.empty()
                        ? usage_error("no wallet is filed under network ", network).to_try({keystore + "new NAME"})
                        : usage_error("several wallets are filed under network ", network, "; say which", by)
                              .to_try({keystore + "list"}));
}

Result<WalletInfo> find_wallet(const Paths& paths, std::string_view network, std::string_view name) {
  const auto text = SVC_TRY(sealed_wallet(paths, network, name));
  return describe(text.reveal(), network, name);
}

Result<void> check_wallet_is_new(const Paths& paths, std::string_view network, std::string_view name,
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

Result<WalletInfo> store_wallet(const Paths& paths, std::string_view network, std::string_view name,
                                const signing::PrivateKey& key, const Secret& password, const signing::ScryptCost& cost,
                                TimestampMs now_ms) {
  SVC_TRY(check_wallet_name(name));
  SVC_TRY(check_wallet_is_new(paths, network, name, key.address()));
  const std::string text = sealed_text(key, password, cost, now_ms);
  const auto lock = SVC_TRY(lock_wallets(paths, network));
  SVC_TRY(check_wallet_is_new(paths, network, name, key.address()));
  const auto written = SVC_TRY(write_new_private(wallet_file_of(paths, network, name), text));
  if (!written) return unexpected(name_taken(network, name));
  return describe(text, network, name);
}

Result<Secret> sealed_wallet(const Paths& paths, std::string_view network, std::string_view name) {
  SVC_TRY(check_wallet_name(name));
  auto text = SVC_TRY(read_private(wallet_file_of(paths, network, name)));
  if (text) return Secret(std::move(*text));
  return absent("wallet_not_found", "no wallet \"", name, "\" is filed under network ", network)
      .to_try({concat("svc -n ", network, " keystore list")});
}

Result<void> reseal_wallet(const Paths& paths, const WalletInfo& wallet, const Secret& before,
                           const signing::PrivateKey& key, const Secret& password) {
  const auto seal = signing::inspect_seal(before.reveal());
  // A file of another program may be sealed in another way; it becomes one of ours.
  const signing::ScryptCost least = default_cost(wallet.network);
  const signing::ScryptCost cost = seal && seal->scrypt ? signing::raised(*seal->scrypt, least) : least;
  const std::string text = sealed_text(key, password, cost, wallet.created_at_ms);
  const auto lock = SVC_TRY(lock_wallets(paths, wallet.network));
  const auto now = SVC_TRY(sealed_wallet(paths, wallet.network, wallet.name));
  if (now.reveal() != before.reveal())
    return failed("wallet_changed", "another command has changed wallet ", wallet.name,
                  " meanwhile; nothing was changed");
  return write_private(wallet_file_of(paths, wallet.network, wallet.name), text);
}

Result<void> rename_wallet(const Paths& paths, const WalletInfo& wallet, std::string_view new_name) {
  SVC_TRY(check_wallet_name(new_name));
  const auto lock = SVC_TRY(lock_wallets(paths, wallet.network));
  SVC_TRY(check_unchanged(paths, wallet));
  const auto file = wallet_file_of(paths, wallet.network, wallet.name);
  const auto new_file = wallet_file_of(paths, wallet.network, new_name);
  if (is_one_file(file, new_file)) {  // a rename was interrupted
    SVC_TRY(remove_private(file));
    return {};
  }
  SVC_TRY(check_wallet_is_new(paths, wallet.network, new_name, std::nullopt));
  const auto renamed = SVC_TRY(rename_to_new(file, new_file));
  if (!renamed) return unexpected(name_taken(wallet.network, new_name));
  return {};
}

Result<void> remove_wallet(const Paths& paths, const WalletInfo& wallet) {
  const auto lock = SVC_TRY(lock_wallets(paths, wallet.network));
  SVC_TRY(check_unchanged(paths, wallet));
  SVC_TRY(remove_private(wallet_file_of(paths, wallet.network, wallet.name)));
  return {};
}

std::vector<std::string> networks_with_keys(const Paths& paths) {
  std::vector<std::string> networks = list_private(paths.keys());
  std::erase_if(networks, [](const std::string& name) { return !is_network_name(name); });
  return networks;
}

signing::PrivateKey fresh_key(const Environment& environment) {
  std::optional<signing::PrivateKey> key;
  while (!key) {  // all but one in 2^127 random values are keys
    std::array<std::uint8_t, 32> bytes{};
    environment.random(bytes);
    key = signing::PrivateKey::from_bytes(bytes);
    wipe(bytes.data(), bytes.size());
  }
  return std::move(*key);
}

signing::ScryptCost default_cost(std::string_view network) {
  return network == "local" ? signing::scrypt_local_only : signing::scrypt_real_money;
}

bool is_dev_address(const Address& address) {
  const std::string text = to_string(address);
  return is_among(std::string_view(text).substr(2), dev_addresses);
}

Result<void> refuse_dev_key(const Address& address, std::string_view network) {
  if (network == "local" || !is_dev_address(address)) return {};
  return guard("dev_key", to_string(address),
               " is an account of the public development phrase: anybody can sign for it. It is refused on "
               "every network but local");
}

}  // namespace svc::cli
