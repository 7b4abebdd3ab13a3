#include "api/records/metadata.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<SigningDomainInfo>();
template const TypeInfo& type_of<NetworkTarget>();
template const TypeInfo& type_of<ApiVersionInfo>();
template const TypeInfo& type_of<Metadata>();
template const TypeInfo& type_of<NetworkMap>();

}  // namespace svc::api
