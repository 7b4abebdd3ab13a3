#include "api/contract/agents.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<RegisterAgentRequest>();
template const TypeInfo& type_of<RegisteredAgent>();
template const TypeInfo& type_of<AgentInfo>();
template const TypeInfo& type_of<AgentRef>();
template const TypeInfo& type_of<RevokedAgent>();
template const TypeInfo& type_of<List<AgentInfo>>();

}  // namespace svc::api
