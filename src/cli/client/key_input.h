// Private keys, passwords and other secrets as users enter them.
#pragma once

#include "base/secret.h"
#include "cli/client/context.h"
#include "signing/key.h"

namespace svc::cli {

// 64 hex digits, 0x optional, blanks around them ignored.
[[nodiscard]] std::optional<signing::PrivateKey> parse_private_key(std::string_view text);

// Where secrets come from: a file, a descriptor, standard input, the systemd credentials folder, a command that prints
// them, or a hidden prompt. Never the command line.

inline constexpr std::string_view password_command_code = "password_command";

// The places to look, in this order; absent ones are skipped.
struct SecretSource {
  std::string_view what;            // "the password of wallet alice"
  std::string_view flag;            // "--password-file", for messages
  std::optional<std::string> file;  // "-" is standard input
  std::optional<std::uint64_t> descriptor;
  std::string_view credential{};         // name below $CREDENTIALS_DIRECTORY; empty: none
  std::optional<std::string> command{};  // its standard output
  bool prompt = true;
  bool twice = false;  // a new password is asked for twice
};

// A trailing line feed is not part of the secret. Exit 3 without any source and without a terminal.
Result<Secret> read_secret(Context& context, const SecretSource& source);

// True if a source other than the prompt is given, so that nobody has to be asked.
[[nodiscard]] bool password_given(Context& context);

// The password of a stored key, from the global flags or the prompt.
Result<Secret> read_password(Context& context, std::string_view what, bool is_new);

// Whether a person has to type the password, whatever file or command could give it.
enum class PasswordFrom : bool { anywhere, a_person };
// In a locked shell a person: a file would open it for everybody who sits down at the terminal.
[[nodiscard]] PasswordFrom password_source(Context& context);

// The key of a wallet. Asks for the password if it is not given; a wrong one is exit 4.
Result<signing::PrivateKey> unlock_wallet(Context& context, std::string_view network, std::string_view name,
                                          PasswordFrom from = PasswordFrom::anywhere);

// The operator secret: read anew by each command that needs it, and never stored.

struct AdminSecretFlags {
  std::optional<std::string> file;
  std::optional<std::uint64_t> descriptor;

  void declare(Arguments& arguments);
  // From the flags, SVC_ADMIN_SECRET_FILE, the credentials folder, or a prompt.
  Result<Secret> read(Context& context) const;
};

}  // namespace svc::cli
