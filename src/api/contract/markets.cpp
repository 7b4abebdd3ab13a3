#include "api/contract/markets.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<MarketRef>();
template const TypeInfo& type_of<Market>();
template const TypeInfo& type_of<MarketSummary>();
template const TypeInfo& type_of<MarketStatus>();
template const TypeInfo& type_of<MarketRiskParams>();
template const TypeInfo& type_of<MarkPrice>();
template const TypeInfo& type_of<Ticker>();
template const TypeInfo& type_of<Tickers>();
template const TypeInfo& type_of<PriceLevel>();
template const TypeInfo& type_of<OrderBook>();
template const TypeInfo& type_of<Trade>();
template const TypeInfo& type_of<TradesRequest>();
template const TypeInfo& type_of<List<Market>>();
template const TypeInfo& type_of<List<MarketSummary>>();
template const TypeInfo& type_of<Page<Trade>>();

template const TypeInfo& type_of<CandlesRequest>();
template const TypeInfo& type_of<Candle>();
template const TypeInfo& type_of<FundingRatesRequest>();
template const TypeInfo& type_of<FundingSample>();
template const TypeInfo& type_of<FundingSamplesRequest>();
template const TypeInfo& type_of<FundingPremiumSample>();
template const TypeInfo& type_of<AdlEventsRequest>();
template const TypeInfo& type_of<AccountAdlRequest>();
template const TypeInfo& type_of<AdlClosure>();
template const TypeInfo& type_of<AdlEventRecord>();
template const TypeInfo& type_of<List<Candle>>();
template const TypeInfo& type_of<List<FundingSample>>();
template const TypeInfo& type_of<List<FundingPremiumSample>>();
template const TypeInfo& type_of<List<AdlEventRecord>>();

}  // namespace svc::api
