// Error codes that are ours, not the service's: what this program refuses or fails at by itself.
#pragma once

#include <span>
#include <string_view>

#include "cli/exit_code.h"

namespace svc::cli {

struct LocalCode {
  std::string_view code;  // as in `error.code`
  ExitCode exit;          // as a rule
  std::string_view meaning;
  std::string_view what_to_do;
};

[[nodiscard]] std::span<const LocalCode> local_codes();
[[nodiscard]] const LocalCode* find_local_code(std::string_view code);

}  // namespace svc::cli
