// Any text is either refused or read exactly: what was read prints to text that reads the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/decimal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto decimal = svc::parse_decimal(text);
  if (!decimal) return 0;
  const auto again = svc::parse_decimal(svc::format_decimal(*decimal));
  SVC_ASSERT(again && *again == *decimal);
  if (const auto scaled = svc::to_scaled(*decimal, 6)) {
    SVC_ASSERT(*svc::parse_scaled(svc::format_scaled(*scaled, 6), 6) == *scaled);
  }
  return 0;
}
