#include "cli/secrets/secret_input.h"

#include "base/limits.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

constexpr std::string_view password_credential = "svc-password";

Secret without_line_feed(std::string text) {
  std::size_t size = text.size();
  if (size > 0 && text[size - 1] == '\n') --size;
  if (size > 0 && text[size - 1] == '\r') --size;
  Secret secret(text.substr(0, size));
  wipe(text.data(), text.size());
  return secret;
}

Result<Secret, Failure> accepted(Secret secret, const SecretSource& source) {
  if (secret.empty()) return unexpected(usage_error(std::string(source.what) + " is empty"));
  return secret;
}

Result<Secret, Failure> from_file(Context& context, const SecretSource& source, const std::string& file) {
  if (file == "-") {
    auto text = context.environment().read_input(limits::secret_bytes_max);
    if (!text) return unexpected(usage_error(std::string(source.what) + " on standard input is too long"));
    return accepted(without_line_feed(std::move(*text)), source);
  }
  auto given =
      SVC_TRY(read_given(file, "the file of " + std::string(source.flag), limits::secret_bytes_max, LooseMode::refuse));
  return accepted(without_line_feed(std::move(given.text)), source);
}

Result<Secret, Failure> from_prompt(Context& context, const SecretSource& source) {
  const auto ask = [&](const std::string& prompt) { return context.environment().ask(prompt, Echo::hidden); };
  const Failure declined{.exit = ExitCode::confirmation, .code = "declined", .message = "no password was given"};
  auto first = ask(std::string(source.what) + ": ");
  if (!first) return unexpected(declined);
  if (source.twice) {
    const auto second = ask("the same again: ");
    if (!second) return unexpected(declined);
    if (!equal_constant_time(first->reveal(), second->reveal())) {
      return unexpected(usage_error("the two entries differ"));
    }
  }
  return accepted(std::move(*first), source);
}

Result<Secret, Failure> from_command(Context& context, const SecretSource& source) {
  auto text = context.environment().run_errand({.words = {"/bin/sh", "-c", *source.command},
                                                .input = {},
                                                .bytes_max = limits::secret_bytes_max,
                                                .timeout_ms = context.helper_patience_ms()});
  if (text) return accepted(without_line_feed(std::move(*text)), source);
  return unexpected(
      Failure{.exit = ExitCode::authentication,
              .code = std::string(password_command_code),
              .message = "the command that prints " + std::string(source.what) + " failed: " + text.error()});
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

Result<Secret, Failure> read_secret(Context& context, const SecretSource& source) {
  if (source.file) return from_file(context, source, *source.file);
  if (source.descriptor) {
    constexpr std::uint64_t descriptor_max = 1u << 20;
    if (*source.descriptor > descriptor_max) return unexpected(usage_error("no descriptor has that number"));
    auto text = SVC_TRY(read_descriptor(static_cast<int>(*source.descriptor), source.what, limits::secret_bytes_max));
    keep_from_children(static_cast<int>(*source.descriptor));
    return accepted(without_line_feed(std::move(text)), source);
  }
  if (const auto file = credential_file(context, source.credential)) return from_file(context, source, *file);
  if (source.command) return from_command(context, source);
  if (source.prompt && context.may_ask()) return from_prompt(context, source);
  return unexpected(Failure{.exit = ExitCode::confirmation,
                            .code = "input_required",
                            .message = std::string(source.what) + " is needed, and nobody can be asked",
                            .actions = {"add " + std::string(source.flag) + " FILE"}});
}

bool password_given(Context& context) {
  return context.globals().password_file || context.globals().password_fd || context.globals().password_command ||
         credential_file(context, password_credential);
}

Result<Secret, Failure> read_password(Context& context, std::string_view what, bool is_new) {
  return read_secret(context, {.what = what,
                               .flag = "--password-file",
                               .file = context.globals().password_file,
                               .descriptor = context.globals().password_fd,
                               .credential = password_credential,
                               // What a vault prints is the password that is, not the one that is to be.
                               .command = is_new ? std::nullopt : context.globals().password_command,
                               .twice = is_new});
}

}  // namespace svc::cli
