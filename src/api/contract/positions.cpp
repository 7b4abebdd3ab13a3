#include "api/contract/positions.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<Position>();
template const TypeInfo& type_of<ClosedPosition>();
template const TypeInfo& type_of<ClosedPositionsRequest>();
template const TypeInfo& type_of<PositionPnl>();
template const TypeInfo& type_of<List<Position>>();
template const TypeInfo& type_of<Page<ClosedPosition>>();
template const TypeInfo& type_of<List<PositionPnl>>();

}  // namespace svc::api
