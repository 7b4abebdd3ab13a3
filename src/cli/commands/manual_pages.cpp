#include "cli/commands/manual_pages.h"

#include <algorithm>

#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"
#include "cli/commands/examples.h"
#include "cli/commands/help.h"
#include "cli/commands/manual_page.h"
#include "cli/terminal/failure.h"

namespace svc::cli {
namespace {

Block heading(std::string text) {
  return {.kind = Block::Kind::heading, .text = std::move(text)};
}

std::string first_word_of(std::string_view path) {
  return std::string(path.substr(0, path.find(' ')));
}

// First words in the order of the help.
std::vector<std::string> groups() {
  std::vector<std::string> words;
  for (const std::string_view path : command_paths()) {
    std::string word = first_word_of(path);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
  }
  return words;
}

std::string flag_term(const Declared& one) {
  std::string term = one.names;
  if (const auto comma = term.find(','); comma != std::string::npos) term.insert(comma + 1, " ");
  const std::string value = shown_flag(one).value;
  return value.empty() ? term : term + " " + value;
}

void describe(const CommandRow& row, std::vector<Block>& blocks) {
  blocks.push_back(heading("svc " + std::string(row.path) + (row.usage.empty() ? "" : " " + std::string(row.usage))));
  blocks.push_back(paragraph(std::string(row.summary) + "."));
  for (const Declared& one : taken_by(row).own) blocks.push_back(item(flag_term(one), shown_flag(one).doc));
  for (const Example& example : examples_of(row)) {
    blocks.push_back(paragraph("Example: " + std::string(example.says) + "."));
    blocks.push_back(code(std::string(example.line)));
  }
}

ManualPage group_page(const std::string& word) {
  Section commands{.title = "COMMANDS", .blocks = {}};
  std::string verbs;
  std::string summary;
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      if (first_word_of(row.path) != word) continue;
      describe(row, commands.blocks);
      const std::string_view rest = row.path.substr(word.size());
      if (rest.empty()) summary = row.summary;
      if (!rest.empty()) verbs += (verbs.empty() ? "" : ", ") + std::string(rest.substr(1));
    }
  }
  if (summary.empty()) summary = verbs;
  summary.front() = summary.front() >= 'A' && summary.front() <= 'Z' ? static_cast<char>(summary.front() - 'A' + 'a')
                                                                     : summary.front();
  return {.name = "svc-" + word,
          .number = 1,
          .summary = std::move(summary),
          .sections = {
              {"SYNOPSIS", {paragraph("svc [-n NETWORK] " + word + (verbs.empty() ? "" : " COMMAND") + " [FLAGS]")}},
              std::move(commands),
              {"SEE ALSO", {paragraph("svc(1), svc-exit-codes(7), svc-networks(7)")}}}};
}

ManualPage overview_page() {
  Section commands{.title = "COMMANDS", .blocks = {}};
  for (const std::string& word : groups()) {
    const ManualPage page = group_page(word);
    commands.blocks.push_back(item(page.name + "(1)", page.summary));
  }
  Section flags{.title = "FLAGS OF EVERY COMMAND", .blocks = {}};
  GlobalWords words;
  Arguments arguments;
  declare_globals(arguments, words);
  for (const Declared& one : arguments.declared()) flags.blocks.push_back(item(flag_term(one), shown_flag(one).doc));
  Section environment{.title = "ENVIRONMENT", .blocks = {}};
  environment.blocks.push_back(item("SVC_NETWORK", "network, as -n"));
  environment.blocks.push_back(item("SVC_PROFILE", "profile, as -P"));
  environment.blocks.push_back(item("SVC_CONFIG", "configuration file, as --config"));
  environment.blocks.push_back(item("SVC_LOCAL_URL", "where the sandbox is"));
  environment.blocks.push_back(item("SVC_API_KEY, SVC_API_SECRET, SVC_ACCOUNT", "a credential, for containers"));
  environment.blocks.push_back(item("SVC_API_KEY_NETWORK", "the network of that key; needed on real funds"));
  for (const Setting& setting : settings()) {
    environment.blocks.push_back(item(std::string(setting.variable), "the setting " + std::string(setting.key)));
  }
  return {.name = "svc",
          .number = 1,
          .summary = "trade on, inspect and simulate a perpetual-futures exchange",
          .sections = {
              {"SYNOPSIS", {paragraph("svc [-n NETWORK] COMMAND [FLAGS]")}},
              {"DESCRIPTION",
               {paragraph("svc is the client of a perpetual-futures exchange, and that exchange itself as a sandbox "
                          "on this machine. There is no default network: it is named with -n, SVC_NETWORK or a "
                          "profile. Standard output is the result and nothing else: a table on a terminal, "
                          "tab-separated text in a pipe, one document with --json. Everything else goes to standard "
                          "error. No flag takes a secret.")}},
              std::move(commands),
              std::move(flags),
              std::move(environment),
              {"FILES",
               {item("$XDG_CONFIG_HOME/svc/config.toml", "networks, profiles, aliases and defaults; never secrets"),
                item(".svc.toml", "how output looks in a folder; never networks, accounts or credentials"),
                item("$XDG_DATA_HOME/svc/keys", "wallets and API keys, encrypted, per network"),
                item("$XDG_STATE_HOME/svc", "sessions, nonces and the journal of every write"),
                item("$XDG_RUNTIME_DIR/svc/agent.sock", "the unlock agent"),
                item("$XDG_CACHE_HOME/svc", "what servers said of themselves; safe to delete")}},
              {"EXIT STATUS", {paragraph("See svc-exit-codes(7); svc explain CODE tells the meaning of one.")}},
              {"SEE ALSO", {paragraph("svc-exit-codes(7), svc-networks(7), svc-sandbox(7)")}}}};
}

ManualPage exit_codes_page() {
  Section codes{.title = "EXIT CODES", .blocks = {}};
  for (const ExitMeaning& one : exit_meanings()) {
    std::string text = std::string(one.meaning) + ".";
    if (one.may_retry != "-") text += " May the same command be run again? " + std::string(one.may_retry) + ".";
    codes.blocks.push_back(item(std::to_string(static_cast<int>(one.code)), std::move(text)));
  }
  return {
      .name = "svc-exit-codes",
      .number = 7,
      .summary = "what the exit codes of svc mean",
      .sections = {{"DESCRIPTION",
                    {paragraph("A script can tell by the exit code whether anything happened and whether it may try "
                               "again. The error's code decides before the HTTP status. The numbers never change their "
                               "meaning; new ones may be added.")}},
                   std::move(codes),
                   {"SEE ALSO", {paragraph("svc(1), svc-explain(1)")}}}};
}

}  // namespace

std::vector<ManualPage> manual_pages() {
  std::vector<ManualPage> pages{overview_page()};
  for (const std::string& word : groups()) pages.push_back(group_page(word));
  pages.push_back(exit_codes_page());
  pages.push_back(networks_page());
  pages.push_back(sandbox_page());
  return pages;
}

std::optional<ManualPage> manual_page(const std::string& name) {
  if (name == "svc") return overview_page();
  for (ManualPage (*const page)() : {exit_codes_page, networks_page, sandbox_page}) {
    if (ManualPage found = page(); found.name == name) return found;
  }
  for (const std::string& word : groups()) {
    if (name == "svc-" + word) return group_page(word);
  }
  return std::nullopt;
}

}  // namespace svc::cli
