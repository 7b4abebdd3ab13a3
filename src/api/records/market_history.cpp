#include "api/records/market_history.h"

#include "api/describe.h"

namespace svc::api {

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
