#include "cli/commands/help.h"

#include "base/encoding.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"

namespace svc::cli {
namespace {

struct HelpLine {
  std::string left;
  std::string right;
};

std::string aligned(const std::vector<HelpLine>& lines) {
  constexpr std::size_t left_max = 34;
  std::size_t width = 0;
  for (const HelpLine& line : lines)
    if (line.left.size() <= left_max) width = std::max(width, line.left.size());
  std::string out;
  for (const auto& [left, right] : lines) {
    const bool fits = left.size() <= width;
    out += "  " + left + (fits ? std::string(width - left.size(), ' ') : "\n  " + std::string(width, ' ')) + "  " +
           wrapped(right, width + 4) + "\n";
  }
  return out;
}

HelpLine line_of(const Declared& one) {
  const bool is_long_only = !one.positional && one.names.starts_with("--");
  return {(is_long_only ? "    " : "") + flag_term(one), shown_flag(one).doc};
}

// The first words of the commands, in the order of a trader's day.
struct Topic {
  std::string_view title;
  std::vector<std::string_view> nouns;
};
const std::array topics{
    Topic{"Sign in", {"login", "logout", "whoami", "status", "doctor"}},
    Topic{"Prices", {"markets", "venue", "watch"}},
    Topic{"Trade", {"buy", "sell", "orders", "fills", "positions", "flatten"}},
    Topic{"Account", {"account", "margin", "funding", "limits"}},
    Topic{"Money", {"faucet", "deposits", "withdrawals", "transfers", "bridge", "addresses"}},
    Topic{"Safety", {"guard", "outbox", "journal", "why"}},
    Topic{"Keys", {"keystore", "keys", "agents", "sign", "verify"}},
    Topic{"Scripts", {"api", "ws", "diff", "apply", "commands", "schema"}},
    Topic{"Settings", {"network", "profile", "alias", "config", "completion", "shell"}},
    Topic{"Operate", {"admin"}},
    Topic{"Sandbox", {"serve", "local"}},
    Topic{"Help", {"help", "explain", "man", "version"}},
};

constexpr std::array<std::string_view, 13> nouns_without_network{
    "network",  "sign",   "verify",     "local", "profile", "alias",  "config",
    "commands", "schema", "completion", "man",   "explain", "version"};

// The second words of a noun's commands, each once.
std::vector<std::string_view> verbs_of(std::string_view noun) {
  std::vector<std::string_view> verbs;
  for (const CommandRow* row : rows_of(noun)) {
    std::string_view rest = row->path.substr(noun.size());
    if (rest.empty()) continue;
    rest = first_word(rest.substr(1));
    if (!is_among(rest, verbs)) verbs.push_back(rest);
  }
  return verbs;
}

// Commands of one word share a line; each noun has a line with as many verbs as fit.
std::string lines_of(const Topic& topic) {
  constexpr std::size_t title_columns = 10;
  constexpr std::string_view more = ", ...";
  std::vector<std::string_view> singles;
  std::vector<std::string> lines;
  for (const std::string_view noun : topic.nouns) {
    const auto verbs = verbs_of(noun);
    if (verbs.empty()) {
      singles.push_back(noun);
      continue;
    }
    std::string line = std::string(noun) + " ";
    for (std::size_t i = 0; i < verbs.size(); ++i) {
      const std::string next = (i == 0 ? "" : ", ") + std::string(verbs[i]);
      const std::size_t reserve = i + 1 == verbs.size() ? 0 : more.size();
      if (2 + title_columns + line.size() + next.size() + reserve > line_chars_max) {
        line += more;
        break;
      }
      line += next;
    }
    lines.push_back(std::move(line));
  }
  if (!singles.empty()) lines.insert(lines.begin(), joined(singles));
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string title(i == 0 ? topic.title : std::string_view());
    title.resize(title_columns, ' ');
    out += "  " + title + lines[i] + "\n";
  }
  return out;
}

std::string summaries_of(const std::vector<const CommandRow*>& rows) {
  std::vector<HelpLine> lines;
  for (const CommandRow* row : rows) lines.push_back({std::string(row->path), std::string(row->summary)});
  return aligned(lines);
}

}  // namespace

std::vector<const CommandRow*> rows_of(std::string_view noun) {
  std::vector<const CommandRow*> rows;
  for (const CommandRow& row : command_rows())
    if (first_word(row.path) == noun) rows.push_back(&row);
  return rows;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = take_line(text, ' ');
    if (column > indent && column + 1 + word.size() > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string overview() {
  std::string out =
      "svc - trade on, inspect and simulate a perpetual-futures exchange\n\n"
      "Usage: svc [-n NETWORK] COMMAND [FLAGS]\n\n";
  for (const Topic& topic : topics) out += lines_of(topic);
  return out +
         "\nThere is no default network: name it with -n or SVC_NETWORK.\n"
         "svc help orders tells of a group, svc help buy of a command, svc help all of\n"
         "all, svc help flags of the flags that all take, svc explain CODE of an error.\n";
}

std::string overview(std::string_view noun) {
  std::vector<const CommandRow*> rows = rows_of(first_word(noun));
  std::erase_if(rows, [&](const CommandRow* row) { return !row->path.starts_with(std::string(noun) + " "); });
  return "Usage: svc [-n NETWORK] " + std::string(noun) + " COMMAND [FLAGS]\n\nCommands\n" + summaries_of(rows) +
         "\nsvc help COMMAND lists the flags of one.\n";
}

std::string every_command() {
  std::string out;
  for (const Topic& topic : topics) {
    std::vector<const CommandRow*> rows;
    for (const std::string_view noun : topic.nouns)
      for (const CommandRow* row : rows_of(noun)) rows.push_back(row);
    out += (out.empty() ? "" : "\n") + std::string(topic.title) + "\n" + summaries_of(rows);
  }
  return out;
}

std::vector<Declared> global_flags() {
  return LineFlags().arguments.declared();
}

std::string shared_flags_help() {
  std::vector<HelpLine> lines;
  for (const Declared& one : global_flags()) lines.push_back(line_of(one));
  return "Flags of every command\n" + aligned(lines);
}

std::vector<Declared> own_arguments(const CommandRow& row) {
  const CommandFlags line(row);
  const std::vector<Declared> globals = global_flags();
  const std::vector<Declared>& declared = line.arguments.declared();
  // The global flags stand first. A command may have replaced one with its own of the same name.
  const auto is_global = [&](const Declared& one) {
    return std::ranges::any_of(
        globals, [&](const Declared& global) { return global.names == one.names && global.doc == one.doc; });
  };
  return {std::ranges::find_if_not(declared, is_global), declared.end()};
}

ShownFlag shown_flag(const Declared& one) {
  constexpr std::size_t value_chars_max = 24;
  if (one.choices.empty() || one.value.size() <= value_chars_max) return {one.value, one.doc};
  ShownFlag shown{.value = {}, .doc = one.doc};
  for (const char c : one.names.substr(one.names.find("--") + 2)) shown.value += c == '-' ? '_' : upper_letter(c);
  shown.doc += ": " + joined(one.choices);
  return shown;
}

std::string flag_term(const Declared& one) {
  std::string term = one.names;
  if (const auto comma = term.find(','); comma != std::string::npos) term.insert(comma + 1, " ");
  const std::string value = shown_flag(one).value;
  if (one.otherwise) return term + "[=" + value + "]";
  return value.empty() ? term : term + " " + value;
}

std::vector<Example> examples_of(const CommandRow& row) {
  constexpr std::string_view mark = "# ";
  const bool names_network = !is_among(first_word(row.path), nouns_without_network);
  const std::string begin = concat(names_network ? "svc -n local " : "svc ", row.path);
  std::vector<Example> found;
  for (std::string_view rest = row.examples; !rest.empty();) {
    const std::string_view one = take_line(rest);
    const auto at = one.find(mark);
    SVC_ASSERT(at != std::string_view::npos);
    const std::string_view typed = trimmed(one.substr(0, at), " ");
    const bool is_whole = typed.starts_with("svc ");
    found.push_back(
        {is_whole ? std::string(typed) : concat(begin, typed.empty() ? "" : " ", typed), one.substr(at + mark.size())});
  }
  return found;
}

std::string command_help(const CommandRow& row) {
  std::string out = std::string(row.summary) + "\n\nUsage: svc " + std::string(row.path);
  if (!row.usage.empty()) out += " " + std::string(row.usage);
  out += " [FLAGS]\n";
  std::vector<HelpLine> positionals, own;
  for (const Declared& one : own_arguments(row)) (one.positional ? positionals : own).push_back(line_of(one));
  if (!positionals.empty()) out += "\nArguments\n" + aligned(positionals);
  if (!own.empty()) out += "\nFlags\n" + aligned(own);
  const std::vector<Example> lines = examples_of(row);
  if (!lines.empty()) out += "\nExamples\n";
  for (const auto& [line, says] : lines) out += "  # " + std::string(says) + "\n  " + line + "\n";
  return out + "\nsvc help flags lists what every command takes, such as -n, -o and --dry-run.\n";
}

}  // namespace svc::cli
