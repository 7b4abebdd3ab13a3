#include "cli/help.h"

#include <algorithm>
#include <vector>

#include "cli/command_table.h"
#include "cli/examples.h"
#include "cli/globals.h"
#include "cli/shared_flags.h"

namespace svc::cli {
namespace {

struct HelpLine {
  std::string left;
  std::string right;
};

std::string aligned(const std::vector<HelpLine>& lines) {
  constexpr std::size_t left_max = 34;
  std::size_t width = 0;
  for (const HelpLine& line : lines) {
    if (line.left.size() <= left_max) width = std::max(width, line.left.size());
  }
  std::string out;
  for (const HelpLine& line : lines) {
    out += "  " + line.left;
    if (line.left.size() > width) {
      out += "\n  " + std::string(width, ' ');
    } else {
      out += std::string(width - line.left.size(), ' ');
    }
    out += "  " + line.right + "\n";
  }
  return out;
}

HelpLine line_of(const Declared& one) {
  std::string left = one.names;
  if (const auto comma = left.find(','); comma != std::string::npos) left.insert(comma + 1, " ");
  if (!one.positional && left.starts_with("--")) left = "    " + left;
  if (!one.value.empty()) left += " " + one.value;
  return {std::move(left), shown_doc(one)};
}

}  // namespace

std::string overview(std::string_view noun) {
  std::string out = noun.empty() ? "svc - trade on, inspect and simulate a perpetual-futures exchange\n\n"
                                   "Usage: svc [-n NETWORK] COMMAND [FLAGS]\n"
                                 : "Usage: svc [-n NETWORK] " + std::string(noun) + " COMMAND [FLAGS]\n";
  std::vector<HelpLine> lines;
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      const bool shown = noun.empty() || row.path.starts_with(std::string(noun) + " ");
      if (shown) lines.push_back({std::string(row.path), std::string(row.summary)});
    }
  }
  out += "\nCommands\n" + aligned(lines);
  out +=
      "\nThere is no default network: name it with -n or SVC_NETWORK.\n"
      "svc COMMAND --help lists the flags; svc explain CODE tells what an error or exit code means.\n";
  return out;
}

Taken taken_by(const CommandRow& row) {
  GlobalWords words;
  Arguments arguments;
  declare_globals(arguments, words);
  const std::vector<Declared> globals = arguments.declared();
  const std::unique_ptr<Command> command = row.make();
  command->declare(arguments);
  SharedFlags flags;
  flags.declare(row, arguments);
  // A command may have taken back a flag of all commands and declared another of that name.
  Taken taken;
  for (const Declared& one : arguments.declared()) {
    const bool shared = taken.own.empty() && std::any_of(globals.begin(), globals.end(), [&](const Declared& global) {
                          return global.names == one.names && global.doc == one.doc;
                        });
    (shared ? taken.shared : taken.own).push_back(one);
  }
  return taken;
}

std::string shown_doc(const Declared& one) {
  std::string text = one.doc;
  for (std::size_t i = 0; i < one.choices.size(); ++i) text += (i == 0 ? ": " : ", ") + std::string(one.choices[i]);
  return text;
}

std::string command_help(const CommandRow& row) {
  std::string out = std::string(row.summary) + "\n\nUsage: svc " + std::string(row.path);
  if (!row.usage.empty()) out += " " + std::string(row.usage);
  out += " [FLAGS]\n";
  const Taken taken = taken_by(row);
  std::vector<HelpLine> positionals, own, shared;
  for (const Declared& one : taken.own) (one.positional ? positionals : own).push_back(line_of(one));
  for (const Declared& one : taken.shared) shared.push_back(line_of(one));
  if (!positionals.empty()) out += "\nArguments\n" + aligned(positionals);
  if (!own.empty()) out += "\nFlags\n" + aligned(own);
  const std::vector<Example> lines = examples_of(row);
  if (!lines.empty()) out += "\nExamples\n";
  for (const Example& example : lines) {
    out += "  # " + std::string(example.says) + "\n  " + std::string(example.line) + "\n";
  }
  out += "\nFlags of every command\n" + aligned(shared);
  return out;
}

std::string bare_word(std::string_view word) {
  std::string text;
  for (const char c : word)
    if (c != '-' && c != '_') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cell(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell(i, j) = std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
    }
  }
  return cell(a.size(), b.size());
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // A third of the letters wrong is a typing error; more is another word.
  constexpr std::size_t word_chars_max = 64;
  if (word.empty() || word.size() > word_chars_max) return std::nullopt;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace svc::cli
