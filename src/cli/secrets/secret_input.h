// How secrets come in: a file, a descriptor, standard input, the systemd credentials folder, a command that
// prints it, or a hidden prompt. Never the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "cli/context.h"

namespace svc::cli {

inline constexpr std::string_view password_command_code = "password_command";

// Where to look, in this order; what is absent is passed over.
struct SecretSource {
  std::string_view what;            // "the password of wallet alice"
  std::string_view flag;            // "--password-file", for messages
  std::optional<std::string> file;  // "-" is standard input
  std::optional<std::uint64_t> descriptor;
  std::string_view credential{};         // name below $CREDENTIALS_DIRECTORY; empty: none
  std::optional<std::string> command{};  // its standard output
  bool prompt = true;
  bool twice = false;  // a new password is asked for two times
};

// One trailing line feed is not part of the secret. Without any source and nobody to ask: exit 3.
[[nodiscard]] Result<Secret, Failure> read_secret(Context& context, const SecretSource& source);

// True if a source other than the prompt is given: the key is at hand without asking anybody.
[[nodiscard]] bool password_given(Context& context);

// The password of a stored key, from the global flags or the prompt.
[[nodiscard]] Result<Secret, Failure> read_password(Context& context, std::string_view what, bool is_new);

}  // namespace svc::cli
