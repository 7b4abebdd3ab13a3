// Types shared by several areas.
#include "api/contract/scalars.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<Empty>();
template const TypeInfo& type_of<std::string>();
template const TypeInfo& type_of<Secret>();
template const TypeInfo& type_of<bool>();
template const TypeInfo& type_of<std::int64_t>();
template const TypeInfo& type_of<std::uint64_t>();
template const TypeInfo& type_of<std::uint32_t>();
template const TypeInfo& type_of<DecimalText>();
template const TypeInfo& type_of<NumberText>();
template const TypeInfo& type_of<JsonObjectText>();
template const TypeInfo& type_of<Address>();
template const TypeInfo& type_of<MarketId>();

}  // namespace svc::api
