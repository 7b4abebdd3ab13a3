// Whether a success says what became of a write. A gateway's own 200 does not.
#pragma once

#include "cli/exchange/call.h"
#include "cli/json.h"

namespace svc::cli {

// False if the answer is of another kind than the operation's, names nothing of it, is about other orders than those of
// the call, or leaves some of them out. Members that are missing beside others are no reason.
[[nodiscard]] bool tells_what_happened(const Call& call, const Json& answer);

}  // namespace svc::cli
