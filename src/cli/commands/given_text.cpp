#include "cli/commands/given_text.h"

#include "base/limits.h"
#include "cli/files/private_file.h"

namespace svc::cli {

Result<std::string, Failure> read_text(Context& context, const std::string& file, std::string_view what) {
  if (file == "-") {
    auto text = context.environment().read_input(limits::input_bytes_max);
    if (!text) return unexpected(usage_error("standard input is too long"));
    return std::move(*text);
  }
  auto given = read_given(file, what, limits::input_bytes_max, LooseMode::accept);
  if (!given) return unexpected(given.error());
  return std::move(given->text);
}

}  // namespace svc::cli
