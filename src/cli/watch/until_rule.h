// A condition on a JSON document, as `--until` takes it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/json.h"

namespace svc::cli {

// PATH                 the member is there and neither null nor false
// PATH OP VALUE        OP is = != < <= > >=; decimals are compared exactly, anything else as text
// PATH leads through objects: "payload.OrderUpdate.order.status=Filled". A path that is not there meets no condition.
class UntilRule {
 public:
  [[nodiscard]] static Result<UntilRule, std::string> parse(std::string_view text);
  [[nodiscard]] bool holds(const Json& document) const;

 private:
  enum class Relation : std::uint8_t { there, equal, unequal, less, at_most, greater, at_least };
  std::string path_;
  Relation relation_ = Relation::there;
  std::string value_;
};

}  // namespace svc::cli
