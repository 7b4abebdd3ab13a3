// Every error an operation may answer with: its own, and those that follow from how it is called. The
// interface description, the documentation and the contract tests read this list.
#pragma once

#include <cstdint>
#include <vector>

#include "api/operation_list.h"

namespace svc::api {

struct DeclaredError {
  ErrorCode code{};
  std::uint16_t status = 0;
};

// By status, then in the order of the catalogue; each once. Beyond the operation's own errors (D-143):
// 400 where it takes a body or parameters, 401 where it asks for a credential, 413 where it reads a body,
// 426 unless it is discovery, 429 unless it is free, and 500 and 503 on all.
[[nodiscard]] std::vector<DeclaredError> declared_errors(const OperationEntry& entry);

}  // namespace svc::api
