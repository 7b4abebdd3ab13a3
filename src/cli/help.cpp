#include "cli/help.h"

#include <algorithm>

#include "cli/command_table.h"

namespace svc::cli {
namespace {

struct Line {
  std::string left;
  std::string_view right;
};

std::string aligned(const std::vector<Line>& lines) {
  constexpr std::size_t left_max = 34;
  std::size_t width = 0;
  for (const Line& line : lines) {
    if (line.left.size() <= left_max) width = std::max(width, line.left.size());
  }
  std::string out;
  for (const Line& line : lines) {
    out += "  " + line.left;
    if (line.left.size() > width) {
      out += "\n  " + std::string(width, ' ');
    } else {
      out += std::string(width - line.left.size(), ' ');
    }
    out += "  " + std::string(line.right) + "\n";
  }
  return out;
}

Line line_of(const Declared& one) {
  std::string left = one.names;
  if (const auto comma = left.find(','); comma != std::string::npos) left.insert(comma + 1, " ");
  if (!one.positional && left.starts_with("--")) left = "    " + left;
  if (!one.value.empty()) left += " " + one.value;
  return {std::move(left), one.doc};
}

}  // namespace

std::string overview(std::string_view noun) {
  std::string out = noun.empty() ? "svc - trade on, inspect and simulate a perpetual-futures exchange\n\n"
                                   "Usage: svc [-n NETWORK] COMMAND [FLAGS]\n"
                                 : "Usage: svc [-n NETWORK] " + std::string(noun) + " COMMAND [FLAGS]\n";
  std::vector<Line> lines;
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      const bool shown = noun.empty() || row.path.starts_with(std::string(noun) + " ");
      if (shown) lines.push_back({std::string(row.path), row.summary});
    }
  }
  out += "\nCommands\n" + aligned(lines);
  out +=
      "\nThere is no default network: name it with -n or SVC_NETWORK.\n"
      "svc COMMAND --help lists the flags; svc explain CODE tells what an error or exit code means.\n";
  return out;
}

std::string command_help(const CommandRow& row, const Arguments& arguments, std::size_t globals) {
  std::string out = std::string(row.summary) + "\n\nUsage: svc " + std::string(row.path);
  if (!row.usage.empty()) out += " " + std::string(row.usage);
  out += " [FLAGS]\n";
  std::vector<Line> positionals, own, shared;
  const auto& declared = arguments.declared();
  for (std::size_t i = 0; i < declared.size(); ++i) {
    auto& section = declared[i].positional ? positionals : i < globals ? shared : own;
    section.push_back(line_of(declared[i]));
  }
  if (!positionals.empty()) out += "\nArguments\n" + aligned(positionals);
  if (!own.empty()) out += "\nFlags\n" + aligned(own);
  out += "\nFlags of every command\n" + aligned(shared);
  return out;
}

}  // namespace svc::cli
