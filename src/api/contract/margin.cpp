#include "api/contract/margin.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<AdjustMarginRequest>();
template const TypeInfo& type_of<AdjustMarginResponse>();
template const TypeInfo& type_of<SetMarginModeRequest>();
template const TypeInfo& type_of<GetMarginModeRequest>();
template const TypeInfo& type_of<AccountDefaultMode>();
template const TypeInfo& type_of<MarginModeStatus>();
template const TypeInfo& type_of<MarketSetting>();
template const TypeInfo& type_of<LeverageRequest>();
template const TypeInfo& type_of<LeverageResponse>();

}  // namespace svc::api
