// The manual: the texts in docs/manual/, and what the tables say that the program itself works by.

#include <map>

#include "base/encoding.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/read.h"

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

// A page as its file in docs/manual/ has it: name, number and summary, then sections of paragraphs, items (a term, its
// meaning indented below it) and command lines (indented). "{flags}" stands for blocks that the tables of the program
// give.
ManualPage page_of_file(std::string_view name, const std::map<std::string_view, std::vector<Block>>& derived = {}) {
  std::string_view text = embedded_text(concat("docs/manual/", name, ".txt"));
  std::string_view first = take_line(text);
  ManualPage page{.name = std::string(take_line(first, ' ')), .number = 0, .summary = {}, .sections = {}};
  page.number = take_line(first, ' ') == "1" ? 1 : 7;
  page.summary = first;
  bool is_apart = true;  // from the line before
  for (std::string_view line : split_lines(text)) {
    const auto is_of_title = [](char c) { return c == ' ' || (c >= 'A' && c <= 'Z'); };
    const bool is_indented = line.starts_with(' ');
    line = trimmed(line, " ");
    if (line.empty()) {
      is_apart = true;
      continue;
    }
    const bool begins = std::exchange(is_apart, false);
    if (begins && std::ranges::all_of(line, is_of_title)) {
      page.sections.push_back({std::string(line), {}});
      continue;
    }
    std::vector<Block>& blocks = page.sections.back().blocks;
    if (line.starts_with('{')) {
      std::ranges::copy(derived.at(line.substr(1, line.size() - 2)), std::back_inserter(blocks));
    } else if (begins || (blocks.back().kind == item && !is_indented) || blocks.back().kind == code) {
      blocks.push_back({is_indented ? code : paragraph, std::string(line)});
    } else {
      Block& block = blocks.back();
      if (is_indented) block.kind = item;
      std::string& continued = is_indented ? block.meaning : block.text;
      continued += concat(continued.empty() ? "" : " ", line);
    }
  }
  return page;
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
  std::vector<Block> commands, flags, variables;
  for (const std::string& word : groups()) {
    const ManualPage page = group_page(word);
    commands.push_back({item, page.name + "(1)", page.summary});
  }
  for (const Declared& one : global_flags()) flags.push_back({item, flag_term(one), shown_flag(one).doc});
  for (const Setting& setting : settings())
    variables.push_back({item, std::string(setting.variable), "the setting " + std::string(setting.key)});
  return page_of_file("svc", {{"commands", commands}, {"flags", flags}, {"settings", variables}});
}

ManualPage exit_codes_page() {
  std::vector<Block> codes;
  for (const ExitMeaning& one : exit_meanings) {
    std::string text = std::string(one.meaning) + ".";
    if (one.may_retry != "-") text += " May the same command be run again? " + std::string(one.may_retry) + ".";
    codes.push_back({item, std::to_string(static_cast<int>(one.code)), std::move(text)});
  }
  return page_of_file("exit-codes", {{"exit codes", codes}});
}

std::vector<ManualPage> manual_pages() {
  std::vector<ManualPage> pages{overview_page()};
  for (const std::string& word : groups()) pages.push_back(group_page(word));
  pages.insert(pages.end(), {exit_codes_page(), page_of_file("networks"), page_of_file("sandbox")});
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
