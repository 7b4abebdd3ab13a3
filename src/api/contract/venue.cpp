#include "api/contract/venue.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<StatsSnapshot>();
template const TypeInfo& type_of<ThroughputSample>();
template const TypeInfo& type_of<ServiceHealth>();
template const TypeInfo& type_of<MarketVolume>();
template const TypeInfo& type_of<VenueVolume>();
template const TypeInfo& type_of<MarketOpenInterest>();
template const TypeInfo& type_of<BalanceBucket>();
template const TypeInfo& type_of<BalanceDistribution>();
template const TypeInfo& type_of<ReferralStats>();
template const TypeInfo& type_of<List<ThroughputSample>>();
template const TypeInfo& type_of<List<MarketOpenInterest>>();

template const TypeInfo& type_of<SigningDomainInfo>();
template const TypeInfo& type_of<NetworkTarget>();
template const TypeInfo& type_of<ApiVersionInfo>();
template const TypeInfo& type_of<Metadata>();
template const TypeInfo& type_of<NetworkMap>();

}  // namespace svc::api
