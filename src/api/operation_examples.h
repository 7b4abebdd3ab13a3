// A call of each operation and its answer, for the interface description: recorded from the exchange itself. A test
// repeats every call and compares (tests/contract), so the examples match what is served.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/operation.h"
#include "api/record.h"

namespace svc::api {

struct OperationExample {
  std::string_view target;   // signed path and query
  std::string_view headers;  // that the request record reads: "Idempotency-Key: key-7"; empty: none
  std::string_view body;     // JSON; empty: none
  std::string_view answer;   // JSON, long lists cut short; empty for upgrades
};

// nullptr only while an operation is new.
[[nodiscard]] const OperationExample* example_of(const Operation& operation);

// A field of the path, the query or a header, decoded; nullopt if this call does not contain it.
[[nodiscard]] std::optional<std::string> example_value(const Operation& operation, const FieldInfo& field);

}  // namespace svc::api
