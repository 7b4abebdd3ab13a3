// Flags of commands that change something, and what to run when an answer is lost.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/context.h"
#include "cli/exchange/call.h"
#include "cli/exchange/command_line.h"

namespace svc::cli {

// Of operations that carry a signed action.
struct ActionFlag {
  std::optional<std::string> word;

  void declare(Arguments& arguments);
  [[nodiscard]] ActionChoice choice() const;
};

// Of commands that place orders.
struct ClientIdFlag {
  std::optional<std::string> given;

  void declare(Arguments& arguments);
  // The id given, or a new one; exit 2 if the one given cannot be an id.
  [[nodiscard]] Result<std::string, Failure> take(Context& context) const;
};

}  // namespace svc::cli
