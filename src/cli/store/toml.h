// Configuration files: read as TOML, changed line by line so that comments stay where they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc::cli {

struct TomlEntry {
  std::string section;  // "networks.local"; empty before the first header
  std::string key;
  std::string value;                 // text; digits; "true" or "false"; empty for a list
  std::size_t line = 0;              // in the file, from 1
  std::vector<std::string> items{};  // of a list of texts
  bool is_list = false;
};

inline constexpr std::size_t toml_dots_per_line_max = 100;

// In the order of the lines. The error names the line and what was expected there.
[[nodiscard]] Result<std::vector<TomlEntry>, std::string> parse_toml(std::string_view text);

// What can be read of it: lines with a mistake are left out, a header with all of its section.
[[nodiscard]] std::vector<TomlEntry> parse_usable_toml(std::string_view text);
inline constexpr int toml_bad_lines_max = 20;  // beyond, nothing of the text holds

// The text with that section's entries replaced, everything else (comments included) as it was. The
// section is appended if there is none; without entries it is taken out.
[[nodiscard]] std::string replace_section(std::string_view text, std::string_view section,
                                          const std::vector<std::pair<std::string, std::string>>& entries);

// The text with one entry set, or taken out (nullopt). An empty section means the top of the file.
[[nodiscard]] std::string replace_entry(std::string_view text, std::string_view section, std::string_view key,
                                        const std::optional<std::string>& value);

}  // namespace svc::cli
