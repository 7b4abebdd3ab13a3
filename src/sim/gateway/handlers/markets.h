// Markets as API records: from specifications and market views.
#pragma once

#include <cstddef>
#include <string>

#include "api/contract/markets.h"
#include "base/clock.h"
#include "sim/engine/market_spec.h"
#include "sim/views/market_view.h"

namespace svc::sim {

[[nodiscard]] api::Market market_record(const engine::MarketSpec& spec);
[[nodiscard]] api::MarketRiskParams risk_params_record(const engine::MarketSpec& spec);
[[nodiscard]] api::MarketStatus status_record(const engine::MarketSpec& spec, const MarketView& view);
[[nodiscard]] api::MarketSummary summary_record(const engine::MarketSpec& spec, const MarketView& view);
[[nodiscard]] api::Ticker ticker_record(const engine::MarketSpec& spec, const MarketView& view, TimestampMs now_ms);
[[nodiscard]] api::OrderBook order_book_record(const engine::MarketSpec& spec, const MarketView& view,
                                               TimestampMs now_ms);
[[nodiscard]] api::Trade trade_record(const engine::MarketSpec& spec, const PublicTrade& row);
[[nodiscard]] api::Candle candle_record(const engine::MarketSpec& spec, const MarketCandle& candle);
[[nodiscard]] api::FundingSample funding_rate_record(const engine::MarketSpec& spec, const SettledFunding& row);
[[nodiscard]] api::AdlEventRecord adl_record(const engine::MarketSpec& spec, const AdlEvent& row);

}  // namespace svc::sim
