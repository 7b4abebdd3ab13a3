// Looks at a whole batch before any of it is sent.
#pragma once

#include <vector>

#include "cli/commands/batch_lines.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

// Every order against the rules of its market: known, not halted, price on a tick, size in lots and within bounds; and
// no client id twice. Two reads. Margin is not looked at: it depends on what the first orders do. The failure lists
// every line that would be refused.
[[nodiscard]] Result<void, Stop> check_batch(Exchange& exchange, const std::vector<BatchLine>& lines);

// The same rules but the halt, for one order and the rows of `markets list`: what is wrong with it, empty if nothing is.
[[nodiscard]] std::string problem_of_order(const api::OrderRequest& order, const Json& markets);

}  // namespace svc::cli
