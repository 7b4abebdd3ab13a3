// Orders and cancels that are held back until \commit: reviewed together, then sent in as few calls as possible.
#pragma once

#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

class Shell;

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
