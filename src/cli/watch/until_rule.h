// A condition on a JSON document, as `--until` takes it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text_condition.h"
#include "cli/json.h"

namespace svc::cli {

// The path leads through objects: "payload.OrderUpdate.order.status=Filled".
class UntilRule {
 public:
  [[nodiscard]] static Result<UntilRule, std::string> parse(std::string_view text);
  [[nodiscard]] bool holds(const Json& document) const;

 private:
  TextCondition condition_;
};

}  // namespace svc::cli
