// A valid request for any operation, made from its record alone: every required field with a plausible
// value, no optional one. What holds for every operation is tested with these.
#pragma once

#include <string>

#include "api/http/http_message.h"
#include "api/operation_list.h"

namespace svc::contract {

// Unsigned; the target is the logical path, that of the twin if asked for.
[[nodiscard]] api::HttpRequest sample_request(const api::OperationEntry& entry, bool twin = false);

// True if the operation reads a JSON object in its body.
[[nodiscard]] bool takes_object(const api::OperationEntry& entry);

}  // namespace svc::contract
