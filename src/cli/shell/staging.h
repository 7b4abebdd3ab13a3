// Orders and cancels that wait for \commit: seen as a whole first, then sent in the fewest calls.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shell/runner.h"
#include "cli/shell/shell_state.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// True for what \begin holds back: placing, amending, cancelling, closing.
[[nodiscard]] bool may_be_staged(const std::vector<std::string>& words);

// A line as it is held back. What refers to the market or the account is looked up now and put down as numbers, so that
// what is sent is what was shown; a position to be closed becomes the order that closes it.
struct ResolvedEntry {
  Staged words;
  std::string shown;  // as in \diff
  std::string told;   // how the numbers came about, a line each
};
// Exit 2, or what the server said, if the line could not be sent as it stands.
[[nodiscard]] Result<ResolvedEntry, Failure> resolve_entry(const Staged& words, const Runner& runner);

// The same command asking for a preview instead: of a new order only, others show as they are.
[[nodiscard]] bool may_be_previewed(const Staged& words);
[[nodiscard]] std::vector<std::string> previewed(const Staged& words);

// What would be sent, one call per entry; neighbouring new orders share a call.
struct StagedCall {
  std::vector<std::string> words;  // the command
  std::string input;               // orders for `orders batch`, one per line
  std::string bucket;              // "order", "cancel", ...
  std::int64_t weight = 0;
  std::vector<std::string> shown;  // one line per staged entry
  std::vector<Staged> entries;     // as they were staged, in the same order
  bool cancels = false;            // takes orders out and does nothing else
};

// Asks nobody. Exit 2 and the line's own message if one of them could not be sent as it stands.
[[nodiscard]] Result<std::vector<StagedCall>, Failure> plan_of(const std::vector<Staged>& staged, const Runner& runner);

// The lines of \diff: every entry, and what all of it costs per bucket.
[[nodiscard]] std::string text_of(const std::vector<StagedCall>& calls);

// Sends what is staged, and keeps what provably did not happen.

// Tells a line each of what did not go as wished; `state.staged` is afterwards what may be sent again, or nothing.
// After a call that failed only cancels are sent: the way out is open whatever happened to the rest. The exit code is
// that of the first call that failed. Nothing is sent, and all stays staged, if an entry cannot be sent as it stands.
[[nodiscard]] Result<int, Failure> commit_staged(ShellState& state, Runner& runner,
                                                 const std::function<void(std::string_view)>& say);

}  // namespace svc::cli
