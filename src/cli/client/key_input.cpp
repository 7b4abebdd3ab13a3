#include "cli/client/key_input.h"

#include <unistd.h>

#include "base/limits.h"
#include "cli/arguments/arguments.h"
#include "cli/machine/private_file.h"
#include "cli/store/wallet_store.h"
#include "signing/keystore.h"

namespace svc::cli {
namespace {

constexpr std::string_view password_credential = "svc-password";

Result<Secret> accepted(Secret secret, const SecretSource& source) {
  if (secret.empty()) return usage_error(source.what, " is empty");
  return secret;
}

// Without its line feed.
Result<Secret> accepted_line(std::string text, const SecretSource& source) {
  std::size_t size = text.size();
  if (size > 0 && text[size - 1] == '\n') --size;
  if (size > 0 && text[size - 1] == '\r') --size;
  Secret secret(text.substr(0, size));
  wipe(text.data(), text.size());
  return accepted(std::move(secret), source);
}

Failure needed(std::string_view what) {
  return failed("input_required", what, " is needed, and nobody can be asked");
}

Result<Secret> from_file(Context& context, const SecretSource& source, const std::string& file, const std::string& what,
                         LooseMode mode) {
  auto text =
      SVC_TRY(context.read_given_or_input(file, what, limits::secret_bytes_max, mode, context.pipe_patience_ms()));
  return accepted_line(std::move(text), source);
}

Result<Secret> from_prompt(Context& context, const SecretSource& source) {
  const auto ask = [&](const std::string& prompt) { return context.environment().ask(prompt, Echo::hidden); };
  const Failure declined = failed("declined", "no password was given");
  auto first = ask(std::string(source.what) + ": ");
  if (!first) return unexpected(declined);
  if (source.twice) {
    const auto second = ask("the same again: ");
    if (!second) return unexpected(declined);
    if (!equal_constant_time(first->reveal(), second->reveal())) {
      return usage_error("the two entries differ");
    }
  }
  return accepted(std::move(*first), source);
}

Result<Secret> nobody_typed(const SecretSource& source) {
  return needed(source.what).to_try({concat("add ", source.flag, " FILE")});
}

// A terminal would show and keep what is read from it, so it is never read without a prompt. (D-1127)
Result<Secret> typed(Context& context, const SecretSource& source) {
  return context.may_ask() ? from_prompt(context, source) : nobody_typed(source);
}

Result<Secret> from_command(Context& context, const SecretSource& source) {
  auto text = context.environment().run_helper({.words = shell_words(*source.command),
                                                .input = {},
                                                .bytes_max = limits::secret_bytes_max,
                                                .timeout_ms = context.helper_patience_ms()});
  if (text) return accepted_line(std::move(*text), source);
  return failed(password_command_code, "the command that prints ", source.what, " failed: ", text.error());
}

std::optional<std::string> credential_file(Context& context, std::string_view name) {
  if (name.empty()) return std::nullopt;
  const auto folder = context.environment().variable("CREDENTIALS_DIRECTORY");
  if (!folder) return std::nullopt;
  const std::filesystem::path file = std::filesystem::path(*folder) / name;
  std::error_code error;
  return std::filesystem::exists(file, error) ? std::optional(file.string()) : std::nullopt;
}

}  // namespace

std::optional<signing::PrivateKey> parse_private_key(std::string_view text) {
  return signing::PrivateKey::from_hex(trimmed(text, " \t\r\n"));
}

Result<Secret> read_secret(Context& context, const SecretSource& source) {
  const bool is_typed = context.environment().in_is_terminal;  // what standard input has
  if (source.file) {
    const std::string file = "the file of " + std::string(source.flag);
    if (*source.file != "-" || !is_typed) return from_file(context, source, *source.file, file, LooseMode::refuse);
    SVC_TRY(context.take_input(file));
    return typed(context, source);
  }
  if (source.descriptor) {
    constexpr std::uint64_t descriptor_max = 1u << 20;
    if (*source.descriptor > descriptor_max) return usage_error("no descriptor has that number");
    if (*source.descriptor == STDIN_FILENO && is_typed) return typed(context, source);
    auto text = SVC_TRY(read_descriptor(static_cast<int>(*source.descriptor), source.what, limits::secret_bytes_max,
                                        context.pipe_patience_ms()));
    keep_from_children(static_cast<int>(*source.descriptor));
    return accepted_line(std::move(text), source);
  }
  if (const auto file = credential_file(context, source.credential))
    return from_file(context, source, *file, "the credential", LooseMode::accept_credential);
  if (source.command) return from_command(context, source);
  return source.prompt ? typed(context, source) : nobody_typed(source);
}

bool password_given(Context& context) {
  return context.globals().password_file || context.globals().password_fd || context.globals().password_command ||
         credential_file(context, password_credential);
}

Result<Secret> read_password(Context& context, std::string_view what, bool is_new) {
  return read_secret(context, {.what = what,
                               .flag = "--password-file",
                               .file = context.globals().password_file,
                               .descriptor = context.globals().password_fd,
                               .credential = password_credential,
                               // The password command prints the present password, not a new one.
                               .command = is_new ? std::nullopt : context.globals().password_command,
                               .twice = is_new});
}

PasswordFrom password_source(Context& context) {
  const ShellSession* shell_session = context.shell_session();
  const bool is_locked = shell_session != nullptr && shell_session->locked;
  return is_locked && context.environment().in_is_terminal ? PasswordFrom::a_person : PasswordFrom::anywhere;
}

Result<signing::PrivateKey> unlock_wallet(Context& context, std::string_view network, std::string_view name,
                                          PasswordFrom from) {
  const auto paths = SVC_TRY(context.paths());
  const auto sealed = SVC_TRY(sealed_wallet(*paths, network, name));
  const std::string what = "the password of wallet " + std::string(name);
  if (from == PasswordFrom::a_person && !context.may_ask()) return needed(what);
  const auto password = SVC_TRY(from == PasswordFrom::a_person
                                    ? from_prompt(context, {.what = what, .flag = {}, .file = {}, .descriptor = {}})
                                    : read_password(context, what, false));
  const auto key = signing::read_keystore(sealed.reveal(), password);
  if (key) return *key;
  return failed("wallet_locked", "wallet ", name, " of network ", network, ": ", signing::keystore_text(key.error()));
}

void AdminSecretFlags::declare(Arguments& arguments) {
  arguments.add(file, {"--admin-secret-file", "file with the operator secret (mode 0600; - for stdin)", "FILE"});
  arguments.add(descriptor, {"--admin-secret-fd", "descriptor to read the operator secret from", "N"});
}

Result<Secret> AdminSecretFlags::read(Context& context) const {
  const bool given = file || descriptor;
  if (file && descriptor) return usage_error("--admin-secret-file and --admin-secret-fd exclude each other");
  auto secret = read_secret(context, {.what = "the operator secret",
                                      .flag = "--admin-secret-file",
                                      .file = given ? file : context.environment().variable("SVC_ADMIN_SECRET_FILE"),
                                      .descriptor = descriptor,
                                      .credential = "svc-admin-secret"});
  // RFC 6750 allows even less after "Bearer ".
  if (!secret || std::ranges::all_of(secret->reveal(), is_printable)) return secret;
  return usage_error("the operator secret travels in a header: printable ASCII without blanks");
}

}  // namespace svc::cli
