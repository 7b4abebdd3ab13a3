// Filters documents with jq expressions by the system's libjq: Debian has it as a shared library only, so it is loaded
// when an expression is first given. (D-420)
#pragma once

#include <memory>

#include "cli/terminal/failure.h"

namespace svc::cli {

class JqFilter {
 public:
  // Exit 2 if there is no libjq or the expression is invalid; to be checked before anything is sent.
  static Result<JqFilter, Failure> compile(const std::string& expression);

  // The results for one JSON text, one per line: strings without quotes, everything else as compact JSON. The error is
  // that of the expression.
  Result<std::string, std::string> apply(std::string_view document) const;

 private:
  struct Machine;
  explicit JqFilter(std::shared_ptr<Machine> machine) : machine_(std::move(machine)) {}
  std::shared_ptr<Machine> machine_;
};

}  // namespace svc::cli
