#include "cli/watch/until_rule.h"

#include "cli/render.h"

namespace svc::cli {

Result<UntilRule, std::string> UntilRule::parse(std::string_view text) {
  auto condition = SVC_TRY(TextCondition::parse(text));
  UntilRule rule;
  rule.condition_ = std::move(condition);
  return rule;
}

bool UntilRule::holds(const Json& document) const {
  const Json* found = document.at(condition_.path());
  if (found == nullptr) return condition_.holds(std::nullopt);
  if (found->is(Json::Kind::null)) return condition_.holds("null");
  return condition_.holds(found->text().empty() ? cell_text(found) : found->text());
}

}  // namespace svc::cli
