// keystore passwd, export, rename, delete
#include <array>

#include "cli/commands/groups.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"
#include "cli/files/private_file.h"
#include "cli/secrets/secret_input.h"
#include "cli/secrets/session.h"
#include "cli/secrets/wallet_store.h"
#include "cli/unlock/unlock_client.h"

namespace svc::cli {
namespace {

View care_view() {
  return {{{"name", "name"}, {"network", "network"}, {"address", "address"}, {"done", "done"}}};
}

Answer done(const WalletInfo& wallet, std::string_view what) {
  return {
      .data = Json::object(
          {{"name", wallet.name}, {"network", wallet.network}, {"address", to_string(wallet.address)}, {"done", what}}),
      .view = care_view()};
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
    if (context.globals().dry_run) return unexpected(Stop(DryRun{done(chosen.wallet, "nothing").data}));
    SVC_TRY(reseal_wallet(context, chosen.wallet, key, password));
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
    if (context.globals().dry_run) return unexpected(Stop(DryRun{done(chosen.wallet, "nothing").data}));
    const auto text = SVC_TRY(content(context, chosen));
    SVC_TRY(write_new_given(*to_, text.reveal()));
    if (plain_) context.notice("plain_key", "whoever reads " + *to_ + " owns the account");
    Answer answer = done(chosen.wallet, plain_ ? "exported in plain" : "exported, sealed");
    answer.data.set("file", *to_);
    return answer;
  }

 private:
  Result<Secret, Failure> content(Context& context, const Chosen& chosen) const {
    if (!plain_) return sealed_wallet(*chosen.paths, chosen.wallet);
    const auto sure =
        confirm_by_name(context, chosen.wallet, "this writes the private key of " + name_ + " without a password");
    if (!sure) return unexpected(sure.error());
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
    if (context.globals().dry_run) return unexpected(Stop(DryRun{done(chosen->wallet, "nothing").data}));
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
    if (context.globals().dry_run) return unexpected(Stop(DryRun{done(chosen->wallet, "nothing").data}));
    SVC_TRY(confirm_by_name(context, chosen->wallet,
                            "without another copy of the key, deleting " + name_ + " loses its account"));
    SVC_TRY(remove_wallet(*chosen->paths, chosen->wallet));
    unlock::lock(context, chosen->wallet.network, name_);
    return done(chosen->wallet, "deleted");
  }

 private:
  std::string name_;
};

constexpr std::array keystore_care_rows{
    CommandRow{"keystore passwd", "NAME", "Change the password of a wallet", make<ChangePassword>},
    CommandRow{"keystore export", "NAME --to FILE", "Copy a wallet to a file, sealed unless told otherwise",
               make<ExportWallet>},
    CommandRow{"keystore rename", "NAME NEW", "Give a wallet another name", make<RenameWallet>},
    CommandRow{"keystore delete", "NAME", "Delete a wallet", make<DeleteWallet>},
};

}  // namespace

std::span<const CommandRow> keystore_care_commands() {
  return keystore_care_rows;
}

}  // namespace svc::cli
