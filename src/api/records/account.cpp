#include "api/records/account.h"

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

}  // namespace svc::api
