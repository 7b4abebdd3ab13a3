#include "cli/config/toml.h"

#include <algorithm>
#include <stdexcept>

// The parser (3.3) asserts what a text can break: after "[[" it takes for granted that a key begins, and "[[[" aborts.
// So an assertion throws, as its errors do. With NDEBUG each would be an assumption of the compiler instead.
namespace svc::cli {
[[noreturn]] static void refuse_toml() {
  throw std::logic_error("this is not TOML");
}
}  // namespace svc::cli
#undef NDEBUG
#define TOML_ASSERT(expr) ((expr) ? void() : ::svc::cli::refuse_toml())
#define TOML_EXCEPTIONS 1
#define TOML_MAX_NESTED_VALUES 16
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

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

constexpr std::string_view expected_value = "must be a text, a whole number, true, false or a list of texts";

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return std::nullopt;
}

struct TomlProblem {
  std::size_t line = 0;
  std::string text;
};

// Fills entries; the first value that is of none of the kinds, if there is one.
std::optional<TomlProblem> flatten(const toml::table& table, const std::string& section, std::vector<TomlEntry>& entries) {
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    const std::size_t line = node.source().begin.line;
    if (const auto* inner = node.as_table()) {
      auto problem = flatten(*inner, section.empty() ? key : section + "." + key, entries);
      if (problem) return problem;
      continue;
    }
    TomlEntry entry{.section = section, .key = key, .value = {}, .line = line};
    bool sound = true;
    if (const auto* list = node.as_array()) {
      entry.is_list = true;
      for (const toml::node& item : *list) {
        const auto text = scalar_text(item);
        sound = sound && text.has_value();
        entry.items.push_back(text.value_or(""));
      }
    } else {
      const auto text = scalar_text(node);
      sound = text.has_value();
      entry.value = text.value_or("");
    }
    if (!sound) return TomlProblem{line, "the value of " + key + " " + std::string(expected_value)};
    entries.push_back(std::move(entry));
  }
  return std::nullopt;
}

std::string_view key_of(std::string_view line) {
  const auto equals = line.find('=');
  return equals == std::string_view::npos ? std::string_view{} : trimmed(line.substr(0, equals));
}

// A key of thousands of parts is a table thousands deep, whose destructor would use up the stack.
std::optional<std::size_t> line_with_too_many_dots(std::string_view text) {
  std::optional<std::size_t> found;
  each_line(text, [&](std::string_view line, std::size_t number) {
    const auto dots = static_cast<std::size_t>(std::count(line.begin(), line.end(), '.'));
    if (!found && dots > toml_dots_per_line_max) found = number;
  });
  return found;
}

bool trips_an_assertion(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
    return false;
  } catch (const std::logic_error&) {
    return true;
  }
  return false;
}

// The parser stops where it trips, so the lines before that do not trip it.
std::size_t tripping_line(std::string_view text) {
  std::vector<std::string_view> beginnings;  // one more line each
  each_line(text, [&](std::string_view line, std::size_t) {
    beginnings.push_back(text.substr(0, static_cast<std::size_t>(line.data() + line.size() - text.data()) + 1));
  });
  const auto first = std::partition_point(beginnings.begin(), beginnings.end(),
                                          [](std::string_view beginning) { return !trips_an_assertion(beginning); });
  return static_cast<std::size_t>(first - beginnings.begin()) + 1;
}

Result<std::vector<TomlEntry>, TomlProblem> parse(std::string_view text) {
  const auto at = [](std::size_t line, std::string_view problem) {
    return unexpected(TomlProblem{line, std::string(problem)});
  };
  if (const auto line = line_with_too_many_dots(text)) return at(*line, "more dots than a key or a value has");
  std::vector<TomlEntry> entries;
  try {
    if (const auto problem = flatten(toml::parse(text), "", entries)) return at(problem->line, problem->text);
  } catch (const toml::parse_error& error) {
    return at(error.source().begin.line, error.description());
  } catch (const std::logic_error& error) {
    return at(tripping_line(text), error.what());
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
  return entries;
}

// The text with that line empty, and all of its section if it is a header: what follows belongs to no other one.
std::string without_line(std::string_view text, std::size_t bad_line) {
  std::string out;
  bool drops = false;
  each_line(text, [&](std::string_view line, std::size_t number) {
    const bool header = trimmed(line).starts_with('[');
    if (header) drops = number == bad_line;
    if (!drops && number != bad_line) out += line;
    out += '\n';
  });
  return out;
}

}  // namespace

Result<std::vector<TomlEntry>, std::string> parse_toml(std::string_view text) {
  auto entries = parse(text);
  if (entries) return std::move(*entries);
  return unexpected("line " + std::to_string(entries.error().line) + ": " + entries.error().text);
}

std::vector<TomlEntry> parse_usable_toml(std::string_view text) {
  std::string left(text);
  for (int tries = 0; tries < toml_bad_lines_max; ++tries) {
    auto entries = parse(left);
    if (entries) return std::move(*entries);
    left = without_line(left, entries.error().line);
  }
  return {};
}

std::string replace_entry(std::string_view text, std::string_view section, std::string_view key,
                          const std::optional<std::string>& value) {
  const std::string entry = value ? std::string(key) + " = " + toml_quoted(*value) + "\n" : std::string();
  std::string out;
  std::string blank;  // lines held back, so that a new entry follows the last one of its section
  bool inside = section.empty();
  bool found = inside;
  bool written = false;
  const auto leave = [&] {
    if (inside && !written) {
      out += entry;
      written = true;
    }
    out += blank;
    blank.clear();
  };
  each_line(text, [&](std::string_view line, std::size_t) {
    if (const auto name = header_of(line)) {
      leave();
      inside = *name == section;
      found = found || inside;
    }
    if (inside && key_of(line) == key) {
      out += blank + (written ? std::string() : entry);
      blank.clear();
      written = true;
      return;
    }
    if (trimmed(line).empty()) {
      blank += std::string(line) + "\n";
      return;
    }
    out += blank + std::string(line) + "\n";
    blank.clear();
  });
  leave();
  if (!found && value) out += (out.empty() ? "" : "\n") + ("[" + std::string(section) + "]\n") + entry;
  return out;
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
