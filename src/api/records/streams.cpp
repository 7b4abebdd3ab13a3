#include "api/records/streams.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<StreamToken>();
template const TypeInfo& type_of<AccountStreamRequest>();
template const TypeInfo& type_of<PublicStreamRequest>();

}  // namespace svc::api
