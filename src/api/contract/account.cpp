#include "api/contract/account.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<AccountSummary>();
template const TypeInfo& type_of<AccountPortfolioSummary>();
template const TypeInfo& type_of<AccountState>();
template const TypeInfo& type_of<FeesRequest>();
template const TypeInfo& type_of<MarketFees>();
template const TypeInfo& type_of<AccountFees>();
template const TypeInfo& type_of<BucketStatus>();
template const TypeInfo& type_of<RateLimitStatus>();
template const TypeInfo& type_of<CancelOnDisconnectRequest>();
template const TypeInfo& type_of<CancelOnDisconnectStatus>();
template const TypeInfo& type_of<AccountReferrals>();

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
