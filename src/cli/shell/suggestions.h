// Completions for the word at the cursor, from the declarations that parse the line and the account's present state.
#pragma once

#include "cli/shell/line_editor.h"
#include "cli/shell/shell_state.h"
#include "cli/store/completion_values.h"

namespace svc::cli {

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

}  // namespace svc::cli
