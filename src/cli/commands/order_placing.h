// Orders as commands send them.
#pragma once

#include "cli/client/call.h"
#include "cli/commands/order_terms.h"

namespace svc::cli {

// Knows where to look the order up if the answer is lost.
[[nodiscard]] Call placing_call(Context& context, const api::OrderRequest& order, ActionChoice action);

// The terms that shrink a position: the other side, reduce-only, at market.
[[nodiscard]] OrderTerms closing_terms(const Json& position);

// Whether a record of a position has a size.
[[nodiscard]] bool is_open(const Json& position);

}  // namespace svc::cli
