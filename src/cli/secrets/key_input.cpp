#include "cli/secrets/key_input.h"

#include "base/limits.h"
#include "cli/arguments.h"
#include "cli/files/private_file.h"
#include "cli/secrets/wallet_store.h"

namespace svc::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Result<std::string, Failure> network_of_wallet(Context& context, const std::string& wallet) {
  if (context.globals().network || context.environment().variable("SVC_NETWORK")) {
    const auto name = SVC_TRY(context.network_name());
    return name.text;
  }
  const auto paths = SVC_TRY(context.paths());
  std::vector<std::string> holders;
  for (const std::string& network : networks_with_keys(*paths)) {
    if (find_wallet(*paths, network, wallet)) holders.push_back(network);
  }
  if (holders.size() == 1) return holders.front();
  if (holders.empty()) {
    return unexpected(Failure{.exit = ExitCode::not_found,
                              .code = "wallet_not_found",
                              .message = "no wallet \"" + wallet + "\" is filed under any network",
                              .actions = {"svc keystore list"}});
  }
  std::string names;
  for (const std::string& holder : holders) names += (names.empty() ? "" : ", ") + holder;
  return unexpected(usage_error("networks " + names + " each have a wallet \"" + wallet + "\"; say which with -n"));
}

}  // namespace

std::optional<signing::PrivateKey> parse_private_key(std::string_view text) {
  return signing::PrivateKey::from_hex(trimmed(text));
}

Result<Secret, Failure> read_key_file(Context& context, const std::string& file) {
  if (file == "-") {
    auto text = context.environment().read_input(limits::secret_bytes_max);
    if (!text) return unexpected(usage_error("standard input is too long for a key"));
    return Secret(std::move(*text));
  }
  auto given = SVC_TRY(read_given(file, "the file of --key-file", limits::secret_bytes_max, LooseMode::refuse));
  const Secret secret{std::string(trimmed(given.text))};
  wipe(given.text.data(), given.text.size());
  return secret;
}

void KeyFlags::declare(Arguments& arguments) {
  arguments.text("--wallet", wallet, "NAME", "sign with this wallet of the key store");
  arguments.text("--key-file", file, "FILE", "sign with the key in this file: 64 hex digits");
}

Result<std::optional<signing::PrivateKey>, Failure> KeyFlags::open(Context& context) const {
  if (wallet && file) return unexpected(usage_error("--wallet and --key-file exclude each other"));
  if (wallet) {
    const auto network = SVC_TRY(network_of_wallet(context, *wallet));
    auto key = SVC_TRY(unlock_wallet(context, network, *wallet));
    return std::optional(std::move(key));
  }
  if (!file) return std::optional<signing::PrivateKey>{};
  const auto text = SVC_TRY(read_key_file(context, *file));
  auto key = parse_private_key(text.reveal());
  if (!key) return unexpected(usage_error("the file of --key-file must hold a private key: 64 hex digits"));
  return std::optional(std::move(*key));
}

}  // namespace svc::cli
