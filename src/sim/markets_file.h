// Markets of one's own: a JSON array, one object per market, and the price it starts with.
//
//   [{"id":"DOGE-USDX-PERP","price":"0.2","tick_size":"0.00001","lot_size":"1","max_leverage":20}]
//
// `id` and `price` are needed. A market of a standard name has its standard terms unless it says otherwise; another one
// needs tick_size and lot_size as well. Terms: max_leverage, max_order_size, min_notional, open_interest_cap,
// impact_notional, maker_fee_ppm, taker_fee_ppm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/engine/market_spec.h"

namespace svc::sim {

struct MarketsFile {
  std::vector<engine::MarketSpec> markets;
  std::vector<std::string> prices;
};

// The error is one sentence, with the market it is about.
[[nodiscard]] Result<MarketsFile, std::string> parse_markets_file(std::string_view text);

}  // namespace svc::sim
