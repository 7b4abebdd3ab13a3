#include "api/records/account_history.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<EquityHistoryRequest>();
template const TypeInfo& type_of<EquityPoint>();
template const TypeInfo& type_of<PortfolioHistoryRequest>();
template const TypeInfo& type_of<PortfolioPoint>();
template const TypeInfo& type_of<PortfolioHistory>();
template const TypeInfo& type_of<ActivityRequest>();
template const TypeInfo& type_of<ActivityRow>();
template const TypeInfo& type_of<AccountFunding>();
template const TypeInfo& type_of<FundingRequest>();
template const TypeInfo& type_of<FundingPage>();
template const TypeInfo& type_of<FundingSnapshotRequest>();
template const TypeInfo& type_of<MarketFundingSnapshot>();
template const TypeInfo& type_of<FundingSnapshot>();
template const TypeInfo& type_of<Page<EquityPoint>>();
template const TypeInfo& type_of<Page<ActivityRow>>();

}  // namespace svc::api
