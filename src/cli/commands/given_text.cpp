#include "cli/commands/given_text.h"

#include "base/limits.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

// Spreadsheets put one before what they save as UTF-8; it is no part of the text.
std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

}  // namespace

Result<std::string, Failure> read_text(Context& context, const std::string& file, std::string_view what) {
  if (file == "-") {
    auto text = context.environment().read_input(limits::input_bytes_max);
    if (!text) return unexpected(usage_error("standard input is too long"));
    return without_byte_order_mark(std::move(*text));
  }
  auto given = SVC_TRY(read_given(file, what, limits::input_bytes_max, LooseMode::accept));
  return without_byte_order_mark(std::move(given.text));
}

}  // namespace svc::cli
