// What a script of `svc limits --forecast` would send. A line is one of
//
//   {"operation":"place_order"}               or {"method":"GET","path":"/fills"}; "orders", "count" and "at_ms" may
//   follow
//   {"market_id":...,"side":...}              an order: such lines in a row are sent as `orders batch` would
//   buy 0.1 BTC-USDX-PERP @ 60000             a command, with or without "svc" before it
//
// Empty lines and those that begin with # are passed over.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/commands/cost_forecast.h"
#include "cli/context.h"

namespace svc::cli {

// Bucket names are those of Outgoing: "request", "order", "cancel", "ip", "login"; lines that send nothing have no
// charge. The error names the line. `chunk`: orders per batch.
[[nodiscard]] Result<std::vector<Charge>, Failure> parse_script(Context& context, std::string_view text,
                                                                std::uint64_t chunk);

}  // namespace svc::cli
