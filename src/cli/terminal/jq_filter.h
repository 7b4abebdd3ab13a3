// Filters documents by the system's libjq, a shared library that is loaded when it is first needed. (D-420)
#pragma once

#include <memory>

#include "cli/terminal/failure.h"

namespace svc::cli {

class JqFilter {
 public:
  JqFilter(JqFilter&&) = default;
  JqFilter& operator=(JqFilter&&) = default;
  // Exit 2 if there is no libjq or the expression is invalid; to be checked before anything is sent.
  static Result<JqFilter> compile(const std::string& expression);

  // The results for one JSON text, one per line: strings without quotes, all else as compact JSON. The error is jq's.
  Result<std::string, std::string> apply(std::string_view document) const;

 private:
  struct Machine;
  explicit JqFilter(std::shared_ptr<Machine> machine) : machine_(std::move(machine)) {}
  std::shared_ptr<Machine> machine_;
};

}  // namespace svc::cli
