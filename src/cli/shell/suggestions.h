// What could stand where the cursor is: from the same declarations that parse the line, and from what is known of
// the account right now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/line_editor.h"
#include "cli/shell/shell_state.h"
#include "cli/store/completion_values.h"

namespace svc::cli {

// Kept fresh in the background.
struct Known {
  std::vector<Completion> markets;
  std::vector<Completion> orders;      // open ones, by id; the description tells side, size and price
  std::vector<Completion> client_ids;  // of the same
};

// Words that the last one before the cursor may become, sorted.
// `stored` knows what files tell: wallets, keys, accounts.
[[nodiscard]] std::vector<Completion> suggestions(std::string_view before_cursor, const ShellState& state,
                                                  const Known& known, const ValueSource& stored);

// What a command still takes, in the words of its usage line; empty if there is nothing to say.
[[nodiscard]] std::string hint_of(std::string_view line, const ShellState& state);

}  // namespace svc::cli
