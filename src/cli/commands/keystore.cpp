// keystore new, import, list, show
#include <charconv>

#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/client/key_input.h"
#include "cli/client/signers.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/machine/unlock_agent.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "signing/keystore.h"
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

// How a new file is to be sealed.
struct Sealing {
  std::optional<std::string> kdf;                 // --kdf
  std::optional<signing::ScryptCost> imported{};  // what the file cost to guess that the key comes from
};

// "scrypt:N" with N a power of two. Without the flag: cheap on local, half a second elsewhere, and no less than before.
Result<signing::ScryptCost, Failure> cost_of(const Sealing& sealing, std::string_view network) {
  const auto& kdf = sealing.kdf;
  const signing::ScryptCost least = default_cost(network);
  if (!kdf) return sealing.imported ? signing::raised(*sealing.imported, least) : least;
  constexpr std::string_view prefix = "scrypt:";
  constexpr std::uint64_t n_min = 1u << 12;
  constexpr std::uint64_t n_max = 1u << 20;
  std::uint64_t n = 0;
  if (kdf->starts_with(prefix)) {
    const char* end = kdf->data() + kdf->size();
    const auto [stop, error] = std::from_chars(kdf->data() + prefix.size(), end, n);
    if (error != std::errc{} || stop != end) n = 0;
  }
  if (n < n_min || n > n_max || (n & (n - 1)) != 0) {
    return unexpected(usage_error("--kdf must be scrypt:N with N a power of two from 4096 to 1048576"));
  }
  return signing::ScryptCost{.n = n};
}

// What a dry run says instead of keeping a key. A new key has no address before it is made.
Stop plan(Context& context, std::string_view operation, const std::string& network, const std::string& name,
          const std::optional<Address>& address, const Sealing& sealing) {
  const auto cost = cost_of(sealing, network);
  if (!cost) return cost.error();
  const auto paths = context.paths();
  if (!paths) return paths.error();
  if (const auto fresh = check_wallet_is_new(**paths, network, name, address); !fresh) return fresh.error();
  if (address) {
    if (const auto allowed = refuse_dev_key(*address, network); !allowed) return allowed.error();
  }
  return dry_run(Json::object({{"dry_run", true},
                               {"operation", operation},
                               {"name", name},
                               {"network", network},
                               {"address", address ? Json(to_string(*address)) : Json()},
                               {"kdf", "scrypt:" + std::to_string(cost->n)},
                               {"folder", (*paths)->keys(network).string()}}));
}

Result<Answer, Stop> keep(Context& context, const std::string& network, const std::string& name,
                          const signing::PrivateKey& key, const Secret& password, const Sealing& sealing) {
  const auto cost = SVC_TRY(cost_of(sealing, network));
  SVC_TRY(refuse_dev_key(key.address(), network));
  const auto paths = SVC_TRY(context.paths());
  const auto wallet = SVC_TRY(store_wallet(*paths, network, name, key, password, cost, context.now_ms()));
  return Answer{.data = row_of(wallet)};
}

class NewWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "name of the new wallet");
    arguments.text("--kdf", kdf_, "scrypt:N", "cost of guessing the password");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto network = SVC_TRY(context.network_name());
    SVC_TRY(check_wallet_name(name_));
    if (context.globals().dry_run) {
      return unexpected(plan(context, "keystore_new", network.text, name_, std::nullopt, {.kdf = kdf_}));
    }
    const auto password = SVC_TRY(read_password(context, "a password for wallet " + name_, true));
    return keep(context, network.text, name_, fresh_key(context.environment()), password, {.kdf = kdf_});
  }

 private:
  std::string name_;
  std::optional<std::string> kdf_;
};

class ImportWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "name of the wallet here");
    arguments.text("--from", from_, "FILE", "v3 key file, 64 hex digits, or with --mnemonic the words; - for stdin");
    arguments.flag("--mnemonic", mnemonic_, "the file holds the words of a BIP-39 phrase");
    arguments.integer("--index", index_, "N", "account of the phrase (default 0)");
    arguments.text("--kdf", kdf_, "scrypt:N", "cost of guessing the password");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto network = SVC_TRY(context.network_name());
    SVC_TRY(check_wallet_name(name_));
    if (!from_) return unexpected(Stop(usage_error("--from names the file to import; - is standard input")));
    if (index_ && !mnemonic_) return unexpected(Stop(usage_error("--index belongs to --mnemonic")));
    if (*from_ == "-" && context.globals().password_file == "-") {
      return unexpected(Stop(usage_error("--from - and --password-file - both want standard input")));
    }
    const auto text = SVC_TRY(read_source(context));
    // A v3 file is opened by its own password, which it then keeps here.
    const bool sealed = !mnemonic_ && text.reveal().find('{') != std::string_view::npos;
    const bool dry_run = context.globals().dry_run;
    if (dry_run && !sealed) {
      const auto key = SVC_TRY(open(text, Secret(), false));
      return unexpected(plan(context, "keystore_import", network.text, name_, key.address(), {.kdf = kdf_}));
    }
    const auto password = SVC_TRY(
        read_password(context, sealed ? "the password of " + *from_ : "a password for wallet " + name_, !sealed));
    const auto key = SVC_TRY(open(text, password, sealed));
    const auto seal = signing::inspect_seal(text.reveal());
    const Sealing sealing{.kdf = kdf_, .imported = seal ? seal->scrypt : std::nullopt};
    if (dry_run) return unexpected(plan(context, "keystore_import", network.text, name_, key.address(), sealing));
    return keep(context, network.text, name_, key, password, sealing);
  }

 private:
  Result<Secret, Failure> read_source(Context& context) const {
    if (*from_ == "-") {
      auto text = context.environment().read_input(limits::private_file_bytes_max);
      if (!text) return unexpected(usage_error("standard input is too long for a key"));
      return Secret(std::move(*text));
    }
    auto given = SVC_TRY(read_given(*from_, "the file of --from", limits::private_file_bytes_max, LooseMode::refuse));
    return Secret(std::move(given.text));
  }

  Result<signing::PrivateKey, Failure> open(const Secret& text, const Secret& password, bool sealed) const {
    if (sealed) {
      auto key = signing::read_keystore(text.reveal(), password);
      if (key) return std::move(*key);
      const bool wrong = key.error() == signing::SealError::wrong_key;
      return unexpected(Failure{.exit = wrong ? ExitCode::authentication : ExitCode::usage,
                                .code = wrong ? "wallet_locked" : "key_file",
                                .message = *from_ + ": " + signing::keystore_text(key.error())});
    }
    if (mnemonic_) {
      const auto seed = signing::mnemonic_seed(text.reveal());
      if (!seed) return unexpected(usage_error(*from_ + ": " + signing::to_string(seed.error())));
      constexpr std::uint64_t index_max = (1u << 31) - 1;
      if (index_.value_or(0) > index_max) return unexpected(usage_error("--index must be below 2147483648"));
      auto key = signing::derive_account(*seed, static_cast<std::uint32_t>(index_.value_or(0)));
      if (!key) return unexpected(usage_error(*from_ + ": " + signing::to_string(key.error())));
      return std::move(*key);
    }
    auto key = parse_private_key(text.reveal());
    if (!key) return unexpected(usage_error(*from_ + " holds neither a v3 key file nor 64 hex digits"));
    return std::move(*key);
  }

  std::string name_;
  std::optional<std::string> from_;
  bool mnemonic_ = false;
  std::optional<std::uint64_t> index_;
  std::optional<std::string> kdf_;
};

class ListKeystore final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    const auto paths = SVC_TRY(context.paths());
    std::vector<std::string> networks = networks_with_keys(*paths);
    if (context.globals().network || context.environment().variable("SVC_NETWORK")) {
      const auto name = SVC_TRY(context.network_name());
      networks = {name.text};
    }
    Answer answer{.data = Json::array()};
    for (const std::string& network : networks) {
      const auto wallets = SVC_TRY(list_wallets(*paths, network));
      for (const WalletInfo& wallet : wallets) answer.data.push(row_of(wallet));
      for (const std::string& name : unreadable_wallets(*paths, network, wallets)) {
        context.notice("wallet_unreadable", "the file of wallet " + name + " of network " + network +
                                                " is damaged, or does not say its address; its name stays taken");
      }
      const auto keys = SVC_TRY(list_api_keys(*paths, network));
      for (const ApiKeyRecord& key : keys) answer.data.push(row_of(key));
    }
    return answer;
  }
};

class ShowWallet final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "wallet"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto network = SVC_TRY(context.network_name());
    const auto paths = SVC_TRY(context.paths());
    const auto wallet = SVC_TRY(find_wallet(*paths, network.text, name_));
    return Answer{.data = row_of(wallet), .view = {{}, Layout::sheet}};
  }

 private:
  std::string name_;
};

}  // namespace

std::span<const CommandRow> keystore_commands() {
  static const CommandRow rows[]{
      {"keystore new", "NAME", "Make a wallet and keep it encrypted", make<NewWallet>},
      {"keystore import", "NAME --from FILE", "Keep an existing key encrypted", make<ImportWallet>},
      {"keystore list", "", "List wallets and API keys kept here", make<ListKeystore>, Repeats::yes},
      {"keystore show", "NAME", "Show one wallet; never its key", make<ShowWallet>, Repeats::yes},
  };
  return rows;
}

// keystore passwd, export, rename, delete

namespace {

Answer done(const WalletInfo& wallet, std::string_view what) {
  return {.data = Json::object({{"name", wallet.name},
                                {"network", wallet.network},
                                {"address", to_string(wallet.address)},
                                {"done", what}})};
}

// A wallet that is filed under the chosen network.
struct Chosen {
  const Paths* paths;
  WalletInfo wallet;
};

Result<Chosen, Failure> choose(Context& context, const std::string& name) {
  const auto network = SVC_TRY(context.network_name());
  const auto paths = SVC_TRY(context.paths());
  auto wallet = SVC_TRY(find_wallet(*paths, network.text, name));
  return Chosen{.paths = paths, .wallet = std::move(wallet)};
}

// What cannot be undone is confirmed by typing the wallet's name; --yes does for scripts.
Result<void, Failure> confirm_by_name(Context& context, const WalletInfo& wallet, const std::string& what) {
  if (context.globals().yes) return {};
  Failure declined{.exit = ExitCode::confirmation,
                   .code = "confirmation",
                   .message = what + " needs a confirmation",
                   .actions = {"add --yes"}};
  if (!context.may_ask()) return unexpected(declined);
  const auto typed = context.environment().ask(what + "; type " + wallet.name + " to go on: ", Echo::shown);
  if (typed && typed->reveal() == wallet.name) return {};
  declined.message = "declined";
  return unexpected(declined);
}

// A session leans on the name.
Result<void, Failure> refuse_logged_in(Context& context, const Chosen& chosen) {
  const auto sessions = SVC_TRY(load_sessions(*chosen.paths, chosen.wallet.network, context.now_ms()));
  const Session* session = sessions.find_wallet(chosen.wallet.name);
  if (session == nullptr || !(session->open() || session->out_of_reach())) return {};
  return unexpected(Failure{.exit = ExitCode::conflict,
                            .code = "wallet_in_use",
                            .message = "wallet " + chosen.wallet.name + " is logged in; log out first",
                            .actions = {"svc -n " + chosen.wallet.network + " logout --signer " + chosen.wallet.name}});
}

class ChangePassword final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet");
    arguments.text("--new-password-file", file_, "FILE", "file with the new password (mode 0600)");
    arguments.integer("--new-password-fd", descriptor_, "N", "descriptor to read the new password from");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto chosen = SVC_TRY(choose(context, name_));
    const auto key = SVC_TRY(unlock_wallet(context, chosen.wallet.network, name_));
    const auto password = SVC_TRY(read_secret(context, {.what = "the new password of wallet " + name_,
                                                        .flag = "--new-password-file",
                                                        .file = file_,
                                                        .descriptor = descriptor_,
                                                        .twice = true}));
    if (context.globals().dry_run) return unexpected(dry_run(done(chosen.wallet, "nothing").data));
    SVC_TRY(reseal_wallet(*chosen.paths, chosen.wallet, key, password));
    return done(chosen.wallet, "password changed");
  }

 private:
  std::string name_;
  std::optional<std::string> file_;
  std::optional<std::uint64_t> descriptor_;
};

// The sealed file as it is, or, with a flag that says what it is, the key itself in a file of its own.
class ExportWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet");
    arguments.text("--to", to_, "FILE", "new file for the key (mode 0600)");
    arguments.flag("--allow-plain-export", plain_, "write the private key itself, without a password");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto chosen = SVC_TRY(choose(context, name_));
    if (!to_) return unexpected(Stop(usage_error("--to names the new file")));
    if (context.globals().dry_run) return unexpected(dry_run(done(chosen.wallet, "nothing").data));
    const auto text = SVC_TRY(content(context, chosen));
    SVC_TRY(write_new_given(*to_, text.reveal()));
    if (plain_) context.notice("plain_key", "whoever reads " + *to_ + " owns the account");
    Answer answer = done(chosen.wallet, plain_ ? "exported in plain" : "exported, sealed");
    answer.data.set("file", *to_);
    return answer;
  }

 private:
  Result<Secret, Failure> content(Context& context, const Chosen& chosen) const {
    if (!plain_) return sealed_wallet(*chosen.paths, chosen.wallet.network, chosen.wallet.name);
    SVC_TRY(confirm_by_name(context, chosen.wallet, "this writes the private key of " + name_ + " without a password"));
    const auto key = SVC_TRY(unlock_wallet(context, chosen.wallet.network, name_));
    return Secret(std::string(key.to_hex().reveal()) + "\n");
  }

  std::string name_;
  std::optional<std::string> to_;
  bool plain_ = false;
};

class RenameWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet");
    arguments.positional("NEW", new_name_, "its new name");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto chosen = choose(context, name_);
    if (!chosen) return unexpected(Stop(chosen.error()));
    SVC_TRY(refuse_logged_in(context, *chosen));
    if (context.globals().dry_run) return unexpected(dry_run(done(chosen->wallet, "nothing").data));
    SVC_TRY(rename_wallet(*chosen->paths, chosen->wallet, new_name_));
    unlock::lock(context, chosen->wallet.network, name_);
    WalletInfo wallet = chosen->wallet;
    wallet.name = new_name_;
    return done(wallet, "renamed");
  }

 private:
  std::string name_, new_name_;
};

class DeleteWallet final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "wallet"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto chosen = choose(context, name_);
    if (!chosen) return unexpected(Stop(chosen.error()));
    SVC_TRY(refuse_logged_in(context, *chosen));
    if (context.globals().dry_run) return unexpected(dry_run(done(chosen->wallet, "nothing").data));
    SVC_TRY(confirm_by_name(context, chosen->wallet,
                            "without another copy of the key, deleting " + name_ + " loses its account"));
    SVC_TRY(remove_wallet(*chosen->paths, chosen->wallet));
    unlock::lock(context, chosen->wallet.network, name_);
    return done(chosen->wallet, "deleted");
  }

 private:
  std::string name_;
};

// keystore unlock, lock, unlocked

class UnlockWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet");
    arguments.text("--ttl", ttl_, "D", "lock it again after this time (default 15m, at most 24h)");
    arguments.integer("--uses", uses_, "N", "lock it again after this many signatures");
  }
  Result<Answer, Stop> run(Context& context) override {
    unlock::Lease lease{.ttl_ms = unlock::ttl_ms_default, .uses = uses_};
    if (ttl_) {
      const auto ttl_ms = SVC_TRY(parse_duration("--ttl", *ttl_));
      lease.ttl_ms = ttl_ms;
    }
    if (lease.ttl_ms > unlock::ttl_ms_max) return unexpected(Stop(usage_error("--ttl is at most 24h")));
    if (lease.ttl_ms == 0) return unexpected(Stop(usage_error("--ttl must be longer than nothing")));
    if (uses_ == 0u) return unexpected(Stop(usage_error("--uses must be at least 1")));
    const auto network = SVC_TRY(context.network_name());
    const auto paths = SVC_TRY(context.paths());
    const auto wallet = SVC_TRY(find_wallet(*paths, network.text, name_));
    SVC_TRY(refuse_dev_key(wallet.address, network.text));
    Json data = Json::object({{"name", name_}, {"network", network.text}, {"address", to_string(wallet.address)}});
    if (context.globals().dry_run) return unexpected(dry_run(data));
    SVC_TRY(unlock::start(context));
    const auto key = SVC_TRY(unlock_wallet(context, network.text, name_));
    const auto held = SVC_TRY(unlock::hold(context, network.text, name_, key, lease));
    data.set("unlocked_until_ms", held.integer_at("unlocked_until_ms")).set("uses_left", held.integer_at("uses_left"));
    return Answer{.data = std::move(data)};
  }

 private:
  std::string name_;
  std::optional<std::string> ttl_;
  std::optional<std::uint64_t> uses_;
};

// Until somebody gives a password again: keys that the agent holds, and sessions.
class LockWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet (default: all of every network)");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto paths = SVC_TRY(context.paths());
    std::vector<std::string> networks = networks_with_keys(*paths);
    if (name_) {
      const auto chosen = SVC_TRY(context.network_name());
      SVC_TRY(find_wallet(*paths, chosen.text, *name_));
      networks = {chosen.text};
    }
    if (context.globals().dry_run) return unexpected(dry_run(Json::object({{"lock", name_}})));
    const std::int64_t locked = unlock::lock(context, name_ ? networks.front() : "", name_);
    std::int64_t closed = 0;
    for (const std::string& network : networks) {
      const auto here = SVC_TRY(close_sessions(*paths, network, name_, context.now_ms()));
      closed += here;
    }
    return Answer{.data = Json::object({{"locked", locked}, {"sessions_closed", closed}})};
  }

 private:
  std::optional<std::string> name_;
};

class ListUnlocked final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    return Answer{.data = unlock::list(context).value_or(Json::array())};
  }
};

}  // namespace

std::span<const CommandRow> keystore_care_commands() {
  static const CommandRow rows[]{
      {"keystore passwd", "NAME", "Change the password of a wallet", make<ChangePassword>},
      {"keystore export", "NAME --to FILE", "Copy a wallet to a file, sealed unless told otherwise",
       make<ExportWallet>},
      {"keystore rename", "NAME NEW", "Give a wallet another name", make<RenameWallet>},
      {"keystore delete", "NAME", "Delete a wallet", make<DeleteWallet>},
      {"keystore unlock", "NAME", "Keep a wallet unlocked for a while", make<UnlockWallet>},
      {"keystore lock", "[NAME]", "Forget unlocked wallets and close sessions", make<LockWallet>},
      {"keystore unlocked", "", "List wallets that are unlocked", make<ListUnlocked>, Repeats::yes},
  };
  return rows;
}

}  // namespace svc::cli
