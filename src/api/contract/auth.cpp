#include "api/contract/auth.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<LoginRequest>();
template const TypeInfo& type_of<LoginResponse>();
template const TypeInfo& type_of<CreateKeyRequest>();
template const TypeInfo& type_of<CreatedKey>();
template const TypeInfo& type_of<ApiKeyInfo>();
template const TypeInfo& type_of<KeyRef>();
template const TypeInfo& type_of<DeletedKey>();
template const TypeInfo& type_of<List<ApiKeyInfo>>();

}  // namespace svc::api
