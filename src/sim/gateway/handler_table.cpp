#include "sim/gateway/handler_table.h"

#include "base/assert.h"

namespace svc::sim {

const Handler* HandlerTable::find(const api::Operation& operation) const {
  const auto bound = by_name_.find(operation.name);
  return bound == by_name_.end() ? nullptr : &bound->second;
}

void HandlerTable::add(const api::Operation& operation, Handler handler) {
  const bool first = by_name_.emplace(operation.name, std::move(handler)).second;
  SVC_ASSERT(first);
}

}  // namespace svc::sim
