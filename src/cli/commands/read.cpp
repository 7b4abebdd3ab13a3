#include "cli/commands/read.h"

namespace svc::cli {

Result<api::MarketId, Failure> market_id(const std::string& text) {
  if (api::is_market_id(text)) return api::MarketId{text};
  Failure failure = usage_error("\"" + text +
                                "\" is not a market id: upper-case segments joined by single hyphens, "
                                "such as BTC-USDX-PERP");
  failure.code = "invalid_market_id";
  return unexpected(failure);
}

}  // namespace svc::cli
