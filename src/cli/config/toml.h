// The part of TOML that config.toml uses: [sections], key = "text" | number | true | false, comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::cli {

struct TomlEntry {
  std::string section;  // "networks.local"; empty before the first header
  std::string key;
  std::string value;  // text without quotes and escapes; digits; "true" or "false"
  std::size_t line = 0;
};

// The error names the line and what was expected there.
[[nodiscard]] Result<std::vector<TomlEntry>, std::string> parse_toml(std::string_view text);

// The text with that section's entries replaced, everything else (comments included) as it was. The
// section is appended if there is none; without entries it is taken out.
[[nodiscard]] std::string replace_section(std::string_view text, std::string_view section,
                                          const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace svc::cli
