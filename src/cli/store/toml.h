// Configuration files: read as TOML, and edited line by line so that comments stay in place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace svc::cli {

struct TomlEntry {
  std::string section;  // "networks.local"; empty before the first header
  std::string key;
  std::string value;                 // text; digits; "true" or "false"; of another kind as it stands; empty for a list
  std::size_t line = 0;              // line number, from 1
  std::vector<std::string> items{};  // of a list of strings
  bool is_list = false;
};

struct Placed {
  std::string value;
  std::size_t line = 0;  // of its file
};
using PlacedValues = std::map<std::string, Placed, std::less<>>;

inline constexpr std::size_t toml_dots_per_line_max = 100;

// In the order of the lines. The error names the line and what was expected there.
Result<std::vector<TomlEntry>, std::string> parse_toml(std::string_view text);

// The readable entries: lines with errors are left out, and so is the whole section of a bad header.
[[nodiscard]] std::vector<TomlEntry> parse_usable_toml(std::string_view text);
inline constexpr int toml_bad_lines_max = 20;  // with more, nothing of the text is used

// What is written: keys with a text, or a list of texts.
using TomlValue = std::variant<std::string, std::vector<std::string>>;
using TomlMembers = std::vector<std::pair<std::string, TomlValue>>;

// The text with that section's entries replaced, or the section appended; without entries it is removed.
[[nodiscard]] std::string replace_section(std::string_view text, std::string_view section, const TomlMembers& entries);

// The text with one entry set, or removed (nullopt). An empty section means the top of the file.
[[nodiscard]] std::string replace_entry(std::string_view text, std::string_view section, std::string_view key,
                                        const std::optional<std::string>& value);

}  // namespace svc::cli
