// Private keys as users bring them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/context.h"
#include "signing/key.h"

namespace svc::cli {

// 64 hex digits, 0x optional, blanks around them ignored.
[[nodiscard]] std::optional<signing::PrivateKey> parse_private_key(std::string_view text);

// A key for `svc sign`: a wallet by name, or a file of hex digits; nullopt if neither is given.
// Without -n a wallet is found if exactly one network has one of that name. (D-308)
struct KeyFlags {
  std::optional<std::string> wallet;
  std::optional<std::string> file;

  void declare(Arguments& arguments);
  [[nodiscard]] Result<std::optional<signing::PrivateKey>, Failure> open(Context& context) const;
};

// The text of a --key-file. A file that others can read is accepted with a warning: these commands
// send nothing, and test vectors live in such files. (D-307)
[[nodiscard]] Result<Secret, Failure> read_key_file(Context& context, const std::string& file);

}  // namespace svc::cli
