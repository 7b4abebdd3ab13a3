#include "signing/actions.h"

namespace svc::signing {

std::string_view type_string(const ActionStruct& action) {
  return std::visit([]<class Action>(const Action&) -> std::string_view { return type_string<Action>(); }, action);
}

Hash32 struct_hash(const ActionStruct& action) {
  return std::visit([](const auto& alternative) { return struct_hash(alternative); }, action);
}

const ActionContext& context_of(const ActionStruct& action) {
  return std::visit([](const auto& alternative) -> const ActionContext& { return alternative; }, action);
}

}  // namespace svc::signing
