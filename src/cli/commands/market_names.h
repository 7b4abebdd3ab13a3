// Short names of markets: "btc" and "BTC-USDX" mean BTC-USDX-PERP if no other market fits.
#pragma once

#include "cli/arguments/arguments.h"
#include "cli/client/context.h"

namespace svc::cli {

// The whole id of the market that a word means. A word of three segments is an id and nothing is read. Other words are
// looked up in the list of markets, which is cached for ten minutes. Exit 5 if none fits, exit 2 if several do. (D-746)
[[nodiscard]] Result<std::string, Failure> whole_market_id(Context& context, const std::string& word);

// The same for all markets of a command line, in place.
[[nodiscard]] Result<void, Failure> name_markets(Context& context, const Arguments& arguments);

}  // namespace svc::cli
