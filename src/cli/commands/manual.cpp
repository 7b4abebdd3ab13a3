// The manual, derived from the tables that the program itself works by.

#include "base/encoding.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"

namespace svc::cli {
namespace {

struct Block {
  enum class Kind { paragraph, item, code, heading } kind;
  std::string text;       // of an item: its term; of code: one command line
  std::string meaning{};  // of an item
};
using enum Block::Kind;

struct Section {
  std::string title;  // "EXAMPLES"
  std::vector<Block> blocks;
};

struct ManualPage {
  std::string name;     // "svc-orders"
  int number = 1;       // 1: commands, 7: everything around them
  std::string summary;  // after the name, in lower case
  std::vector<Section> sections;
};

// The date of the text, not of the build.
constexpr std::string_view manual_date = "2026-11-22";

// Escapes requests and escape characters, and keeps hyphens as hyphens.
std::string escaped_roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out;
}

std::string roff_block(const Block& block, bool first) {
  const std::string text = escaped_roff(block.text);
  const std::string apart = first ? "" : ".PP\n";
  switch (block.kind) {
    case paragraph: return apart + text + "\n";
    case item:
      return ".TP\n\\fB" + text + "\\fR\n" + (block.meaning.empty() ? "\\&" : escaped_roff(block.meaning)) + "\n";
    case code: return apart + ".nf\n.RS\n" + text + "\n.RE\n.fi\n";
    case heading: return ".SS " + text + "\n";
  }
  return {};
}

// Lines that are all indented.
std::string block_of(std::string_view text, std::size_t indent) {
  return text.empty() ? std::string() : std::string(indent, ' ') + wrapped(text, indent) + "\n";
}

// Source in the language of man(7).
std::string roff(const ManualPage& page) {
  std::string out = ".TH " + escaped_roff(upper_case(page.name)) + " " + std::to_string(page.number) + " " +
                    std::string(manual_date) + " \"svc " + std::string(program_version) + "\"\n";
  out += ".SH NAME\n" + escaped_roff(page.name) + " \\- " + escaped_roff(page.summary) + "\n";
  for (const Section& section : page.sections) {
    out += ".SH " + escaped_roff(section.title) + "\n";
    bool first = true;
    for (const Block& block : section.blocks) {
      out += roff_block(block, first);
      first = block.kind == heading;
    }
  }
  return out;
}

std::string plain_text(const ManualPage& page) {
  std::string out = upper_case(page.name) + "(" + std::to_string(page.number) + ")\n\nNAME\n";
  out += block_of(page.name + " - " + page.summary, 4);
  for (const Section& section : page.sections) {
    out += "\n" + section.title + "\n";
    for (const Block& block : section.blocks) {
      switch (block.kind) {
        case paragraph: out += block_of(block.text, 4); break;
        case item: out += "    " + block.text + "\n" + block_of(block.meaning, 12); break;
        case code: out += "        " + block.text + "\n"; break;
        case heading: out += "\n  " + block.text + "\n"; break;
      }
    }
  }
  return out;
}

ManualPage networks_page() {
  return {
      .name = "svc-networks",
      .number = 7,
      .summary = "which exchange a command talks to",
      .sections = {
          {"DESCRIPTION",
           {{paragraph,
             "There is no default network. It is named by -n, by the variable SVC_NETWORK, or by a profile that "
             "was chosen with -P, SVC_PROFILE or svc profile use. Nothing else implies one, and no host is ever "
             "built from a name."},
            {item, "local",
             "the sandbox on this machine: SVC_LOCAL_URL, else what svc network add local said, else the one "
             "running sandbox of this user, else http://localhost:9090"},
            {item, "testnet", "play funds, at the address given by svc network add testnet --rest URL"},
            {item, "mainnet", "real funds, at the address given in the same way; until then commands end with exit 10"},
            {item, "any other name", "one that was added; its funds count as real unless --funds play was said"},
            {paragraph,
             "A network may have several REST bases of one deployment: --rest is then given once for each. If one "
             "does not answer, reads go on to the next, and so do writes of which nothing was sent. A base that is "
             "of another network or deployment is refused with exit 14."}}},
          {"REAL FUNDS",
           {{paragraph,
             "A write on real funds needs -n on the command line; the environment and profiles are enough for "
             "reads only. It also needs a confirmation: the name of the network typed at a prompt, or --confirm "
             "NETWORK in scripts. --yes is not enough. Cancels and orders that only reduce need no confirmation: "
             "the way out is never blocked."},
            {paragraph,
             "Credentials are filed per network and never read across. Keys that everybody knows are refused "
             "everywhere but on local."}}},
          {"IDENTITY",
           {{paragraph,
             "Before the first signed request the server is asked which network it is, under which domain "
             "signatures are made, and what time it has. Nothing is signed for a server that says it is another "
             "network, whose domain is not known, or whose clock is more than 25 seconds away; that of "
             "a local sandbox is followed wherever it is moved."}}},
          {"EXAMPLES",
           {{code, "svc network list"}, {code, "svc network add testnet --rest https://HOST/v1 --funds play"}}},
          {"SEE ALSO", {{paragraph, "svc(1), svc-network(1), svc-exit-codes(7)"}}}}};
}

ManualPage sandbox_page() {
  return {.name = "svc-sandbox",
          .number = 7,
          .summary = "the exchange on this machine",
          .sections = {
              {"DESCRIPTION",
               {{paragraph,
                 "svc serve --local is the exchange itself: authentication, signed actions, rate limits, matching, "
                 "margin, funding and liquidation, in one process, without account, network or container. Clients "
                 "in any language talk to it as they talk to the real one."},
                {paragraph,
                 "It prints one line of JSON when it is ready. With --port 0 the system chooses the port; "
                 "--ready-file and --ready-fd hand the line to a script, so nobody has to wait and guess."}}},
              {"TIME AND CHANCE",
               {{paragraph,
                 "With --clock manual time stands still until svc local time advance moves it, and funding, expiry "
                 "and every other timer move with it. With the same --seed and the same requests the sandbox gives "
                 "the same ids, prices and fills."}}},
              {"FAILURE ON DEMAND",
               {{paragraph,
                 "svc local fault add makes chosen requests fail: with a status and a code, late, or with the "
                 "answer dropped after the request was done. svc local halt, price, settle and freeze make the "
                 "market do what a test needs. svc local requests shows what came in and why it was refused."}}},
              {"STATE",
               {{paragraph,
                 "svc local snapshot and revert keep the whole state under a name; dump and load move it to a file "
                 "and back. With --state DIR it survives a restart and a power cut."}}},
              {"EXAMPLES",
               {{code, "svc serve --local --port 0 --ready-file /tmp/ready"},
                {code, "svc local time advance 8h"},
                {code, "svc local fault add --route '/orders*' --status 503 --count 1"},
                {code, "svc local scenario run story.json"}}},
              {"SEE ALSO", {{paragraph, "svc(1), svc-serve(1), svc-local(1), svc-networks(7)"}}}}};
}

// First words in the order of the help.
std::vector<std::string> groups() {
  std::vector<std::string> words;
  for (const std::string_view path : command_paths())
    if (!is_among(first_word(path), words)) words.emplace_back(first_word(path));
  return words;
}

void describe(const CommandRow& row, std::vector<Block>& blocks) {
  blocks.push_back({heading, "svc " + std::string(row.path) + (row.usage.empty() ? "" : " " + std::string(row.usage))});
  blocks.push_back({paragraph, std::string(row.summary) + "."});
  for (const Declared& one : own_arguments(row)) blocks.push_back({item, flag_term(one), shown_flag(one).doc});
  for (const Example& example : examples_of(row)) {
    blocks.push_back({paragraph, "Example: " + std::string(example.says) + "."});
    blocks.push_back({code, std::string(example.line)});
  }
}

ManualPage group_page(const std::string& word) {
  Section commands{.title = "COMMANDS", .blocks = {}};
  std::string verbs;
  std::string summary;
  for (const CommandRow* row : rows_of(word)) {
    describe(*row, commands.blocks);
    if (row->path == word)
      summary = row->summary;
    else
      verbs += (verbs.empty() ? "" : ", ") + std::string(row->path.substr(word.size() + 1));
  }
  if (summary.empty()) summary = verbs;
  summary.front() = lower_letter(summary.front());
  return {.name = "svc-" + word,
          .number = 1,
          .summary = std::move(summary),
          .sections = {
              {"SYNOPSIS", {{paragraph, "svc [-n NETWORK] " + word + (verbs.empty() ? "" : " COMMAND") + " [FLAGS]"}}},
              std::move(commands),
              {"SEE ALSO", {{paragraph, "svc(1), svc-exit-codes(7), svc-networks(7)"}}}}};
}

ManualPage overview_page() {
  Section commands{.title = "COMMANDS", .blocks = {}};
  for (const std::string& word : groups()) {
    const ManualPage page = group_page(word);
    commands.blocks.push_back({item, page.name + "(1)", page.summary});
  }
  Section flags{.title = "FLAGS OF EVERY COMMAND", .blocks = {}};
  for (const Declared& one : global_flags()) flags.blocks.push_back({item, flag_term(one), shown_flag(one).doc});
  Section environment{"ENVIRONMENT",
                      {{item, "SVC_NETWORK", "network, as -n"},
                       {item, "SVC_PROFILE", "profile, as -P"},
                       {item, "SVC_CONFIG", "configuration file, as --config"},
                       {item, "SVC_LOCAL_URL", "where the sandbox is"},
                       {item, "SVC_API_KEY, SVC_API_SECRET, SVC_ACCOUNT", "a credential, for containers"},
                       {item, "SVC_API_KEY_NETWORK", "the network of that key; needed on real funds"}}};
  for (const Setting& setting : settings())
    environment.blocks.push_back({item, std::string(setting.variable), "the setting " + std::string(setting.key)});
  return {.name = "svc",
          .number = 1,
          .summary = "trade on, inspect and simulate a perpetual-futures exchange",
          .sections = {
              {"SYNOPSIS", {{paragraph, "svc [-n NETWORK] COMMAND [FLAGS]"}}},
              {"DESCRIPTION",
               {{paragraph,
                 "svc is the client of a perpetual-futures exchange, and that exchange itself as a sandbox "
                 "on this machine. There is no default network: it is named with -n, SVC_NETWORK or a "
                 "profile. Standard output is the result and nothing else: a table on a terminal, "
                 "tab-separated text in a pipe, one document with --json. Everything else goes to standard "
                 "error. No flag takes a secret."}}},
              std::move(commands),
              std::move(flags),
              std::move(environment),
              {"FILES",
               {{item, "$XDG_CONFIG_HOME/svc/config.toml", "networks, profiles, aliases and defaults; never secrets"},
                {item, ".svc.toml", "how output looks in a folder; never networks, accounts or credentials"},
                {item, "$XDG_DATA_HOME/svc/keys", "wallets and API keys, encrypted, per network"},
                {item, "$XDG_STATE_HOME/svc", "sessions, nonces and the journal of every write"},
                {item, "$XDG_RUNTIME_DIR/svc/agent.sock", "the unlock agent"},
                {item, "$XDG_CACHE_HOME/svc", "what servers said of themselves; safe to delete"}}},
              {"EXIT STATUS", {{paragraph, "See svc-exit-codes(7); svc explain CODE tells the meaning of one."}}},
              {"SEE ALSO", {{paragraph, "svc-exit-codes(7), svc-networks(7), svc-sandbox(7)"}}}}};
}

ManualPage exit_codes_page() {
  Section codes{.title = "EXIT CODES", .blocks = {}};
  for (const ExitMeaning& one : exit_meanings()) {
    std::string text = std::string(one.meaning) + ".";
    if (one.may_retry != "-") text += " May the same command be run again? " + std::string(one.may_retry) + ".";
    codes.blocks.push_back({item, std::to_string(static_cast<int>(one.code)), std::move(text)});
  }
  return {.name = "svc-exit-codes",
          .number = 7,
          .summary = "what the exit codes of svc mean",
          .sections = {{"DESCRIPTION",
                        {{paragraph,
                          "A script can tell by the exit code whether anything happened and whether it may try "
                          "again. The error's code decides before the HTTP status. The numbers never change their "
                          "meaning; new ones may be added."}}},
                       std::move(codes),
                       {"SEE ALSO", {{paragraph, "svc(1), svc-explain(1)"}}}}};
}

std::vector<ManualPage> manual_pages() {
  std::vector<ManualPage> pages{overview_page()};
  for (const std::string& word : groups()) pages.push_back(group_page(word));
  for (ManualPage (*const page)() : {exit_codes_page, networks_page, sandbox_page}) pages.push_back(page());
  return pages;
}

}  // namespace

Result<Answer> show_manual(Context& context, const std::optional<std::string>& wanted, bool list) {
  const auto row = [](const ManualPage& page) {
    return Json::object({{"page", page.name}, {"section", page.number}, {"summary", page.summary}});
  };
  if (list) return Answer{.data = Json::list(manual_pages(), row)};
  const std::string name = !wanted ? "svc" : wanted->starts_with("svc") ? *wanted : "svc-" + *wanted;
  for (const ManualPage& page : manual_pages()) {
    if (page.name != name) continue;
    const std::string source = roff(page);
    // A terminal gets what a person can read; man -l and package builders read a pipe.
    const bool person = context.environment().out_is_terminal;
    return Answer{.data = Json::object({{"page", page.name}, {"section", page.number}, {"source", source}}),
                  .text = person ? plain_text(page) : source,
                  .raw = source};
  }
  return usage_error("there is no manual page ", wanted.value_or("svc")).to_try({"svc man --list"});
}

}  // namespace svc::cli
