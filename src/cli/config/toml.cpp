#include "cli/config/toml.h"

#include <optional>

namespace svc::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_name(std::string_view text, std::string_view also) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!letter && also.find(c) == std::string_view::npos) return false;
  }
  return true;
}

// The name between the brackets; nullopt if the line is no header.
std::optional<std::string_view> header_of(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')));
  if (!line.starts_with('[') || !line.ends_with(']')) return std::nullopt;
  const std::string_view name = trimmed(line.substr(1, line.size() - 2));
  if (!is_name(name, ".")) return std::nullopt;
  return name;
}

// The value of a line after '='; nullopt unless it is one of the forms above.
std::optional<std::string> value_of(std::string_view text) {
  if (!text.starts_with('"')) {
    text = trimmed(text.substr(0, text.find('#')));
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return digits || text == "true" || text == "false" ? std::optional(std::string(text)) : std::nullopt;
  }
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::string_view rest = trimmed(text.substr(i + 1));
      return rest.empty() || rest.starts_with('#') ? std::optional(value) : std::nullopt;
    }
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != '"' && text[i] != '\\')) return std::nullopt;
    }
    value += text[i];
  }
  return std::nullopt;
}

// Calls use(line, number) for each line, without its line feed.
template <class Use>
void each_line(std::string_view text, Use use) {
  std::size_t number = 0;
  while (!text.empty()) {
    const auto feed = text.find('\n');
    use(text.substr(0, feed), ++number);
    text = feed == std::string_view::npos ? std::string_view{} : text.substr(feed + 1);
  }
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

Result<std::vector<TomlEntry>, std::string> parse_toml(std::string_view text) {
  std::vector<TomlEntry> entries;
  std::string section;
  std::string problem;
  each_line(text, [&](std::string_view whole, std::size_t number) {
    const std::string_view line = trimmed(whole);
    if (!problem.empty() || line.empty() || line.starts_with('#')) return;
    if (line.starts_with('[')) {
      const auto name = header_of(line);
      if (!name) problem = "line " + std::to_string(number) + ": expected [section]";
      if (name) section = std::string(*name);
      return;
    }
    const auto equals = line.find('=');
    const std::string_view key = equals == std::string_view::npos ? line : trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(key, "")) {
      problem = "line " + std::to_string(number) + ": expected key = value";
      return;
    }
    const auto value = value_of(trimmed(line.substr(equals + 1)));
    if (!value) {
      problem = "line " + std::to_string(number) + ": the value of " + std::string(key) +
                " must be \"text\" in double quotes, a whole number, true or false";
      return;
    }
    entries.push_back({section, std::string(key), *value, number});
  });
  if (!problem.empty()) return unexpected(problem);
  return entries;
}

std::string replace_section(std::string_view text, std::string_view section,
                            const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string block;
  if (!entries.empty()) {
    block = "[" + std::string(section) + "]\n";
    for (const auto& [key, value] : entries) block += key + " = " + toml_quoted(value) + "\n";
  }
  std::string out;
  bool inside = false;
  bool written = false;
  each_line(text, [&](std::string_view line, std::size_t) {
    if (const auto name = header_of(line)) {
      inside = *name == section;
      if (inside && !written) {
        out += block;
        written = true;
      }
    }
    const std::string_view shown = trimmed(line);
    // Comments and blank lines inside the section stay; its entries and header are the new ones.
    if (inside && !shown.empty() && !shown.starts_with('#')) return;
    out += std::string(line) + "\n";
  });
  if (!written && !block.empty()) out += (out.empty() ? "" : "\n") + block;
  return out;
}

}  // namespace svc::cli
