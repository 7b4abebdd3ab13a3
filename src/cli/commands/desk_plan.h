// What differs between an account and how it should be set up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands/desk_file.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

struct DeskChange {
  std::string item;     // "BTC-USDX-PERP margin_mode", "agent bot1"
  std::string current;  // "-": the service does not tell
  std::string wanted;
  std::string action;  // "set", "register", "revoke"
  std::function<Result<void, Stop>(Context&, Exchange&)> apply;
};

// Reads what is, and lists what has to change, in the order in which it is best done. What an older service does not tell
// is set in any case: the leverage of a market without a position. `prune`: agents that the file does not name are
// revoked.
[[nodiscard]] Result<std::vector<DeskChange>, Stop> plan_desk(Context& context, Exchange& exchange,
                                                              const WantedDesk& wanted, bool prune,
                                                              ActionChoice action);

}  // namespace svc::cli
