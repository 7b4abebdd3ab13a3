// Shows a page: on the whole terminal until q is pressed, or as plain text where there is none.
#pragma once

#include <optional>

#include "cli/context.h"
#include "cli/screens/page.h"
#include "cli/watch/exchange_door.h"

namespace svc::cli {

struct PageTerms {
  bool full_screen = false;
  std::optional<std::int64_t> for_ms{};
  std::optional<std::uint64_t> frames{};  // plain text: so many pictures, then the end
};

// The questions a page may name in its reads: positions, account, orders, limits, tickers, trades (of `market`).
[[nodiscard]] Result<Answer, Stop> run_page(Context& context, ExchangeDoor& door, Page& page, const std::string& market,
                                            const PageTerms& terms);

}  // namespace svc::cli
