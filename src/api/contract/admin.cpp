#include "api/contract/admin.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<TierOverride>();
template const TypeInfo& type_of<TierRef>();
template const TypeInfo& type_of<List<TierOverride>>();

}  // namespace svc::api
