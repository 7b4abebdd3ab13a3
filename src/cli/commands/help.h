// Help and completion, derived from the command table and from the declarations of commands.
#pragma once

#include "base/find.h"
#include "cli/commands/command.h"
#include "cli/store/completion_values.h"

namespace svc::cli {

// One screen: the commands by topic, in the order of a trader's day.
[[nodiscard]] std::string overview();

// The commands whose name begins with `noun`, a line each.
[[nodiscard]] std::string overview(std::string_view noun);

// All commands, a line each, by topic.
[[nodiscard]] std::string every_command();

// The flags that every command takes.
[[nodiscard]] std::vector<Declared> global_flags();
[[nodiscard]] std::string shared_flags_help();

// One command: its usage, what it takes and examples.
[[nodiscard]] std::string command_help(const CommandRow& row);

// The commands whose name begins with this word, and that word of a name.
[[nodiscard]] std::vector<const CommandRow*> rows_of(std::string_view noun);
[[nodiscard]] constexpr std::string_view first_word(std::string_view path) {
  return path.substr(0, path.find(' '));
}

inline constexpr std::size_t line_chars_max = 78;
// The text in lines of at most so many characters, each but the first behind `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns = line_chars_max);

// The arguments of a command without the global flags, except those that it has replaced.
[[nodiscard]] std::vector<Declared> own_arguments(const CommandRow& row);

// A declaration as help shows it: the allowed values are in one of the two, never in both.
struct ShownFlag {
  std::string value;
  std::string doc;
};
[[nodiscard]] ShownFlag shown_flag(const Declared& one);
// "-f, --file FILE", "--watch[=S]"
[[nodiscard]] std::string flag_term(const Declared& one);

struct Example {
  std::string line;       // "svc -n local orders list"
  std::string_view says;  // what it does, in a few words
};
[[nodiscard]] std::vector<Example> examples_of(const CommandRow& row);

// Files of the source that the build puts into the program, by their paths: the pages of docs/manual/, and those of
// completions/, which make bash, zsh and fish ask `svc __complete`. bash splits words at '='. Its script joins them
// again, and shows of each reply only the part after the '='.
struct EmbeddedText {
  std::string_view name, text;
};
[[nodiscard]] std::span<const EmbeddedText> embedded_texts();
// Empty if there is none.
[[nodiscard]] inline std::string_view embedded_text(std::string_view name) {
  const auto texts = embedded_texts();
  const EmbeddedText* found = found_in(texts, name, &EmbeddedText::name);
  return found == nullptr ? std::string_view() : found->text;
}

// svc man: svc(1), a page per first word of the commands, and three pages about networks, sandbox and exit codes.
Result<Answer> show_manual(Context& context, const std::optional<std::string>& wanted, bool list);

// Completions of a command line, for shells and for the interactive shell. The caller provides values that change
// (markets, open orders).

struct Candidates {
  std::vector<Candidate> all{};  // those that begin with the typed text, in display order
  bool files = false;            // file names are possible as well
};

// `words` are those after the program's name; the last one is being typed and may be empty.
[[nodiscard]] Candidates candidates(const std::vector<std::string>& words, const ValueSource& values);

// `svc __complete -- WORDS...`: shells call it while a command line is typed. It reads files and sends nothing. Each
// line that it prints is a word, a tab and its description; ":files" asks for names of files.

inline constexpr std::string_view complete_word = "__complete";

// `words` are all words after the program's name. Returns the exit code of the process.
[[nodiscard]] int complete(const std::vector<std::string>& words, Environment& environment);

// svc completion
Result<Answer> show_completion(Context& context, const std::string& shell);

}  // namespace svc::cli
