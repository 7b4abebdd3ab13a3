#include "api/records/markets.h"

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

}  // namespace svc::api
