// The operator secret: asked for by each command that needs it and stored nowhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "cli/context.h"

namespace svc::cli {

struct AdminSecretFlags {
  std::optional<std::string> file;
  std::optional<std::uint64_t> descriptor;

  void declare(Arguments& arguments);
  // From the flags, SVC_ADMIN_SECRET_FILE, the credentials folder, or a prompt.
  [[nodiscard]] Result<Secret, Failure> read(Context& context) const;
};

}  // namespace svc::cli
