// An interactive shell on one network: the command line without its first word, and conveniences for longer sessions.
// It does not touch the terminal; line_editor.h does.
#pragma once

#include <memory>

#include "cli/machine/environment.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"

namespace svc::cli {

// A shell for a user at the terminal, for a program at the other end of a pipe, or for given lines.
Result<Answer> open_shell(Context& context, const ShellLines& lines);

class Shell {
 public:
  Shell(const Environment& outside, ShellState begun, RunLine run_line);

  // Runs one line and returns its exit code; 0 for an empty line.
  int execute(std::string_view text);
  // Runs lines until the end, \q, or, under OnFailure::stop, the first failure. Returns the last exit code.
  enum class OnFailure : std::uint8_t { stop, keep_going };
  int execute_lines(std::string_view text, OnFailure on_failure);

  // After this a write needs the wallet's password, and on real funds the network's name again.
  void lock();

  // Writes an answer to the file of \o, or to standard output.
  Written out(std::string_view text);
  void say(std::string_view text) { environment.err(text); }
  // Text that others wrote: a terminal gets no control characters.
  void show(const std::string& text) { out(state.output_file ? text : environment.for_out(text)); }
  // Runs the command; its answer goes where \o says.
  int run(const std::vector<std::string>& words, const std::string& input = {});
  // The full command for the words, with the market in use; refused if it would leave this shell's network or account.
  Result<std::vector<std::string>> resolve_words(std::vector<std::string> words) const;
  // Makes a signal that ends the shell report the entries that are staged now.
  void update_staged_warning();
  // The failure of a shell that ends with staged entries.
  [[nodiscard]] Failure staged_not_sent(ExitCode exit) const;
  // Prints the failure and returns its exit code.
  int refuse(const Failure& failure);

  const Environment& environment;
  ShellState state;
  Runner runner;
  std::optional<History> history{};  // of typed lines, if one is kept
  bool ended = false;
  bool answers = false;  // after shellrc: a refused line is answered like any other, with a document if lines are

 private:
  int execute_words(std::vector<std::string> words, const std::optional<std::string>& pipe);
  int run_piped(const std::vector<std::string>& words, const std::string& command);
  int use_market(const std::vector<std::string>& words);
  Result<void> check_stays_here(const std::vector<std::string>& words) const;

  std::size_t warned_entries_ = 0;  // staged entries that a signal would report
  std::shared_ptr<void> staged_warning_;
  int depth_ = 0;  // of nested \i
};

// A command of the shell itself; its name begins with a backslash.
struct MetaCommand {
  std::string_view name;  // "\\watch"
  std::string_view usage;
  std::string_view summary;
  // `words` are those after the name.
  Result<int> (*run)(Shell& shell, const std::vector<std::string>& words);
};

// In the order of \?.
[[nodiscard]] std::span<const MetaCommand> meta_commands();

// `words` include the name; `text` is the line as typed, for commands that take the rest of it unchanged.
Result<int> run_meta(Shell& shell, const std::vector<std::string>& words, std::string_view text);

// Completions for the word at the cursor, from the declarations that parse the line and the account's present state.

// Refreshed in the background.
struct Known {
  std::vector<Candidate> markets;
  std::vector<Candidate> orders;      // open ones, by id; with side, size and price
  std::vector<Candidate> client_ids;  // of the same
};

// For the last word before the cursor, sorted. `stored` gives the names of local files: wallets, keys, accounts.
[[nodiscard]] std::vector<Candidate> suggestions(std::string_view before_cursor, const ShellState& state,
                                                 const Known& known, const ValueSource& stored);

// What a command still needs, in the words of its usage line; empty if nothing.
[[nodiscard]] std::string hint_of(std::string_view line, const ShellState& state);

// Orders and cancels that are held back until \commit: reviewed together, then sent in as few calls as possible.

// True for commands that \begin holds back: placing, amending, cancelling, closing.
[[nodiscard]] bool may_be_staged(const std::vector<std::string>& words);

// A staged line. Terms that depend on the market or the account are resolved now and kept as numbers, so that what is
// shown is what is sent; closing a position becomes the order that closes it.
struct ResolvedEntry {
  Staged words;
  std::string shown;  // as in \diff
  std::string told;   // how the numbers were resolved, one line each
};
// Exit 2, or the server's failure, if the line could not be sent as it is.
Result<ResolvedEntry> resolve_entry(const Staged& words, const Runner& runner);

// The line as a preview; nullopt for what is no new order.
[[nodiscard]] std::optional<std::vector<std::string>> previewed(const Staged& words);

// One call of a commit; neighbouring new orders share a call.
struct StagedCall {
  std::vector<std::string> words;  // the command
  std::string input;               // orders for `orders batch`, one per line
  std::string bucket;              // "order", "cancel", ...
  std::int64_t weight = 0;
  std::vector<std::string> shown;  // one line per staged entry
  std::vector<Staged> entries;     // as staged, in the same order
  bool cancels = false;            // only cancels
};

// Sends nothing. Exit 2 with the line's own message if a line could not be sent as it is.
Result<std::vector<StagedCall>> plan_of(const std::vector<Staged>& staged, const Runner& runner);

// The text of \diff: every entry, and the total cost per bucket.
[[nodiscard]] std::string text_of(const std::vector<StagedCall>& calls);

// Sends the staged entries, and keeps those that provably had no effect.

// Reports each failed entry with one line. Afterwards the shell's state has the entries that may be sent again. After a
// failed call only cancels are sent: the way out is never blocked. The exit code is that of the first failed call. If
// an entry cannot be sent as it is, nothing is sent and everything stays staged.
Result<int> commit_staged(Shell& shell);

}  // namespace svc::cli
