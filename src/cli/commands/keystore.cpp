// keystore: wallets kept on this machine

#include "signing/keystore.h"

#include <bit>

#include "cli/arguments/durations.h"
#include "cli/client/confirmation.h"
#include "cli/client/key_input.h"
#include "cli/client/signers.h"
#include "cli/commands/keystore.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/machine/unlock_agent.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "signing/mnemonic.h"

namespace svc::cli {
namespace {

Json row_of(const WalletInfo& wallet) {
  return Json::object({{"name", wallet.name},
                       {"kind", "wallet"},
                       {"address", to_string(wallet.address)},
                       {"network", wallet.network},
                       {"kdf", wallet.kdf},
                       {"created_at_ms", wallet.created_at_ms}});
}

Json row_of(const ApiKeyRecord& key) {
  return Json::object({{"name", key.key_id},
                       {"kind", "hmac"},
                       {"address", to_string(key.account)},
                       {"network", key.network},
                       {"label", key.label},
                       {"created_at_ms", key.created_at_ms}});
}

// How to seal a new file.
struct Sealing {
  std::optional<std::string> kdf;                 // --kdf
  std::optional<signing::ScryptCost> imported{};  // cost of the file that the key comes from
};

// "scrypt:N" with N a power of two. Without the flag: cheap on local, half a second elsewhere, and no less than before.
Result<signing::ScryptCost> cost_of(const Sealing& sealing, std::string_view network) {
  const auto& kdf = sealing.kdf;
  const signing::ScryptCost least = default_cost(network);
  if (!kdf) return sealing.imported ? signing::raised(*sealing.imported, least) : least;
  constexpr std::string_view prefix = "scrypt:";
  constexpr std::uint64_t n_min = 1u << 12;
  constexpr std::uint64_t n_max = limits::scrypt_memory_bytes_max / (128 * signing::ScryptCost{}.r);
  const std::uint64_t n = kdf->starts_with(prefix)
                              ? parse_integer<std::uint64_t>(std::string_view(*kdf).substr(prefix.size())).value_or(0)
                              : 0;
  if (n < n_min || n > n_max || !std::has_single_bit(n))
    return usage_error("--kdf must be scrypt:N with N a power of two from ", n_min, " to ", n_max);
  return signing::ScryptCost{.n = n};
}

// What a dry run shows instead of keeping a key. A new key has no address before it is made.
Result<Answer> plan(Context& context, std::string_view operation, const std::string& network, const std::string& name,
                    const std::optional<Address>& address, const Sealing& sealing) {
  const auto cost = SVC_TRY(cost_of(sealing, network));
  const auto paths = SVC_TRY(context.paths());
  SVC_TRY(check_wallet_is_new(*paths, network, name, address));
  if (address) SVC_TRY(refuse_dev_key(*address, network));
  return planned(operation, Json::object({{"name", name},
                                          {"network", network},
                                          {"address", address},
                                          {"kdf", "scrypt:" + std::to_string(cost.n)},
                                          {"folder", paths->keys(network).string()}}));
}

Result<Answer> keep(Context& context, const std::string& network, const std::string& name,
                    const signing::PrivateKey& key, const Secret& password, const Sealing& sealing) {
  const auto cost = SVC_TRY(cost_of(sealing, network));
  SVC_TRY(refuse_dev_key(key.address(), network));
  const auto paths = SVC_TRY(context.paths());
  const auto wallet = SVC_TRY(store_wallet(*paths, network, name, key, password, cost, context.now_ms()));
  return Answer{.data = row_of(wallet)};
}

Result<Answer> new_wallet(Context& context, const std::string& name, const std::optional<std::string>& kdf) {
  const auto network = SVC_TRY(context.network_name());
  SVC_TRY(check_wallet_name(name));
  if (context.globals().dry_run) return plan(context, "keystore_new", network.text, name, std::nullopt, {.kdf = kdf});
  SVC_TRY(check_wallet_is_new(*SVC_TRY(context.paths()), network.text, name, std::nullopt));
  const auto password = SVC_TRY(read_password(context, "a password for wallet " + name, true));
  return keep(context, network.text, name, fresh_key(context.environment()), password, {.kdf = kdf});
}

Result<signing::PrivateKey> open_key(const std::string& from, const Secret& text, const Secret& password, bool sealed,
                                     bool mnemonic, const std::optional<std::uint64_t>& index) {
  if (sealed) {
    auto key = signing::read_keystore(text.reveal(), password);
    if (key) return std::move(*key);
    const bool wrong = key.error() == signing::SealError::wrong_key;
    return failed(wrong ? ExitCode::authentication : ExitCode::usage, wrong ? "wallet_locked" : "key_file", from, ": ",
                  signing::keystore_text(key.error()));
  }
  if (mnemonic) {
    const auto seed = signing::mnemonic_seed(text.reveal());
    if (!seed) return usage_error(from + ": " + signing::to_string(seed.error()));
    constexpr std::uint64_t index_max = (1u << 31) - 1;
    if (index.value_or(0) > index_max) return usage_error("--index must be below 2147483648");
    auto key = signing::derive_account(*seed, static_cast<std::uint32_t>(index.value_or(0)));
    if (!key) return usage_error(from + ": " + signing::to_string(key.error()));
    return std::move(*key);
  }
  auto key = parse_private_key(text.reveal());
  if (!key) return usage_error(from + " holds neither a v3 key file nor 64 hex digits");
  return std::move(*key);
}

Result<Answer> import_wallet(Context& context, const std::string& name, const std::optional<std::string>& from,
                             bool mnemonic, const std::optional<std::uint64_t>& index,
                             const std::optional<std::string>& kdf) {
  const auto network = SVC_TRY(context.network_name());
  SVC_TRY(check_wallet_name(name));
  if (!from) return usage_error("--from names the file to import; - is standard input");
  if (index && !mnemonic) return usage_error("--index belongs to --mnemonic");
  const Secret text(SVC_TRY(
      context.read_given_or_input(*from, "the file of --from", limits::private_file_bytes_max, LooseMode::refuse)));
  // A v3 file keeps its password.
  const bool sealed = !mnemonic && text.reveal().find('{') != std::string_view::npos;
  const bool dry_run = context.globals().dry_run;
  const std::string what = sealed ? "the password of " + *from : "a password for wallet " + name;
  const auto password = sealed || !dry_run ? SVC_TRY(read_password(context, what, !sealed)) : Secret();
  const auto key = SVC_TRY(open_key(*from, text, password, sealed, mnemonic, index));
  const auto seal = signing::inspect_seal(text.reveal());
  const Sealing sealing{.kdf = kdf, .imported = seal ? seal->scrypt : std::nullopt};
  if (dry_run) return plan(context, "keystore_import", network.text, name, key.address(), sealing);
  return keep(context, network.text, name, key, password, sealing);
}

Result<Answer> list_keystore(Context& context) {
  const auto paths = SVC_TRY(context.paths());
  std::vector<std::string> networks = networks_with_keys(*paths);
  if (context.globals().network || context.environment().variable("SVC_NETWORK"))
    networks = {SVC_TRY(context.network_name()).text};
  Answer answer{.data = Json::array()};
  for (const std::string& network : networks) {
    const auto wallets = SVC_TRY(list_wallets(*paths, network));
    for (const WalletInfo& wallet : wallets) answer.data.push(row_of(wallet));
    for (const std::string& name : unreadable_wallets(*paths, network, wallets))
      context.notice("wallet_unreadable", "the file of wallet " + name + " of network " + network +
                                              " is damaged, or does not say its address; its name stays taken");
    const ApiKeys keys = list_api_keys(*paths, network);
    context.notices(keys.unreadable);
    for (const ApiKeyRecord& key : keys.records) answer.data.push(row_of(key));
  }
  return answer;
}

// The wallet that is filed under the chosen network.
Result<WalletInfo> choose(Context& context, const std::string& name) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  return find_wallet(*paths, network.text, name);
}

Result<Answer> show_wallet(Context& context, const std::string& name) {
  return Answer{.data = row_of(SVC_TRY(choose(context, name))), .view = {{}, Layout::sheet}};
}

Answer done(const WalletInfo& wallet, std::string_view what) {
  return {.data = Json::object({{"name", wallet.name},
                                {"network", wallet.network},
                                {"address", to_string(wallet.address)},
                                {"done", what}})};
}

Result<Answer> change_password(Context& context, const std::string& name, const std::optional<std::string>& file,
                               const std::optional<std::uint64_t>& descriptor) {
  const auto wallet = SVC_TRY(choose(context, name));
  const auto before = SVC_TRY(sealed_wallet(**context.paths(), wallet.network, name));
  const auto key = SVC_TRY(unlock_wallet(context, wallet.network, name, password_source(context)));
  const auto password = SVC_TRY(read_secret(context, {.what = "the new password of wallet " + name,
                                                      .flag = "--new-password-file",
                                                      .file = file,
                                                      .descriptor = descriptor,
                                                      .twice = true}));
  if (context.globals().dry_run) return dry_run(done(wallet, "nothing").data);
  SVC_TRY(reseal_wallet(**context.paths(), wallet, before, key, password));
  return done(wallet, "password changed");
}

// A change that cannot be undone is confirmed by typing the wallet's name.
Result<void> confirm_by_name(Context& context, const WalletInfo& wallet, const std::string& what) {
  const auto config = SVC_TRY(context.config());
  Network network;
  network.name = wallet.network;
  network.funds = funds_of(wallet.network, settings_of(*config, wallet.network));
  return ask_for_name(context, network, what, wallet.name);
}

// Exit 6 if the wallet is logged in: its session refers to it by its name.
Result<void> check_not_logged_in(Context& context, const WalletInfo& wallet) {
  const auto sessions = SVC_TRY(load_sessions(**context.paths(), wallet.network, context.now_ms()));
  const Session* session = sessions.find_wallet(wallet.name);
  if (session == nullptr || !(session->open() || session->out_of_reach())) return {};
  return failed("wallet_in_use", "wallet ", wallet.name, " is logged in; log out first")
      .to_try({"svc -n " + wallet.network + " logout --signer " + wallet.name});
}

Result<Secret> exported_text(Context& context, const WalletInfo& wallet, bool plain) {
  if (!plain) return sealed_wallet(**context.paths(), wallet.network, wallet.name);
  SVC_TRY(confirm_by_name(context, wallet, "this writes the private key of " + wallet.name + " without a password"));
  const auto key = SVC_TRY(unlock_wallet(context, wallet.network, wallet.name, password_source(context)));
  return Secret(std::string(key.to_hex().reveal()) + "\n");
}

// Copies the sealed file, or with --allow-plain-export writes the key itself.
Result<Answer> export_wallet(Context& context, const std::string& name, const std::optional<std::string>& to,
                             bool plain) {
  const auto wallet = SVC_TRY(choose(context, name));
  if (!to) return usage_error("--to names the new file");
  if (context.globals().dry_run) return dry_run(done(wallet, "nothing").data);
  const auto text = SVC_TRY(exported_text(context, wallet, plain));
  SVC_TRY(write_new_given(*to, text.reveal()));
  if (plain) context.notice("plain_key", "whoever reads " + *to + " owns the account");
  Answer answer = done(wallet, plain ? "exported in plain" : "exported, sealed");
  answer.data.set("file", *to);
  return answer;
}

Result<Answer> rename_kept_wallet(Context& context, const std::string& name, const std::string& new_name) {
  auto wallet = SVC_TRY(choose(context, name));
  const Paths& paths = **context.paths();
  SVC_TRY(check_not_logged_in(context, wallet));
  if (context.globals().dry_run) return dry_run(done(wallet, "nothing").data);
  auto agent = SVC_TRY(find_agent(paths, wallet.network, wallet.address));
  SVC_TRY(unlock::drop_keys(context, wallet.network, name));
  SVC_TRY(rename_wallet(paths, wallet, new_name));
  wallet.name = new_name;
  if (agent) {
    agent->wallet = new_name;
    SVC_TRY(store_agent(paths, wallet.network, *agent));
  }
  return done(wallet, "renamed");
}

Result<Answer> delete_wallet(Context& context, const std::string& name) {
  const auto wallet = SVC_TRY(choose(context, name));
  SVC_TRY(confirm_removal(context, wallet));
  if (context.globals().dry_run) return dry_run(done(wallet, "nothing").data);
  SVC_TRY(remove_from_machine(context, wallet));
  return done(wallet, "deleted");
}

Result<Answer> keep_unlocked(Context& context, const std::string& name, const std::optional<std::string>& ttl,
                             const std::optional<std::uint64_t>& uses) {
  unlock::Lease lease{.ttl_ms = unlock::ttl_ms_default, .uses = uses};
  if (ttl) lease.ttl_ms = SVC_TRY(parse_duration("--ttl", *ttl));
  if (lease.ttl_ms > unlock::ttl_ms_max) return usage_error("--ttl is at most 24h");
  if (uses == 0u) return usage_error("--uses must be at least 1");
  const auto network = SVC_TRY(context.network_name()).text;
  const Address address = SVC_TRY(choose(context, name)).address;
  SVC_TRY(refuse_dev_key(address, network));
  Json data = Json::object({{"name", name}, {"network", network}, {"address", to_string(address)}});
  if (context.globals().dry_run) return dry_run(data);
  SVC_TRY(unlock::start(context));
  const auto key = SVC_TRY(unlock_wallet(context, network, name, password_source(context)));
  const auto held = SVC_TRY(unlock::hold(context, network, name, key, lease));
  data.set("unlocked_until_ms", held.integer_at("unlocked_until_ms")).set("uses_left", held.integer_at("uses_left"));
  return Answer{.data = std::move(data)};
}

// Drops the agent's keys and closes sessions; both need a password again. What cannot be closed does not keep the rest
// open, and the wallet's file is not needed.
Result<Answer> lock_wallet(Context& context, const std::optional<std::string>& name) {
  const auto paths = SVC_TRY(context.paths());
  std::vector<std::string> networks = networks_with_keys(*paths);
  if (name) networks = {SVC_TRY(context.network_name()).text};
  if (context.globals().dry_run) return dry_run(Json::object({{"lock", name}}));
  std::optional<Failure> failure;
  const auto counted = [&](Result<std::int64_t> count) {
    if (!count && !failure) failure = std::move(count.error());
    return count ? *count : 0;
  };
  const std::int64_t locked = counted(unlock::drop_keys(context, name ? networks.front() : "", name));
  std::int64_t closed = 0;
  for (const std::string& network : networks)
    closed += counted(close_sessions(*paths, network, name, context.now_ms()));
  if (failure) return std::move(*failure);
  if (name && locked == 0 && closed == 0) SVC_TRY(choose(context, *name));
  return Answer{.data = Json::object({{"locked", locked}, {"sessions_closed", closed}})};
}

Result<Answer> list_unlocked(Context& context) {
  return Answer{.data = SVC_TRY(unlock::list(context))};
}

constexpr Output changed_output{"name network address done"};
constexpr Output wallet_output{"name kind address network kdf created_at_ms:integer?",
                               "name kind address network kdf created@created_at_ms"};

}  // namespace

Result<void> confirm_removal(Context& context, const WalletInfo& wallet) {
  SVC_TRY(check_not_logged_in(context, wallet));
  if (context.globals().dry_run) return {};
  return confirm_by_name(context, wallet,
                         "without another copy of the key, deleting " + wallet.name + " loses what it owns");
}

Result<void> remove_from_machine(Context& context, const WalletInfo& wallet) {
  const Paths& paths = **context.paths();
  SVC_TRY(unlock::drop_keys(context, wallet.network, wallet.name));
  SVC_TRY(remove_wallet(paths, wallet));
  SVC_TRY(forget_agent(paths, wallet.network, wallet.address));
  return {};
}

std::vector<CommandRow> keystore_commands() {
  return {
      {"keystore new", "NAME", "Make a wallet and keep it encrypted",
       "carol --password-file ~/password  # a new wallet, encrypted", wallet_output,
       calls(new_wallet, {{"NAME", "name of the new wallet"}, {"--kdf", "cost of guessing the password", "scrypt:N"}})},
      {"keystore import", "NAME --from FILE", "Keep an existing key encrypted",
       "dave --from ~/key --password-file ~/password  # one that exists, from a file", wallet_output,
       calls(import_wallet,
             {{"NAME", "name of the wallet here"},
              {"--from", "v3 key file, 64 hex digits, or with --mnemonic the words; - for stdin", "FILE"},
              {"--mnemonic", "the file holds the words of a BIP-39 phrase"},
              {"--index", "account of the phrase (default 0)", "N"},
              {"--kdf", "cost of guessing the password", "scrypt:N"}})},
      {"keystore list", "", "List wallets and API keys kept here", "# wallets filed under a network",
       Output{"[] name kind address network -kdf -label? created_at_ms:integer?",
              "name kind address network kdf created@created_at_ms"},
       calls(list_keystore), Repeats::yes},
      {"keystore show", "NAME", "Show one wallet; never its key", "alice  # one of them", wallet_output,
       calls(show_wallet, {{"NAME", "wallet"}}), Repeats::yes},
  };
}

std::vector<CommandRow> keystore_care_commands() {
  return {
      {"keystore passwd", "NAME", "Change the password of a wallet",
       "dave --password-file ~/password --new-password-file ~/password  # another password", changed_output,
       calls(change_password, {{"NAME", "wallet"},
                               {"--new-password-file", "file with the new password (mode 0600)", "FILE"},
                               {"--new-password-fd", "descriptor to read the new password from", "N"}})},
      {"keystore export", "NAME --to FILE", "Copy a wallet to a file, sealed unless told otherwise",
       "dave --to ~/dave.json  # a copy, sealed as it is",
       Output{"name network address done file", "name network address done"},
       calls(export_wallet, {{"NAME", "wallet"},
                             {"--to", "new file for the key (mode 0600)", "FILE"},
                             {"--allow-plain-export", "write the private key itself, without a password"}})},
      {"keystore rename", "NAME NEW", "Give a wallet another name", "carol ellen  # another name for one",
       changed_output, calls(rename_kept_wallet, {{"NAME", "wallet"}, {"NEW", "its new name"}})},
      {"keystore delete", "NAME", "Delete a wallet", "", changed_output, calls(delete_wallet, {{"NAME", "wallet"}})},
      {"keystore unlock", "NAME", "Keep a wallet unlocked for a while",
       "alice --ttl 15m --uses 20 --password-file ~/password  # no password for a while: an agent holds the key and "
       "signs",
       Output{"name network address unlocked_until_ms:integer uses_left:integer?",
              "name network unlocked_until@unlocked_until_ms uses_left"},
       calls(keep_unlocked, {{"NAME", "wallet"},
                             {"--ttl", "lock it again after this time (default 15m, at most 24h)", "D"},
                             {"--uses", "lock it again after this many signatures", "N"}})},
      {"keystore lock", "[NAME]", "Forget unlocked wallets and close sessions",
       "svc keystore lock  # at once; sessions as well", Output{"locked:integer sessions_closed:integer"},
       calls(lock_wallet, {{"NAME", "wallet (default: all of every network)"}})},
      {"keystore unlocked", "", "List wallets that are unlocked",
       "svc keystore unlocked  # until when, and how many signatures are left",
       Output{"[] network wallet address unlocked_until_ms:integer uses_left:integer?",
              "name=wallet network address unlocked_until@unlocked_until_ms uses_left"},
       calls(list_unlocked), Repeats::yes},
  };
}

}  // namespace svc::cli
