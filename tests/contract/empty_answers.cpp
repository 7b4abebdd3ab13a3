#include "api/operation_table.h"
#include "contract/venue.h"

namespace svc::contract {
namespace {

template <class Op>
void bind_one(sim::HandlerTable& handlers) {
  handlers.bind<Op>(
      [](sim::RequestContext&, const typename Op::Request&) -> sim::Answer<Op> { return sim::ResponseOf<Op>{}; });
}

}  // namespace

void bind_empty_answers(sim::HandlerTable& handlers) {
  const auto bind = [&]<class Op>() { bind_one<Op>(handlers); };
  api::AllOps::for_each(bind);
  api::LegacyOps::for_each(bind);
}

}  // namespace svc::contract
