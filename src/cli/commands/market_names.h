// Markets by the names that people use: "btc", "BTC-USDX" and "BTC-USDX-PERP" are the same where only one fits.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/values.h"
#include "base/result.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"

namespace svc::cli {

// The whole id of the market that a word means. A word of three segments is one already and nobody is asked; of others
// the list of markets decides, kept from the last ten minutes or asked for now. Exit 5 if there is none, exit 2 if
// several fit. (D-746)
[[nodiscard]] Result<std::string, Stop> whole_market_id(Context& context, const std::string& word);

// The same for all markets of a command line, in place.
[[nodiscard]] Result<void, Stop> name_markets(Context& context, const Arguments& arguments);

// And for the markets among the words of `watch`: those after the first channel that are none themselves.
[[nodiscard]] Result<void, Stop> name_watched_markets(Context& context, std::vector<std::string>& words);

}  // namespace svc::cli
